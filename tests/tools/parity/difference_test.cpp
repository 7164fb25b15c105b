// Tests the record of a difference: the smallest part that shows it, in a folder that says how to reproduce
// it.
#include "tools/parity/difference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "common/temporary_directory.hpp"
#include "compiler/neff/neff.hpp"
#include "testbench/parity/agreement.hpp"
#include "testbench/parity/folder.hpp"
#include "testbench/parity/wrong_instruction.hpp"
#include "tools/command/command.hpp"

namespace trnsim::test {
namespace {

using parity::Subject;

// Compares as if a model could not execute `opcode`.
parity::Agreement compare_without(const Subject& subject, isa::Opcode opcode) {
    parity::interpret(subject);
    parity::Agreement agreement;
    agreement.unlike_interpreter = count_of(subject.package, opcode);
    return agreement;
}

TEST(Difference, ThePartThatShowsItIsTaken) {
    const Subject whole = programs();
    const isa::Opcode wrong = any_work(whole.package);
    std::vector<parity::MakeSubject> parts;
    for (std::uint64_t i = 0; i < Programs; ++i)
        parts.emplace_back([&whole, i] { return parity::programs(whole.config, seed(), i, i); });
    const auto compare = [&](const Subject& subject) { return compare_without(subject, wrong); };
    const Subject least = parity::shrink_difference(whole, compare(whole), parts, compare);
    const auto first = std::ranges::find_if(
        parts, [&](const parity::MakeSubject& make) { return count_of(make().package, wrong) != 0; });
    ASSERT_NE(first, parts.end());
    EXPECT_EQ(least.name, (*first)().name);
    EXPECT_EQ(count_of(least.package, wrong), 1u);
    // Differences of another kind do not count.
    parity::Agreement other;
    other.cores.bytes.emplace_back("bytes");
    EXPECT_EQ(parity::shrink_difference(whole, other, parts, compare).package.programs,
              whole.package.programs);
}

// The environment of a command; it records the calls that run the command again.
struct Calls {
    std::ostringstream out, err;
    std::vector<std::vector<std::string>> again;
    int status = command::Success;
    command::Environment environment{
        out, err, false, {}, {}, [this](const std::vector<std::string>& arguments) {
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
        parity::keep_difference(directory / "all", whole, least, {"one line", "another"}, calls.environment);
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
    calls.status = command::BadInput;
    parity::keep_difference(directory / "all", whole, least, {}, calls.environment);
    EXPECT_NE(calls.err.str().find("the rtl wave cannot be recorded"), std::string::npos);
}

}  // namespace
}  // namespace trnsim::test
