// Checks whether an instruction can run: first what the sequencer checks of every data-path instruction
// (rtl/control/instruction_check_pkg.sv), then what each engine refuses (the pages of the engines).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isa/instruction.hpp"
#include "model/values/functional_core.hpp"

namespace trnsim::fast {

// Checks data types, partitions, counts, places of all operands, and overlaps of dst with a source.
Fault check_operands(const isa::Instruction& instruction, const Memories& memories);

// Entries of the mask of stream_shuffle; a quadrant has as many partitions.
using ShuffleMask = std::array<std::uint8_t, 32>;
inline constexpr std::uint8_t KeepRow = 255;
ShuffleMask mask_entries(const isa::Instruction& instruction);

// `mask`: the mask that stream_shuffle finds.
isa::Error check_vector(const isa::Instruction& instruction, std::uint32_t quadrant, const ShuffleMask& mask);

// `loaded`: the set of tables that an activation finds.
isa::Error check_scalar(const isa::Instruction& instruction, isa::ActivationSet loaded);

// The Tensor engine's knowledge of the stationary operands that were loaded so far.
struct Stationaries {
    struct Tile {
        bool valid = false, wide = false;  // wide: elements of four bytes
        std::uint32_t last = 0;            // row
        std::uint32_t columns = 0;
    };
    bool row_tile = false, column_tile = false;
    std::array<Tile, std::size_t{isa::array::RowGroups} * isa::array::ColumnGroups> tiles{};
};
// Returns the tile that an instruction works on.
std::size_t tile_of(const isa::Instruction& instruction, const Memories& memories, const config::Core& core);
isa::Error check_tensor(const isa::Instruction& instruction, const Memories& memories,
                        const config::Core& core, const Stationaries& loaded);
// Notes what a load_stationary that was not refused has loaded.
void note_load(const isa::Instruction& instruction, const Memories& memories, const config::Core& core,
               Stationaries& loaded);

}  // namespace trnsim::fast
