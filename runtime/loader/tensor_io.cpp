#include "runtime/loader/tensor_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "arch/numerics/format.hpp"
#include "compiler/neff/package.hpp"
#include "isa/element_type.hpp"
#include "runtime/loader/error.hpp"

namespace trnsim::loader {
namespace {

struct TypeRow {
    isa::Dtype dtype;
    npy::Type raw;  // the type that is copied as it is, and written
    bool rounds;    // takes fp32, too
};

constexpr std::array Types{
    TypeRow{isa::Dtype::Fp32, npy::Type::F4, false},   TypeRow{isa::Dtype::Tf32, npy::Type::F4, true},
    TypeRow{isa::Dtype::Bf16, npy::Type::V2, true},    TypeRow{isa::Dtype::Fp16, npy::Type::F2, true},
    TypeRow{isa::Dtype::Fp8E3m4, npy::Type::V1, true}, TypeRow{isa::Dtype::Fp8E4m3, npy::Type::V1, true},
    TypeRow{isa::Dtype::Fp8E5m2, npy::Type::V1, true}, TypeRow{isa::Dtype::I8, npy::Type::I1, false},
    TypeRow{isa::Dtype::U8, npy::Type::U1, false},     TypeRow{isa::Dtype::I16, npy::Type::I2, false},
    TypeRow{isa::Dtype::U16, npy::Type::U2, false},    TypeRow{isa::Dtype::I32, npy::Type::I4, false},
    TypeRow{isa::Dtype::U32, npy::Type::U4, false},
};

std::string_view numpy_name(npy::Type integer) {
    switch (integer) {
        case npy::Type::I1:
            return "int8";
        case npy::Type::U1:
            return "uint8";
        case npy::Type::I2:
            return "int16";
        case npy::Type::U2:
            return "uint16";
        case npy::Type::U4:
            return "uint32";
        default:
            return "int32";
    }
}

const TypeRow& row_of(isa::Dtype dtype) {
    const auto row = std::ranges::find(Types, dtype, &TypeRow::dtype);
    if (row == Types.end()) throw Error(fmt::format("undefined data type {}", static_cast<unsigned>(dtype)));
    return *row;
}

// Returns a hint for a message: the conversion of an array that NumPy makes of plain numbers to an accepted
// one.
std::string conversion(const neff::Tensor& tensor, npy::Type found, const TypeRow& row) {
    constexpr npy::Type Plain[] = {npy::Type::F8, npy::Type::I8, npy::Type::U8, npy::Type::B1};
    if (std::ranges::find(Plain, found) == std::end(Plain)) return "";
    const bool takes_floats = row.rounds || row.raw == npy::Type::F4;
    const std::string_view type = takes_floats ? "float32" : numpy_name(row.raw);
    return fmt::format("; {}.astype(np.{}) converts it", tensor.name, type);
}

// Returns fp32 values, which may lie anywhere, in another type.
std::vector<std::uint8_t> round(std::span<const std::uint8_t> values, isa::Dtype dtype) {
    std::vector<float> aligned(values.size() / sizeof(float));
    std::memcpy(aligned.data(), values.data(), aligned.size() * sizeof(float));
    std::vector<std::uint8_t> out(aligned.size() * isa::element_size(dtype));
    numerics::from_fp32(aligned, dtype, out.data());
    return out;
}

// Throws Error if an array of this type and shape is no input for the tensor. Returns whether its values are
// rounded.
bool check_input(const neff::Tensor& tensor, npy::Type type, std::span<const std::uint64_t> shape) {
    const TypeRow& row = row_of(tensor.dtype);
    if (!std::ranges::equal(shape, tensor.shape)) {
        throw Error(fmt::format("input '{}': shape {}, expected {}", tensor.name, npy::format_shape(shape),
                                npy::format_shape(tensor.shape)),
                    Status::ExecBadInput);
    }
    if (row.rounds && type == npy::Type::F4) return true;
    if (type != row.raw) {
        throw Error(fmt::format("input '{}': array of {}, expected {}{} for {}{}", tensor.name,
                                npy::descr(type), row.rounds && row.raw != npy::Type::F4 ? "<f4 or " : "",
                                npy::descr(row.raw), name_of(tensor.dtype), conversion(tensor, type, row)),
                    Status::ExecBadInput);
    }
    return false;
}

}  // namespace

Input borrowed(const npy::Array& array) {
    return {array.type, array.shape, Content::borrowed(array.data)};
}

Input input_of(const std::filesystem::path& path) {
    const npy::InputFile header(path);
    return {header.type(), header.shape(),
            Content([path, type = header.type(), shape = header.shape()](const Content::Take& take) {
                npy::InputFile file(path);
                if (file.type() != type || file.shape() != shape)
                    throw npy::Error(
                        fmt::format("{}: has changed, expected the array that it had", path.string()));
                std::vector<std::uint8_t> piece;
                for (std::uint64_t left = file.bytes(); left != 0; left -= piece.size()) {
                    piece.resize(std::min(left, PieceBytes));
                    file.read(piece);
                    take(piece);
                }
            })};
}

Input input_of(const neff::Tensor& tensor, Content bytes) {
    return {row_of(tensor.dtype).raw, tensor.shape, std::move(bytes)};
}

Content to_device(const neff::Tensor& tensor, const Input& input) {
    if (!check_input(tensor, input.type, input.shape)) return input.data;
    return Content([data = input.data, dtype = tensor.dtype](const Content::Take& take) {
        data.give([&](std::span<const std::uint8_t> piece) { take(round(piece, dtype)); });
    });
}

std::vector<std::uint8_t> to_device(const neff::Tensor& tensor, const npy::Array& array) {
    return to_device(tensor, borrowed(array)).bytes();
}

npy::Array from_device(const neff::Tensor& tensor, std::vector<std::uint8_t> bytes) {
    return {row_of(tensor.dtype).raw, tensor.shape, std::move(bytes)};
}

std::vector<std::uint8_t> as_fp32(const neff::Tensor& tensor, std::span<const std::uint8_t> bytes) {
    if (!numerics::is_float(tensor.dtype))
        throw Error(fmt::format("output '{}': {} is not converted to fp32, expected a floating-point type",
                                tensor.name, name_of(tensor.dtype)));
    const std::size_t width = npy::item_bytes(row_of(tensor.dtype).raw), elements = bytes.size() / width;
    std::vector<std::uint8_t> wide(elements * sizeof(float));
    for (std::size_t i = 0; i < elements; ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &bytes[i * width], width);
        const float value = numerics::to_fp32(bits, tensor.dtype);
        std::memcpy(&wide[i * sizeof value], &value, sizeof value);
    }
    return wide;
}

npy::Array as_fp32(const neff::Tensor& tensor, const npy::Array& array) {
    if (array.type == npy::Type::F4 && numerics::is_float(tensor.dtype)) return array;
    return {npy::Type::F4, array.shape, as_fp32(tensor, std::span(array.data))};
}

}  // namespace trnsim::loader
