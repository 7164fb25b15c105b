// Differences that are shrunk: random programs with one instruction that a model is said to do wrong, found by the rest of the world
// as the interpreter sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "arch/target/target.hpp"
#include "common/loop_kernels.hpp"
#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/neff/check.hpp"
#include "compiler/neff/neff.hpp"
#include "testbench/parity/agreement.hpp"
#include "testbench/parity/folder.hpp"
#include "testbench/parity/shrink.hpp"
#include "testbench/parity/subjects.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/parity_difference.hpp"

namespace trnsim::test {
namespace {

using parity::Subject;

constexpr std::uint64_t Programs = 3;

// The instructions of the engines' own.
std::vector<isa::Instruction> work_of(const neff::Package& package) {
    std::vector<isa::Instruction> work;
    for (const auto& program : package.programs) {
        for (const isa::Instruction& instruction : program)
            if (instruction.opcode() > isa::Opcode::RegisterStore) work.push_back(instruction);
    }
    return work;
}

std::size_t count_of(const neff::Package& package, isa::Opcode opcode) {
    const std::vector<isa::Instruction> work = work_of(package);
    return static_cast<std::size_t>(std::ranges::count(work, opcode, &isa::Instruction::opcode));
}

// The interpreter runs it to its end and finds no race.
bool runs(const Subject& subject) {
    try {
        parity::interpret(subject);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

Subject programs() {
    return parity::programs(config::load("small16"), seed(), 0, Programs - 1);
}

// As if a model could not do `opcode`.
cli::Agreement compare_without(const Subject& subject, isa::Opcode opcode) {
    parity::interpret(subject);
    cli::Agreement agreement;
    agreement.unlike_interpreter = count_of(subject.package, opcode);
    return agreement;
}

// One of the kinds there are, by the seed.
isa::Opcode any_work(const neff::Package& package) {
    const std::vector<isa::Instruction> work = work_of(package);
    return work[seed() % work.size()].opcode();
}

TEST(Shrink, OneInstructionIsLeft) {
    const Subject whole = programs();
    const isa::Opcode wrong = any_work(whole.package);
    Subject candidate = whole;
    const neff::Package least = parity::shrink(whole.package, [&](const neff::Package& package) {
        candidate.package = package;
        return count_of(package, wrong) != 0 && runs(candidate);
    });
    EXPECT_NO_THROW(neff::check(least));
    candidate.package = least;
    EXPECT_TRUE(runs(candidate));
    EXPECT_EQ(count_of(least, wrong), 1u);
    std::size_t others = 0;  // that it does not run without
    for (const isa::Instruction& instruction : work_of(least))
        if (instruction.opcode() != wrong) ++others;
    EXPECT_LE(others, 3u);
    EXPECT_LT(parity::instructions_of(least), parity::instructions_of(whole.package) / 4);
    EXPECT_LT(least.transfers.size(), whole.package.transfers.size() / 4);
}

TEST(Shrink, NothingIsTakenOutThatMatters) {
    const Subject whole = programs();
    const auto is_whole = [&](const neff::Package& package) {
        return work_of(package) == work_of(whole.package) &&
               package.transfers.size() == whole.package.transfers.size();
    };
    const neff::Package least = parity::shrink(whole.package, is_whole);
    EXPECT_TRUE(is_whole(least));
}

// Branches go where they went.
TEST(Shrink, LoopsStay) {
    const config::Config config = config::load("small16");
    const Subject whole = parity::subject_of("loop", config, softmax_loop(target::of(config), {}), seed());
    Subject candidate = whole;
    const neff::Package least = parity::shrink(whole.package, [&](const neff::Package& package) {
        candidate.package = package;
        return count_of(package, isa::Opcode::Reciprocal) != 0 && runs(candidate);
    });
    candidate.package = least;
    EXPECT_TRUE(runs(candidate));
    EXPECT_EQ(count_of(least, isa::Opcode::Reciprocal), 1u);
    EXPECT_EQ(count_of(least, isa::Opcode::Activation), 1u);  // its sum has to be of something
    EXPECT_LT(least.transfers.size(), whole.package.transfers.size());
}

TEST(Difference, ThePartThatShowsItIsTaken) {
    const Subject whole = programs();
    const isa::Opcode wrong = any_work(whole.package);
    std::vector<cli::MakeSubject> parts;
    for (std::uint64_t i = 0; i < Programs; ++i)
        parts.emplace_back([&whole, i] { return parity::programs(whole.config, seed(), i, i); });
    const auto compare = [&](const Subject& subject) { return compare_without(subject, wrong); };
    const Subject least = cli::shrink_difference(whole, compare(whole), parts, compare);
    const auto first = std::ranges::find_if(
        parts, [&](const cli::MakeSubject& make) { return count_of(make().package, wrong) != 0; });
    ASSERT_NE(first, parts.end());
    EXPECT_EQ(least.name, (*first)().name);
    EXPECT_EQ(count_of(least.package, wrong), 1u);
    // Differences of another kind are none.
    cli::Agreement other;
    other.cores.bytes.emplace_back("bytes");
    EXPECT_EQ(cli::shrink_difference(whole, other, parts, compare).package.programs, whole.package.programs);
}

// The environment of a command that records how it is called again.
struct Calls {
    std::ostringstream out, err;
    std::vector<std::vector<std::string>> again;
    int status = cli::Success;
    cli::Environment environment{out, err, false, {}, {}, [this](const std::vector<std::string>& arguments) {
                                     again.push_back(arguments);
                                     return status;
                                 }};
};

TEST(Difference, IsKeptInAFolder) {
    const TemporaryDirectory directory;
    const Subject whole = programs();
    const Subject least = parity::programs(whole.config, seed(), 1, 1);
    Calls calls;
    const std::filesystem::path folder =
        cli::keep_difference(directory / "all", whole, least, {"one line", "another"}, calls.environment);
    EXPECT_EQ(folder.parent_path(), directory / "all");
    const Subject again = parity::read_subject(folder);
    EXPECT_EQ(neff::serialise(again.package), neff::serialise(least.package));
    EXPECT_EQ(config::show(again.config), config::show(least.config));
    EXPECT_EQ(again.rounding.stochastic, least.rounding.stochastic);
    EXPECT_EQ(again.rounding.seed, least.rounding.seed);
    ASSERT_EQ(again.inputs.size(), least.inputs.size());
    for (const auto& [name, array] : least.inputs) EXPECT_EQ(again.inputs.at(name).data, array.data) << name;
    ASSERT_EQ(calls.again.size(), 2u);
    for (const auto& [call, wave] : {std::pair{0, "rtl.fst"}, {1, "fast.fst"}}) {
        const auto& arguments = calls.again[static_cast<std::size_t>(call)];
        EXPECT_NE(std::ranges::find(arguments, (folder / wave).string()), arguments.end());
        EXPECT_NE(std::ranges::find(arguments, (folder / "kernel.neff").string()), arguments.end());
    }
    std::ifstream stream(folder / "difference.txt");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (const char* part : {"    one line\n", "    another\n", "trnsim parity ", "--fidelity rtl"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(calls.err.str(), "");
    calls.status = cli::BadInput;
    cli::keep_difference(directory / "all", whole, least, {}, calls.environment);
    EXPECT_NE(calls.err.str().find("the rtl wave cannot be recorded"), std::string::npos);
}

TEST(Difference, FoldersThatAreNotWhole) {
    const TemporaryDirectory directory;
    const Subject subject = parity::programs(config::load("small16"), seed(), 0, 0);
    const auto message = [&] {
        return message_of<std::exception>([&] { parity::read_subject(directory / ""); });
    };
    EXPECT_NE(message().find("config.yaml"), std::string::npos) << message();
    parity::write_subject(directory / "", subject);
    EXPECT_EQ(message(), "");
    for (const char* text :
         {"", "{}", R"({"stochastic": 1, "seed": 1})", R"({"stochastic": true, "seed": "a"})"}) {
        std::ofstream(directory / "rounding.json") << text;
        EXPECT_NE(message().find("rounding.json: expected"), std::string::npos) << text;
    }
    parity::write_subject(directory / "", subject);
    std::filesystem::remove(directory / "before.npy");
    EXPECT_NE(message().find("before.npy"), std::string::npos);
}

}  // namespace
}  // namespace trnsim::test
