#include "tests/firmware/microcode_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace trnsim::test {

Dtype Cases::dtype(bool floats, bool integers) {
    static constexpr Dtype All[] = {Dtype::Fp32, Dtype::Bf16, Dtype::I8,  Dtype::U8,
                                    Dtype::I16,  Dtype::U16,  Dtype::I32, Dtype::U32};
    return All[number(floats ? 0 : 2, integers ? 7 : 1)];
}

Shape Cases::shape(std::uint32_t core) {
    Shape shape{};
    if (chance(40)) {  // all of the core, and perhaps more
        const std::uint32_t before = number(0, std::min(core, 2U)), after = number(0, 1);
        shape.partition = 16 * (core - before);
        shape.partitions = std::min(128U, 16 * (core + 1 + after)) - shape.partition;
    } else {
        shape.partition = number(16 * core - std::min(16 * core, 5U), 16 * core + 15);
        shape.partitions = number(1, std::min(30U, 128 - shape.partition));
    }
    shape.count[0] = number(1, 41);
    for (unsigned axis = 1; axis < 4; ++axis) shape.count[axis] = chance(50) ? 1 : number(1, 3);
    return shape;
}

Tensor Cases::tensor(const Shape& shape, std::uint32_t region, Dtype dtype, bool is_destination) {
    const std::uint32_t bytes = dtype_bytes(dtype);
    Tensor tensor{0, dtype, {}};
    for (;;) {
        std::int32_t span = chance(70) ? 1 : static_cast<std::int32_t>(number(1, 3));
        std::int32_t first = 0, last = 0;
        for (unsigned axis = 0; axis < 4; ++axis) {
            const bool repeats = !is_destination && chance(10);
            tensor.step[axis] = repeats ? 0 : chance(20) ? -span : span;
            const auto extent = static_cast<std::int32_t>(shape.count[axis] - 1) * tensor.step[axis];
            (extent < 0 ? first : last) += extent;
            span =
                span * static_cast<std::int32_t>(shape.count[axis]) + static_cast<std::int32_t>(number(0, 2));
        }
        const std::uint32_t all = static_cast<std::uint32_t>(last - first + 1) * bytes;
        if (all > RegionBytes) {
            continue;
        }
        const std::uint32_t room = (RegionBytes - all) / bytes;
        tensor.address = region * RegionBytes + (number(0, room) - static_cast<std::uint32_t>(first)) * bytes;
        return tensor;
    }
}

Tensor Cases::dense(std::uint32_t region, Dtype dtype) {
    return {region * RegionBytes + dtype_bytes(dtype) * number(0, 9), dtype, {1, 0, 0, 0}};
}

std::uint32_t Cases::float_bits() {
    static constexpr std::uint32_t Corners[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                                0x7f800001, 1,          0x80000001, 0x007fffff, 0x00800000,
                                                0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x4f000000,
                                                0xcf000000, 0x4f800000, 0x3f000000, 0x40200000, 0x47ff8000};
    if (chance(15)) return one_of(Corners);
    if (chance(30)) return static_cast<std::uint32_t>(random_());
    return std::bit_cast<std::uint32_t>(
        static_cast<float>(static_cast<std::int32_t>(random_() % 2000001) - 1000000) / 1024.0F);
}

std::uint32_t Cases::integer_bits() {
    static constexpr std::uint32_t Corners[] = {0,    1,      0xffffffff, 0x7fffffff, 0x80000000, 0x80,
                                                0x7f, 0x8000, 31,         32,         33};
    if (chance(20)) return one_of(Corners);
    return static_cast<std::uint32_t>(random_()) >> number(0, 31);
}

void Cases::fill(Slice& slice, bool floats) {
    for (std::size_t at = 0; at < slice.bytes.size(); at += 4) {
        const std::uint32_t bits = floats ? float_bits() : integer_bits();
        std::memcpy(&slice.bytes[at], &bits, 4);
    }
}

std::uint32_t Element::byte(const Tensor& tensor) const {
    std::int64_t element = 0;
    for (unsigned axis = 0; axis < 4; ++axis) element += std::int64_t{index[axis]} * tensor.step[axis];
    return static_cast<std::uint32_t>(tensor.address + element * dtype_bytes(tensor.dtype));
}

