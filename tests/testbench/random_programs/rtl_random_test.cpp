// Runs random programs on the engines of the verilated core in the whole system, with protocol checkers on
// every socket: Vector and Scalar contend for PSUM, Vector and GpSimd for SBUF, while DMA reads, writes and
// loads GpSimd's microcode; everything they write equals the interpreter's results to the bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "arch/target/target.hpp"
#include "common/random.hpp"
#include "compiler/kernels/rtl_bench.hpp"
#include "testbench/coverage/collector.hpp"
#include "testbench/coverage/report.hpp"
#include "testbench/functional/interpreter.hpp"
#include "testbench/random_programs/batch.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint64_t BatchSize = 25;

using random_programs::Batch;
using Numbers = std::vector<std::uint64_t>;

// The failure, with the number of the program if it is known; the text is empty if there is none.
struct Verdict {
    std::optional<std::uint64_t> program;
    std::string text;
};

// Returns the rounding of the core; it is the same for the programs of a batch and for one of them alone.
runtime::Rounding rounding_of(std::uint64_t number) {
    std::mt19937_64 random(seed() + number / BatchSize);
    const auto bits = random();
    return {bits % 2 != 0, static_cast<std::uint32_t>(bits >> 32)};
}

// Returns the seed of delays and stalls, chosen as in rounding_of().
tlm::perturb::Seed perturb_of(std::uint64_t number) {
    std::mt19937_64 random(~(seed() + number / BatchSize));
    return static_cast<std::uint32_t>(random() % 1'000'000);
}

// Returns the bins of the plan that a batch has not executed.
std::string missing(const coverage::Plan& plan, const coverage::Collector& executed) {
    const coverage::Report report = coverage::make_report(plan, executed.hits());
    return report.hit == report.bins ? "" : coverage::to_text(report, 3);
}

// The instructions must hit every bin of `plan`.
Verdict check(const config::Config& config, const Numbers& numbers, bool perturbed,
              const coverage::Plan& plan = {}) {
    const runtime::Rounding rounding = rounding_of(numbers.front());
    const target::Core target = target::of(config);
    coverage::Collector found(plan, target, rounding.stochastic), executed = found;
    random_programs::Aim aim;
    if (plan.combinations != 0) {
        aim = [&found](isa::Engine engine, const isa::Instruction& instruction) {
            return found.adds(engine, instruction);
        };
    }
    const Batch batch(target, seed(), numbers, aim);
    functional::Options options = functional::in_order(numbers.front(), {rounding.stochastic, rounding.seed});
    options.executed = std::ref(executed);
    functional::Interpreter machine(batch.package(), options);
    machine.set("before", batch.contents());
    machine.run();
    if (const std::string text = missing(plan, executed); !text.empty()) return {std::nullopt, text};
    Bytes want = machine.get("after");
    const Bytes& copied = machine.get("copied");
    want.insert(want.end(), copied.begin(), copied.end());
    try {
        const Bytes got =
            run_on_rtl(batch.package(), config,
                       {{"before", loader::from_device(batch.package().tensors[0], batch.contents())}},
                       rounding, perturbed ? perturb_of(numbers.front()) : std::nullopt);
        const auto difference = batch.difference(got, want);
        if (!difference) return {};
        return {numbers[difference->index], difference->text + "\n" + batch.listing(difference->index)};
    } catch (const std::runtime_error& error) {
        if (numbers.size() > 1) return {std::nullopt, error.what()};
        return {numbers.front(), fmt::format("{}\n{}", error.what(), batch.listing(0))};
    }
}

// A range that includes both ends.
struct Range {
    std::uint64_t first, last;

    Numbers numbers() const {
        Numbers all(last - first + 1);
        std::iota(all.begin(), all.end(), first);
        return all;
    }
    std::string text() const {
        return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    }
};

// Returns ranges that may reproduce a failure of a batch, shortest first: the program alone, then with more
// and more of the programs before it, which leave accumulators, masks and generators; at last the whole
// batch.
std::vector<Range> smaller(const Range& batch, const Verdict& verdict) {
    std::vector<Range> ranges;
    if (verdict.program) {
        const std::uint64_t last = *verdict.program;
        for (std::uint64_t before = 0; before < last - batch.first; before = 2 * before + 1)
            ranges.push_back({last - before, last});
        ranges.push_back({batch.first, last});
    } else {
        for (std::uint64_t number = batch.first; number <= batch.last; ++number)
            ranges.push_back({number, number});
    }
    ranges.push_back(batch);
    return ranges;
}

void check_programs(const std::string& config_name, std::uint64_t count, bool perturbed = false) {
    const config::Config config = config::load(config_name);
    if (const char* text = std::getenv("TRNSIM_TEST_PROGRAM")) {
        char* end = nullptr;
        const std::uint64_t first = std::strtoull(text, &end, 0);
        const Range range{first, *end == '-' ? std::strtoull(end + 1, nullptr, 0) : first};
        ASSERT_LE(range.first, range.last) << "TRNSIM_TEST_PROGRAM is a number or a range like 3-9";
        const Verdict verdict = check(config, range.numbers(), perturbed);
        if (!verdict.text.empty()) FAIL() << "programs " << range.text() << ": " << verdict.text;
        return;
    }
    for (std::uint64_t first = 0; first < count; first += BatchSize) {
        const Range batch{first, std::min(first + BatchSize, count) - 1};
        const Verdict verdict = check(config, batch.numbers(), perturbed);
        if (verdict.text.empty()) continue;
        for (const Range& range : smaller(batch, verdict)) {
            const Verdict again = check(config, range.numbers(), perturbed);
            if (again.text.empty()) continue;
            FAIL() << "TRNSIM_TEST_PROGRAM=" << range.text() << ": program "
                   << (again.program ? std::to_string(*again.program) : range.text()) << ": " << again.text;
        }
        FAIL() << "programs " << batch.text() << ", not again: " << verdict.text;
    }
}

TEST(RtlRandom, ProgramsOnASmallCore) {
    check_programs("small16", 100 * scale());
}

TEST(RtlRandom, ProgramsOnTheFullCore) {
    check_programs("trn1", 10 * scale());
}

// Tests all twelve commands on tensors that cross cores, in partitions that begin and end within a core.
TEST(RtlRandom, EveryCommandOfGpsimdOnTheFullCore) {
    const coverage::Plan plan =
        coverage::only(coverage::read_plan(TRNSIM_PLAN),
                       {"partitions of GpSimd", "cores with partitions of a command", "cores of GpSimd"});
    const Verdict verdict = check(config::load("trn1"), Range{0, 7}.numbers(), false, plan);
    EXPECT_EQ(verdict.text, "");
}

// Runs programs with random delays and stalls. They take several times as long, because the clock runs while
// anything is held back.
TEST(RtlRandom, PerturbedProgramsOnASmallCore) {
    check_programs("small16", std::max<std::uint64_t>(50, 20 * scale()), true);
}

TEST(RtlRandom, PerturbedProgramsOnTheFullCore) {
    check_programs("trn1", std::max<std::uint64_t>(5, scale()), true);
}

}  // namespace
}  // namespace trnsim::test
