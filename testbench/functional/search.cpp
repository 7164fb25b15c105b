// Instructions that find the eight largest elements and that find eight values.
#include <algorithm>
#include <array>
#include <functional>

#include "arch/numerics/format.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

namespace field = isa::field;

namespace {

constexpr std::size_t Eight = 8;

// Returns a key that ascends with the value: -NaN does not occur, -0 is below +0, NaN above infinity.
std::uint32_t order_key(float value) {
    const std::uint32_t bits = numerics::bits_of(value);
    return bits >> 31 != 0 ? ~bits : bits | 1u << 31;
}

}  // namespace

void max8(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        Values values = work.values(work.a, row);
        std::ranges::partial_sort(values, values.begin() + Eight, std::greater{}, order_key);
        values.resize(Eight);
        work.put(row, values);
    }
}

void find_index8(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const Values values = work.values(work.a, row);
        Bits indices;
        for (const float wanted : work.values(work.b, row)) {
            const auto found = std::ranges::find(values, wanted);
            indices.push_back(found == values.end() ? ~0u
                                                    : static_cast<std::uint32_t>(found - values.begin()));
        }
        work.put_bits(row, indices);
    }
}

void match_replace8(LaneExecution& work) {
    const bool raw = work.a.dtype == work.dst.dtype;
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float replacement = work.immediate(field::Imm0, field::Imm0Vector, row);
        const Bits kept = work.bits(work.a, row);
        const Values values = work.values(work.a, row);
        const Values wanted = work.values(work.b, row);
        std::array<bool, Eight> matched{};
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::size_t match = Eight;
            while (match > 0 && (matched[match - 1] || wanted[match - 1] != values[i])) --match;
            if (match > 0) {
                matched[match - 1] = true;
                work.put_element(
                    row, i,
                    raw ? numerics::from_fp32(replacement, work.dst.dtype) : work.narrow(replacement, row));
            } else {
                work.put_element(row, i, raw ? kept[i] : work.narrow(values[i], row));
            }
        }
    }
}

}  // namespace trnsim::functional
