// Random instructions of the Tensor, Vector and Scalar engines together.
#pragma once

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "testbench/random_programs/lane_generator.hpp"
#include "testbench/random_programs/tensor_generator.hpp"

namespace trnsim::random_programs {

// Told of every instruction that may come next; whether it adds what none before it had. Those it says so of
// are used.
using Aim = std::function<bool(isa::Engine, const isa::Instruction&)>;

class EngineGenerator {
  public:
    using Step = std::pair<isa::Engine, isa::Instruction>;

    // All references must outlive the generator.
    EngineGenerator(const neff::Target& target, const Geometry& geometry, const std::vector<Area>& areas,
                    std::mt19937_64& random);

    // Instructions that belong together. With an aim those of many that add something; once it seems that
    // nothing does any more, `aim` is emptied and they are as without.
    std::vector<Step> next(Aim& aim);

  private:
    std::vector<Step> any();

    std::mt19937_64& random_;
    TensorGenerator tensor_;
    LaneGenerator vector_, scalar_;
};

}  // namespace trnsim::random_programs
