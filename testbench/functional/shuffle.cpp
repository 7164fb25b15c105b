// Instructions that move data between partitions.
#include <array>

#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

namespace field = isa::field;

void load_shuffle_mask(const isa::Instruction& instruction, LaneState& state) {
    const std::array words{&field::Mask0, &field::Mask1, &field::Mask2, &field::Mask3,
                           &field::Mask4, &field::Mask5, &field::Mask6, &field::Mask7};
    const std::size_t quadrant = state.shuffle_mask.size();
    for (std::size_t i = 0; i < quadrant; ++i) {
        const auto entry = static_cast<std::uint8_t>(instruction.get(*words.at(i / 4)) >> (i % 4 * 8));
        state.shuffle_mask[i] = entry;
    }
}

void stream_shuffle(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const std::uint32_t first = row / work.quadrant() * work.quadrant();
        const std::uint8_t entry = work.state.shuffle_mask[row - first];
        if (entry == KeepRow) continue;
        work.put_bits(row, work.bits(work.a, first + entry));
    }
}

void transpose_block(LaneExecution& work) {
    const std::size_t quadrant = work.quadrant();
    const std::size_t elements = work.a.offsets.size();
    const bool single = is_single_block(work.instruction, work.target);
    const std::size_t size = single ? elements : quadrant;
    for (std::size_t block = 0; block < elements; block += size) {
        for (std::uint32_t row = 0; row < work.partitions; ++row) {
            const std::size_t first = single ? 0 : row / quadrant * quadrant;
            const std::size_t within = row - first;
            const Bits bits = work.bits(work.a, row);
            for (std::size_t i = 0; i < size; ++i) {
                work.put_element(static_cast<std::uint32_t>(first + i), block + within, bits[block + i]);
            }
        }
    }
}

}  // namespace trnsim::functional
