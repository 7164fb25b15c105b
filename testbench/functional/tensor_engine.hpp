// Executes the Tensor engine's instructions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/functional/operand.hpp"

namespace trnsim::functional {

class TensorEngine {
  public:
    explicit TensorEngine(const target::Core& target) : target_(target) {}

    // `instruction` is load_stationary or multiply_moving and has been accepted (refusal.hpp). A matmul may
    // have fewer rows and columns than are loaded. Throw Error for reading a byte that nothing has written.
    void load_stationary(const isa::Instruction& instruction, const CoreMemory& memory);
    void multiply_moving(const isa::Instruction& instruction, CoreMemory& memory) const;

    // The stationary operand that an instruction would work with.
    struct Loaded {
        std::uint32_t rows, columns;
        isa::Dtype dtype;
    };
    // Returns nothing if none is loaded, or one of another tile size. The place of the instruction in the
    // array must be checked.
    std::optional<Loaded> loaded_for(const isa::Instruction& instruction) const;

  private:
    // Values of one operand that the array takes in one pass, row by row.
    using Rows = std::vector<std::vector<float>>;
    struct Stationary {
        isa::Dtype dtype = isa::Dtype::Fp32;
        bool low = false;                              // has low parts
        std::vector<std::vector<std::uint32_t>> bits;  // by row
    };
    // The part of each element that one pass takes; infinities and NaN take part in the last pass only.
    enum class Part : std::uint8_t { Low, FiniteHigh, High };
    static float part_of(float value, Part part);
    static Rows pass_values(const std::vector<std::vector<std::uint32_t>>& bits, isa::Dtype dtype, Part part);
    void run_pass(const Rows& stationary, const Rows& moving, const Operand& dst, bool accumulate,
                  CoreMemory& memory) const;
    // Returns the index of the tile that `instruction` works on.
    std::size_t tile_of(const isa::Instruction& instruction) const;
    struct Tiling {
        bool rows = false, columns = false;
        bool operator==(const Tiling&) const = default;
    };
    static Tiling tiling_of(const isa::Instruction& instruction);

    target::Core target_;
    Tiling tiling_;
    static constexpr std::size_t Tiles = std::size_t{isa::array::RowGroups} * isa::array::ColumnGroups;
    std::array<Stationary, Tiles> stationary_;  // untiled rows or columns count as the first group
};

}  // namespace trnsim::functional
