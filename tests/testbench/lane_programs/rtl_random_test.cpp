// Random programs on the Vector and Scalar engines of the verilated core in the whole system, protocol
// checkers on every socket: the engines contend for PSUM while DMA reads and writes; everything they have
// written is the interpreter's to the bit.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numeric>

#include "common/random.hpp"
#include "testbench/builder/target.hpp"
#include "testbench/functional/machine.hpp"
#include "testbench/kernels/rtl_bench.hpp"
#include "tests/testbench/lane_programs/batch.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint64_t BatchSize = 25;
constexpr std::uint64_t QuickPrograms = 100;

using Numbers = std::vector<std::uint64_t>;

// What is wrong, with the number of the program where it is known; empty: nothing.
struct Verdict {
    std::optional<std::uint64_t> program;
    std::string text;
};

// How the core rounds; the same for the programs of a batch and for one of them alone.
runtime::Rounding rounding_of(std::uint64_t number) {
    std::mt19937_64 random(seed() + number / BatchSize);
    const auto bits = random();
    return {bits % 2 != 0, static_cast<std::uint32_t>(bits >> 32)};
}

Verdict check(const config::Config& config, const Numbers& numbers) {
    const Batch batch(builder::target_of(config), seed(), numbers);
    const runtime::Rounding rounding = rounding_of(numbers.front());
    functional::Machine machine(batch.package(), {.rounding = {rounding.stochastic, rounding.seed}});
    machine.set("before", batch.contents());
    machine.run();
    Bytes want = machine.get("after");
    const Bytes& copied = machine.get("copied");
    want.insert(want.end(), copied.begin(), copied.end());
    try {
        const Bytes got = run_on_rtl(
            batch.package(), config,
            {{"before", runtime::from_device(batch.package().tensors[0], batch.contents())}}, rounding);
        const auto difference = batch.difference(got, want);
        if (!difference) return {};
        return {numbers[difference->index], difference->text + "\n" + batch.listing(difference->index)};
    } catch (const std::runtime_error& error) {
        if (numbers.size() > 1) return {std::nullopt, error.what()};
        return {numbers.front(), fmt::format("{}\n{}", error.what(), batch.listing(0))};
    }
}

TEST(RtlRandom, ProgramsLikeTheInterpreter) {
    const config::Config config = config::load("small16");
    if (const char* text = std::getenv("TRNSIM_TEST_PROGRAM")) {
        const Verdict verdict = check(config, {std::strtoull(text, nullptr, 0)});
        ASSERT_EQ(verdict.text, "") << "program " << text;
        return;
    }
    const std::uint64_t count = QuickPrograms * scale();
    for (std::uint64_t first = 0; first < count; first += BatchSize) {
        Numbers numbers(std::min(BatchSize, count - first));
        std::iota(numbers.begin(), numbers.end(), first);
        const Verdict verdict = check(config, numbers);
        if (verdict.text.empty()) continue;
        // Which of them, and whether it fails by itself too.
        for (const std::uint64_t number : verdict.program ? Numbers{*verdict.program} : numbers) {
            const Verdict alone = check(config, {number});
            if (alone.text.empty()) continue;
            FAIL() << "program " << number << " (TRNSIM_TEST_PROGRAM=" << number << "): " << alone.text;
        }
        FAIL() << "programs " << first << " to " << numbers.back() << ", none of them alone: "
               << (verdict.program ? fmt::format("program {}: ", *verdict.program) : "") << verdict.text;
    }
}

}  // namespace
}  // namespace trnsim::test
