// Random instructions of the Tensor engine: loads of stationary operands and matmuls that fit them, on the
// whole array and on its row groups.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "compiler/neff/package.hpp"
#include "testbench/random_programs/vector_instructions.hpp"

namespace trnsim::random_programs {

class TensorGenerator {
  public:
    // Operands lie in SBUF areas, results in PSUM areas, each of which is within one bank. All references
    // must outlive the generator.
    TensorGenerator(const target::Core& target, const std::vector<Area>& areas, std::mt19937_64& random)
        : target_(target), areas_(areas), random_(random) {}

    // Returns a matmul, the load of its stationary operand if none is loaded, and other matmuls that add to
    // its results.
    std::vector<isa::Instruction> instructions();

    // The loaded operands, which are restored when instructions are not used.
    struct Loaded {
        isa::Dtype dtype{};
        unsigned rows = 0, columns = 0;  // 0 if nothing is loaded
    };
    struct State {
        std::array<Loaded, std::size_t{isa::array::RowGroups} * isa::array::ColumnGroups>
            loaded{};  // by tile
        bool row_tile = false, column_tile = false;
    };
    const State& state() const { return state_; }
    void restore(const State& state) { state_ = state; }

  private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    Counts counts(unsigned most);
    const Area& any_area(bool psum);
    // Chooses a pattern in an area, up to as wide as it allows; if `dense`, without repeated elements.
    // Returns false if it does not fit.
    bool choose_pattern(const Counts& count, bool dense, const Area& area, RandomOperand& operand);
    struct Tile {
        unsigned row_group, column_group;
    };
    Loaded& loaded(const Tile& tile) {
        return state_.loaded[tile.column_group * isa::array::RowGroups + tile.row_group];
    }
    unsigned most_rows() const;
    isa::Instruction load(const Tile& tile);
    // The place where a matmul leaves its results.
    struct Sum {
        Counts count{};
        RandomOperand dst{};
    };
    // Adds to the results `onto` of the tile; if it is null, overwrites random ones.
    isa::Instruction multiply(const Tile& tile, const Sum* onto);
    isa::Instruction placed(isa::Instruction instruction, const Tile& tile) const;

    const target::Core& target_;
    const std::vector<Area>& areas_;
    std::mt19937_64& random_;
    State state_;
    Sum sum_;  // results of the last matmul
};

}  // namespace trnsim::random_programs
