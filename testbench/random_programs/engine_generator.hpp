// Random instructions of the Tensor, Vector, Scalar and GpSimd engines together.
#pragma once

#include <random>
#include <vector>

#include "testbench/random_programs/aim.hpp"
#include "testbench/random_programs/gpsimd_generator.hpp"
#include "testbench/random_programs/lane_generator.hpp"
#include "testbench/random_programs/step.hpp"
#include "testbench/random_programs/tensor_generator.hpp"

namespace trnsim::random_programs {

class EngineGenerator {
  public:
    // All references must outlive the generator.
    EngineGenerator(const target::Core& target, const Geometry& geometry, const std::vector<Area>& areas,
                    std::mt19937_64& random);

    // Returns instructions that belong together. With an aim it tries many and returns some that add
    // something; once nothing seems to add anything any more, it empties `aim` and goes on without one.
    std::vector<Step> next(Aim& aim);
    // See GpsimdGenerator::loaded().
    void microcode_loaded(bool in_all) { gpsimd_.loaded(in_all); }

  private:
    std::vector<Step> any();

    std::mt19937_64& random_;
    TensorGenerator tensor_;
    LaneGenerator vector_, scalar_;
    GpsimdGenerator gpsimd_;
};

}  // namespace trnsim::random_programs
