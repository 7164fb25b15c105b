// Execution of the Tensor engine's instructions; docs/tensor-engine.md has the rules.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "arch/checkpoint/core_state.hpp"
#include "model/values/check.hpp"
#include "model/values/kernels/kernels.hpp"
#include "model/values/operation.hpp"

namespace trnsim::fast {

// Values that are aligned to a vector.
class AlignedValues {
  public:
    // Returns room for `count` values with any contents.
    float* resized(std::size_t count) {
        lines_.resize(std::max(lines_.size(), count / Values + 1));
        return lines_.front().values;
    }
    const float* data() const { return lines_.front().values; }

  private:
    static constexpr std::size_t Values = kernels::Padding / sizeof(float);
    struct alignas(kernels::Padding) Line {
        float values[Values];
    };
    std::vector<Line> lines_;
};

class TensorEngine {
  public:
    explicit TensorEngine(const config::Core& core) : core_(core) {}
    Effects execute(const Operation& operation, Memories& memories);
    // Makes all stationary operands invalid.
    void forget();

    // Save and load the stationary operands.
    void save(checkpoint::CoreState& state) const;
    void load(const checkpoint::CoreState& state);

  private:
    // The parts of each element, one for each pass; infinities and NaN are in the last one only.
    enum class Part : std::uint8_t { Low, FiniteHigh, High };
    static constexpr std::size_t Parts = 3;
    // Element (row, column) of a part is at block column / BlockColumns, row, column % BlockColumns.
    struct Stationary {
        bool valid = false;
        bool wide = false;  // elements of four bytes, which have all parts
        bool low = false;   // has low parts
        std::size_t rows = 0, columns = 0;
        std::array<AlignedValues, Parts> parts;
    };
    struct Results;
    void load(const Operation& operation, Memories& memories);
    Effects multiply(const Operation& operation, Memories& memories);

    const config::Core& core_;
    bool row_tile_ = false, column_tile_ = false;  // modes of the last load
    std::array<Stationary, std::size_t{isa::array::RowGroups} * isa::array::ColumnGroups> stationaries_;
    std::array<AlignedValues, Parts> moving_;  // laid out like that with BlockElements
};

}  // namespace trnsim::fast
