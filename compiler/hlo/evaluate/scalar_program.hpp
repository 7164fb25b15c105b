// A computation of scalars, applied to many elements at once.
//
// Reductions, maps, sorts and scatters call a computation for each element. Most such computations are a few elementwise
// instructions: they are translated to steps on columns of cells, one column an instruction. Others are called as any
// computation is.
#pragma once

#include <memory>
#include <vector>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/kernels.hpp"

namespace trnsim::hlo::evaluate {

class ScalarProgram {
  public:
    ScalarProgram(const Operation& operation, const Computation& computation);

    // Applies the computation to `count` elements: a column for each parameter in, one for each result out. Columns may
    // not overlap results.
    void run(const std::vector<const Cell*>& parameters, const std::vector<Cell*>& results,
             std::size_t count);

    // Whether the computation adds its two parameters as real numbers: such sums are rounded once, at their end.
    bool adds_real_numbers() const { return adds_real_numbers_; }

  private:
    struct Step {
        const Instruction* instruction;
        std::vector<std::size_t> operands;  // columns
        std::vector<ElementType> types;
        std::size_t result;
    };
    void translate(const Computation& computation);
    void run_steps(const std::vector<const Cell*>& parameters, const std::vector<Cell*>& results,
                   std::size_t begin, std::size_t count);
    void call_each(const std::vector<const Cell*>& parameters, const std::vector<Cell*>& results,
                   std::size_t count);

    const Operation& operation_;
    const Computation& computation_;
    bool translated_ = false, adds_real_numbers_ = false;
    std::size_t columns_ = 0;
    std::vector<Step> steps_;
    std::vector<std::pair<std::size_t, std::size_t>> parameters_;  // column, number
    std::vector<std::pair<std::size_t, Cell>> constants_;
    std::vector<std::size_t> results_;
    std::vector<Cells> storage_;
};

}  // namespace trnsim::hlo::evaluate
