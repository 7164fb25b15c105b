#include "tools/cli/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arch/numerics/format.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::cli {
namespace {

using Bytes = std::span<const std::uint8_t>;

template <typename Value>
double value_at(Bytes data, std::size_t index) {
    Value value{};
    std::memcpy(&value, &data[index * sizeof value], sizeof value);
    return static_cast<double>(value);
}

// `dtype` is the type of raw bytes.
double value_at(npy::Type type, Bytes data, std::size_t index, isa::Dtype dtype) {
    switch (type) {
        case npy::Type::F4:
            return value_at<float>(data, index);
        case npy::Type::F8:
            return value_at<double>(data, index);
        case npy::Type::I8:
            return value_at<std::int64_t>(data, index);
        case npy::Type::I4:
            return value_at<std::int32_t>(data, index);
        case npy::Type::U4:
            return value_at<std::uint32_t>(data, index);
        case npy::Type::I2:
            return value_at<std::int16_t>(data, index);
        case npy::Type::U2:
            return value_at<std::uint16_t>(data, index);
        case npy::Type::I1:
            return value_at<std::int8_t>(data, index);
        case npy::Type::U8:
            return value_at<std::uint64_t>(data, index);
        case npy::Type::U1:
        case npy::Type::B1:
            return value_at<std::uint8_t>(data, index);
        case npy::Type::F2:
            dtype = isa::Dtype::Fp16;
            break;
        case npy::Type::V2:
        case npy::Type::V1:
            break;
    }
    std::uint32_t bits = 0;
    const std::size_t width = npy::item_bytes(type);
    std::memcpy(&bits, &data[index * width], width);
    return numerics::to_fp32(bits, dtype);
}

// Returns how far an element is beyond the tolerance; nothing if it agrees.
std::optional<double> excess(double found, double expected, const Tolerance& tolerance) {
    if (std::isnan(found) || std::isnan(expected)) {
        if (std::isnan(found) && std::isnan(expected)) return std::nullopt;
        return std::numeric_limits<double>::infinity();
    }
    if (found == expected) return std::nullopt;
    const double difference = std::abs(found - expected);
    const double allowed = tolerance.absolute + tolerance.relative * std::abs(expected);
    if (std::isinf(found) || std::isinf(expected)) return std::numeric_limits<double>::infinity();
    return difference <= allowed ? std::nullopt : std::optional(difference - allowed);
}

}  // namespace

void check_expectation(const neff::Tensor& tensor, const npy::InputFile& expected) {
    if (expected.shape() != tensor.shape)
        throw std::runtime_error(fmt::format("--expect {}: shape {}, expected {}", tensor.name,
                                             npy::format_shape(expected.shape()),
                                             npy::format_shape(tensor.shape)));
    const bool raw = expected.type() == npy::Type::V1 || expected.type() == npy::Type::V2;
    const bool same =
        numerics::is_float(tensor.dtype) && tensor.dtype != isa::Dtype::Fp16 &&
        static_cast<int>(npy::item_bytes(expected.type())) == numerics::storage_bytes(tensor.dtype);
    if (raw && !same)
        throw std::runtime_error(fmt::format("--expect {}: array of {}, expected numbers or raw {}",
                                             tensor.name, npy::descr(expected.type()),
                                             isa::name_of(tensor.dtype)));
}

std::optional<Disagreement> disagreement(const neff::Tensor& tensor, const npy::Array& found,
                                         npy::InputFile& expected, const Tolerance& tolerance) {
    constexpr std::size_t Piece = 1 << 17;  // elements
    const std::size_t width = npy::item_bytes(expected.type()), elements = expected.bytes() / width;
    std::size_t beyond = 0, worst = 0;
    double most = -1, got = 0, wanted = 0;
    std::vector<std::uint8_t> piece;
    for (std::size_t first = 0; first < elements; first += Piece) {
        piece.resize(std::min(Piece, elements - first) * width);
        expected.read(piece);
        for (std::size_t i = 0; i < piece.size() / width; ++i) {
            const double there = value_at(found.type, found.data, first + i, tensor.dtype),
                         here = value_at(expected.type(), piece, i, tensor.dtype);
            const auto by = excess(there, here, tolerance);
            if (!by) continue;
            ++beyond;
            if (*by <= most) continue;
            most = *by;
            worst = first + i;
            got = there;
            wanted = here;
        }
    }
    if (beyond == 0) return std::nullopt;
    std::string text = fmt::format(
        "output {}: {} of {} elements beyond the tolerance, worst {}: {:.9g}, expected {:.9g} "
        "(difference {:.3g}, allowed {:.3g})",
        tensor.name, beyond, elements, neff::position(tensor, worst), got, wanted, std::abs(got - wanted),
        tolerance.absolute + tolerance.relative * std::abs(wanted));
    return Disagreement{std::move(text), worst};
}

std::string element_text(const neff::Tensor& tensor, const npy::Array& array, std::size_t index) {
    return fmt::format("{:.9g}", value_at(array.type, array.data, index, tensor.dtype));
}

}  // namespace trnsim::cli