std::uint32_t Element::affine(const Affine& affine) const {
    std::uint32_t value =
        static_cast<std::uint32_t>(affine.base) + static_cast<std::uint32_t>(affine.partition_step) * row;
    for (unsigned axis = 0; axis < 4; ++axis)
        value += static_cast<std::uint32_t>(affine.step[axis]) * index[axis];
    return value;
}

void for_each_element(const Shape& shape, std::uint32_t core,
                      const std::function<void(const Element&)>& body) {
    for (std::uint32_t row = 0; row < shape.partitions; ++row) {
        if ((shape.partition + row) / 16 != core) continue;
        Element element{(shape.partition + row) % 16, row, {}};
        for (auto& i3 = element.index[3] = 0; i3 < shape.count[3]; ++i3) {
            for (auto& i2 = element.index[2] = 0; i2 < shape.count[2]; ++i2) {
                for (auto& i1 = element.index[1] = 0; i1 < shape.count[1]; ++i1) {
                    for (auto& i0 = element.index[0] = 0; i0 < shape.count[0]; ++i0) body(element);
                }
            }
        }
    }
}

std::int64_t load_integer(const Slice& slice, const Tensor& tensor, const Element& element) {
    const std::uint32_t byte = element.byte(tensor), p = element.partition;
    switch (tensor.dtype) {
        case Dtype::I8:
            return slice.get<std::int8_t>(p, byte);
        case Dtype::U8:
            return slice.get<std::uint8_t>(p, byte);
        case Dtype::I16:
            return slice.get<std::int16_t>(p, byte);
        case Dtype::U16:
        case Dtype::Bf16:
            return slice.get<std::uint16_t>(p, byte);
        case Dtype::I32:
            return slice.get<std::int32_t>(p, byte);
        default:
            return slice.get<std::uint32_t>(p, byte);
    }
}

float load_float(const Slice& slice, const Tensor& tensor, const Element& element) {
    if (tensor.dtype == Dtype::Fp32) return slice.get<float>(element.partition, element.byte(tensor));
    const std::int64_t value = load_integer(slice, tensor, element);
    if (tensor.dtype == Dtype::Bf16) return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
    return static_cast<float>(value);
}

void store_integer(Slice& slice, const Tensor& tensor, const Element& element, std::int64_t value) {
    if (dtype_is_float(tensor.dtype)) return store_float(slice, tensor, element, static_cast<float>(value));
    const std::uint32_t byte = element.byte(tensor), p = element.partition;
    switch (dtype_bytes(tensor.dtype)) {
        case 1:
            return slice.set(p, byte, static_cast<std::uint8_t>(value));
        case 2:
            return slice.set(p, byte, static_cast<std::uint16_t>(value));
        default:
            return slice.set(p, byte, static_cast<std::uint32_t>(value));
    }
}

void store_float(Slice& slice, const Tensor& tensor, const Element& element, float value) {
    const std::uint32_t byte = element.byte(tensor), p = element.partition;
    if (tensor.dtype == Dtype::Fp32) return slice.set(p, byte, value);
    if (tensor.dtype == Dtype::Bf16) {
        // The nearer of the two neighbours, the even one in the middle.
        const auto bits = std::bit_cast<std::uint32_t>(value);
        std::uint32_t high = bits >> 16;
        const std::uint32_t low = bits & 0xffff;
        if (std::isnan(value)) {
            high |= 0x40;
        } else if (low > 0x8000 || (low == 0x8000 && (high & 1) != 0)) {
            ++high;
        }
        return slice.set(p, byte, static_cast<std::uint16_t>(high));
    }
    const unsigned bits = 8 * dtype_bytes(tensor.dtype);
    const bool is_signed =
        tensor.dtype == Dtype::I8 || tensor.dtype == Dtype::I16 || tensor.dtype == Dtype::I32;
    const double least = is_signed ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0.0;
    const double most = std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0)) - 1;
    const double rounded =
        std::isnan(value) ? 0.0 : std::clamp(std::nearbyint(static_cast<double>(value)), least, most);
    store_integer(slice, tensor, element, static_cast<std::int64_t>(rounded));
}

