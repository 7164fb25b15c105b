#include "tests/firmware/microcode_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trnsim::test {

Dtype Cases::dtype(bool floats, bool integers) {
    static constexpr Dtype All[] = {Dtype::Fp32, Dtype::Bf16, Dtype::I8,  Dtype::U8,
                                    Dtype::I16,  Dtype::U16,  Dtype::I32, Dtype::U32};
    return All[number(floats ? 0 : 2, integers ? 7 : 1)];
}

Shape Cases::shape(std::uint32_t core) {
    Shape shape{};
    if (chance(40)) {  // all partitions of the core, and perhaps more
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

void for_each_element(const Shape& shape, std::uint32_t core,
                      const std::function<void(const Element&)>& body) {
    for (std::uint32_t row = 0; row < shape.partitions; ++row) {
        if ((shape.partition + row) / 16 != core) continue;
        Element element{(shape.partition + row) % 16, {}};
        for (auto& i3 = element.index[3] = 0; i3 < shape.count[3]; ++i3) {
            for (auto& i2 = element.index[2] = 0; i2 < shape.count[2]; ++i2) {
                for (auto& i1 = element.index[1] = 0; i1 < shape.count[1]; ++i1) {
                    for (auto& i0 = element.index[0] = 0; i0 < shape.count[0]; ++i0) body(element);
                }
            }
        }
    }
}

float load_float(const Slice& slice, const Tensor& tensor, const Element& element) {
    return slice.get<float>(element.partition, element.byte(tensor));
}

void store_float(Slice& slice, const Tensor& tensor, const Element& element, float value) {
    slice.set(element.partition, element.byte(tensor), value);
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
