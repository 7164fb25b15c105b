// Shrinks packages: random programs in which a model is said to execute one kind of instruction wrongly,
// while the interpreter accepts every candidate; and tests the folder of a subject.
#include "testbench/parity/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>

#include "arch/target/target.hpp"
#include "common/loop_kernels.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/neff/check.hpp"
#include "testbench/parity/agreement.hpp"
#include "testbench/parity/folder.hpp"
#include "testbench/parity/wrong_instruction.hpp"

namespace trnsim::test {
namespace {

using parity::Subject;

// Returns whether the interpreter runs it to its end and finds no race.
bool runs(const Subject& subject) {
    try {
        parity::interpret(subject);
        return true;
    } catch (const std::exception&) {
        return false;
    }
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
    std::size_t others = 0;  // instructions that it does not run without
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

// Branches keep their targets.
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
    EXPECT_EQ(count_of(least, isa::Opcode::Activation), 1u);  // the input of its sum is needed
    EXPECT_LT(least.transfers.size(), whole.package.transfers.size());
}

TEST(Folder, ThatIsNotWhole) {
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