namespace {

// Comparisons and logic, the same for integers and floats; nothing for another operation.
template <class Number>
std::optional<bool> truth(AluOp op, Number a, Number b) {
    switch (op) {
        case AluOp::IsEqual:
            return a == b;
        case AluOp::NotEqual:
            return a != b;
        case AluOp::Greater:
            return a > b;
        case AluOp::GreaterEqual:
            return a >= b;
        case AluOp::Less:
            return a < b;
        case AluOp::LessEqual:
            return a <= b;
        case AluOp::LogicalAnd:
            return a != 0 && b != 0;
        case AluOp::LogicalOr:
            return a != 0 || b != 0;
        case AluOp::LogicalXor:
            return (a != 0) != (b != 0);
        case AluOp::LogicalNot:
            return a == 0;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::uint32_t integer_alu(AluOp op, std::uint32_t a, std::uint32_t b, bool is_unsigned) {
    const auto wide = [&](std::uint32_t v) {
        return is_unsigned ? std::int64_t{v} : std::int64_t{static_cast<std::int32_t>(v)};
    };
    const std::int64_t x = wide(a), y = wide(b);
    const auto size = [](std::int64_t v) { return static_cast<std::uint32_t>(v < 0 ? -v : v); };
    if (const auto result = truth(op, x, y)) return *result;
    switch (op) {
        case AluOp::Add:
            return a + b;
        case AluOp::Subtract:
            return a - b;
        case AluOp::Multiply:
            return a * b;
        case AluOp::Max:
            return x > y ? a : b;
        case AluOp::Min:
            return x < y ? a : b;
        case AluOp::BitwiseAnd:
            return a & b;
        case AluOp::BitwiseOr:
            return a | b;
        case AluOp::BitwiseXor:
            return a ^ b;
        case AluOp::BitwiseNot:
            return ~a;
        case AluOp::ShiftLeft:
            return b < 32 ? a << b : 0;
        case AluOp::ShiftRight:
            return b < 32 ? a >> b : 0;
        case AluOp::Abs:
            return size(x);
        case AluOp::AbsMax:
            return std::max(size(x), size(y));
        case AluOp::AbsMin:
            return std::min(size(x), size(y));
        case AluOp::Square:
            return a * a;
        case AluOp::Relu:
            return x < 0 ? 0 : a;
        default:
            return a;
    }
}

namespace {

// The one that is a number; -0 below +0.
float larger(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
}

float float_result(AluOp op, float a, float b) {
    if (const auto result = truth(op, a, b)) return *result;
    switch (op) {
        case AluOp::Add:
            return a + b;
        case AluOp::Subtract:
            return a - b;
        case AluOp::Multiply:
            return a * b;
        case AluOp::Max:
            return larger(a, b);
        case AluOp::Min:
            return -larger(-a, -b);
        case AluOp::Abs:
            return std::fabs(a);
        case AluOp::Reciprocal:
            return 1.0F / a;
        case AluOp::Rsqrt:
            return 1.0F / std::sqrt(a);
        case AluOp::AbsMax:
            return larger(std::fabs(a), std::fabs(b));
        case AluOp::AbsMin:
            return -larger(-std::fabs(a), -std::fabs(b));
        case AluOp::Square:
            return a * a;
        case AluOp::Relu:
            return larger(a, 0.0F);
        default:
            return a;
    }
}

}  // namespace

float float_alu(AluOp op, float a, float b) {
    const float result = float_result(op, a, b);
    const bool keeps_bits = op == AluOp::Bypass || op == AluOp::Abs;
    return std::isnan(result) && !keeps_bits ? std::bit_cast<float>(0x7fc00000U) : result;
}

std::string difference(const Slice& got, const Slice& expected) {
    const auto words = static_cast<std::uint32_t>(got.bytes.size() / 4 / Partitions);
    for (std::uint32_t word = 0; word < words; ++word) {
        for (std::uint32_t p = 0; p < Partitions; ++p) {
            const auto a = got.get<std::uint32_t>(p, 4 * word), b = expected.get<std::uint32_t>(p, 4 * word);
            if (a == b) continue;
            return fmt::format("partition {} byte {:#x}: {:#010x}, expected {:#010x}", p, 4 * word, a, b);
        }
    }
    return "";
}

}  // namespace trnsim::test
