#include "testbench/random_programs/engine_generator.hpp"

#include "testbench/random_programs/scalar_kinds.hpp"
#include "testbench/random_programs/vector_kinds.hpp"

namespace trnsim::random_programs {
namespace {

constexpr int MaxTries = 30'000;  // candidates tried for one that adds something

}  // namespace

EngineGenerator::EngineGenerator(const target::Core& target, const Geometry& geometry,
                                 const std::vector<Area>& areas, std::mt19937_64& random)
    : random_(random),
      tensor_(target, areas, random),
      vector_(vector_kinds(), geometry, random),
      scalar_(scalar_kinds(), geometry, random),
      gpsimd_(target, geometry, random) {}

std::vector<Step> EngineGenerator::any() {
    std::vector<Step> steps;
    const unsigned choice = vector_.pick(18);
    if (choice < 2) {
        for (const isa::Instruction& instruction : tensor_.instructions())
            steps.push_back({isa::Engine::Tensor, instruction});
        return steps;
    }
    if (choice < 9) return {{isa::Engine::Vector, vector_.instruction()}};
    if (choice < 11) return gpsimd_.steps();
    if (scalar_.table_set == isa::ActivationSet::None || vector_.pick(8) == 0)
        steps.push_back({isa::Engine::Scalar, any_table_load(scalar_)});
    steps.push_back({isa::Engine::Scalar, scalar_.instruction()});
    return steps;
}

std::vector<Step> EngineGenerator::next(Aim& aim) {
    if (!aim) return any();
    for (int tries = 0; tries < MaxTries; ++tries) {
        const TensorGenerator::State loaded = tensor_.state();
        const isa::ActivationSet tables = scalar_.table_set;
        std::vector<Step> steps = any();
        bool adds = false;
        for (const Step& step : steps) adds = aim(step.engine, step.instruction) || adds;
        if (adds) return steps;
        tensor_.restore(loaded);
        scalar_.table_set = tables;
        gpsimd_.forget();
    }
    aim = {};
    return any();
}

}  // namespace trnsim::random_programs
