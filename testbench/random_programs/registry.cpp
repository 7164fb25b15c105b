#include "testbench/random_programs/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "testbench/random_programs/batch.hpp"
#include "testbench/random_programs/control_programs.hpp"

namespace trnsim::random_programs {
namespace {

constexpr std::array ProgramArguments{
    kernels::ArgumentInfo{.name = "programs", .doc = "how many, one after the other"}};

constexpr std::uint64_t MaxPrograms = 1000;  // limits the contents and the time of a test

std::uint64_t programs_of(const char* name, const Request& request) {
    const std::uint64_t programs = request.arguments.count("programs");
    if (programs > MaxPrograms)
        throw kernels::ArgumentError(
            fmt::format("{}: programs = '{}': expected at most {}", name, programs, MaxPrograms));
    return programs;
}

Made make_engines(const Request& request) {
    std::vector<std::uint64_t> numbers(programs_of("engines", request));
    std::iota(numbers.begin(), numbers.end(), 0);
    const Batch batch(request.target, request.seed, numbers, request.aim);
    return {batch.package(), {{"before", batch.contents()}}};
}

Made make_control(const Request& request) {
    ControlPrograms made =
        make_control_programs(request.target, request.seed, programs_of("control", request));
    return {std::move(made.package), {{"before", std::move(made.before)}}};
}

constexpr std::array Generators{
    Generator{
        "engines",
        "Tensor, Vector and Scalar engines on buffers they share, DMA between, every instruction and type",
        ProgramArguments, true, make_engines},
    Generator{"control",
              "all sequencers: loops, branches, registers, waits and updates, DMA triggered by every engine",
              ProgramArguments, false, make_control},
};

}  // namespace

std::span<const Generator> generators() {
    return Generators;
}

const Generator& find_generator(std::string_view name) {
    const auto* found = std::ranges::find(Generators, name, &Generator::name);
    if (found != Generators.end()) return *found;
    std::string names;
    for (const Generator& one : Generators) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    throw kernels::ArgumentError(fmt::format("no random programs '{}'; there are {}", name, names));
}

}  // namespace trnsim::random_programs
