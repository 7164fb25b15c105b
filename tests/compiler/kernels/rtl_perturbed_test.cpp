// Runs every built-in kernel on the verilated core with random delays and stalls (model/perturb): the bits
// never change and every run ends. Kernels that lack a wait fail.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/random.hpp"
#include "isa/isa_tables.hpp"
#include "rtl_cases.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::test {
namespace {

// The full set has 20 shapes with 10 seeds each.
std::uint64_t shapes() {
    return std::max<std::uint64_t>(scale() / 5, 2);
}
std::uint64_t seeds() {
    return heavy_scale();
}

// Returns what is wrong with a run; empty if nothing is.
std::string verdict(const KernelCase& subject, std::uint32_t seed, const Bytes& expected) {
    try {
        const Bytes got = subject.on_rtl({}, seed);
        if (got.size() != expected.size()) return "outputs of another size";
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != expected[i];
        return wrong == 0 ? "" : fmt::format("{} of {} bytes are wrong", wrong, got.size());
    } catch (const std::exception& error) {
        return error.what();
    }
}

class RtlPerturbed : public ::testing::TestWithParam<KernelRow> {
  protected:
    void check(const config::Config& config, const std::string& arguments, std::uint64_t cases,
               std::uint64_t tries) {
        auto random = generator();
        for (std::uint64_t i = 0; i < cases; ++i) {
            const KernelCase subject(GetParam().kernel, config, choose(arguments, i, random), random);
            const Bytes expected = subject.interpreted({}, i);
            for (std::uint64_t t = 0; t < tries; ++t) {
                const auto seed = static_cast<std::uint32_t>(random() % 1'000'000);
                EXPECT_EQ(verdict(subject, seed, expected), "") << subject.name() << ", perturb " << seed;
            }
        }
    }
};

TEST_P(RtlPerturbed, BitsAreTheInterpretersOnASmallCore) {
    check(config::load("small16"), GetParam().small, shapes(), seeds());
}

// Nothing runs beside a single DMA engine.
TEST_P(RtlPerturbed, BitsAreTheInterpretersWithOneDmaEngine) {
    config::Config config = config::load("small16");
    config.name = "small16 with one DMA engine";
    config.dma.engines = 1;
    check(config, GetParam().small, std::max<std::uint64_t>(shapes() / 10, 1),
          std::max<std::uint64_t>(seeds() / 2, 1));
}

TEST_P(RtlPerturbed, BitsAreTheInterpretersOnTheFullCore) {
    if (scale() == 1 && GetParam().kernel != "matmul") GTEST_SKIP() << "in the full set";
    check(config::load("trn1"), GetParam().full, 1, 1);
}

INSTANTIATE_TEST_SUITE_P(, RtlPerturbed, ::testing::ValuesIn(kernel_rows()),
                         [](const ::testing::TestParamInfo<KernelRow>& info) { return info.param.kernel; });

struct InstructionId {
    std::size_t engine, index;
};

// Returns the waits that order something on the core; waits before halt do not.
std::vector<InstructionId> waits(const neff::Package& package) {
    std::vector<InstructionId> all;
    for (std::size_t engine = 0; engine < neff::EngineCount; ++engine) {
        const auto& program = package.programs[engine];
        for (std::size_t i = 0; i + 2 < program.size(); ++i)
            if (program[i].get(isa::field::WaitMode) != 0) all.push_back({engine, i});
    }
    return all;
}

// Returns a seed that shows in a run that the wait is missing.
std::optional<std::uint32_t> found_by(const KernelCase& broken, const Bytes& expected, std::uint32_t tries) {
    for (std::uint32_t seed = 0; seed < tries; ++seed)
        if (!verdict(broken, seed, expected).empty()) return seed;
    return std::nullopt;
}

// Returns whether the interpreter finds accesses that need an order and have none.
bool races(const neff::Package& package) {
    functional::Interpreter machine(package);
    try {
        machine.run();
        return false;
    } catch (const functional::Error&) {
        return true;
    }
}

// Removes waits one at a time; only those count that the interpreter reports as missing.
TEST(RtlPerturbedFaults, AMissingWaitIsFound) {
    constexpr std::uint32_t Tries = 20;
    const std::pair<const char*, KernelArguments> kernels[] = {
        {"matmul", {{"M", "40"}, {"K", "70"}, {"N", "300"}}},
        {"attention", {{"seq", "37"}, {"dim", "21"}}},
        {"layernorm_backward", {{"rows", "37"}, {"cols", "45"}}}};
    auto random = generator();
    config::Config config = config::load("small16");
    config.dma.engines = 1;
    std::size_t found = 0, all = 0;
    for (const auto& [kernel, arguments] : kernels) {
        const KernelCase sound(kernel, config, arguments, random);
        const Bytes expected = sound.interpreted();
        for (std::uint32_t seed = 0; seed < Tries; ++seed) ASSERT_EQ(verdict(sound, seed, expected), "");
        std::vector<InstructionId> places = waits(sound.package);
        std::ranges::shuffle(places, random);
        places.resize(std::min<std::size_t>(places.size(), 4 * heavy_scale()));
        for (const InstructionId& place : places) {
            KernelCase broken = sound;
            broken.package.programs[place.engine][place.index].set(isa::field::WaitMode, 0);
            if (!races(broken.package)) continue;
            const auto seed = found_by(broken, expected, Tries);
            ++all;
            found += seed.has_value();
            std::printf("%s: %s instruction %zu without its wait: %s\n", kernel,
                        std::string(name_of(static_cast<isa::Engine>(place.engine))).c_str(), place.index,
                        seed ? fmt::format("perturb {}", *seed).c_str() : "not found");
        }
    }
    std::printf("%zu of %zu missing waits were found\n", found, all);
    EXPECT_GE(all, 8u);
    EXPECT_GT(found * 2, all);  // about three quarters; with few waits the share depends on the seed
}

}  // namespace
}  // namespace trnsim::test
