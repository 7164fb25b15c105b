// Tests the comparison with the interpreter and with expected outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "arch/config/config.hpp"
#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "base/jobs/process.hpp"
#include "base/npy/npy.hpp"
#include "common/sample_package.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/neff/neff.hpp"
#include "session.hpp"
#include "tools/cli/app.hpp"

namespace trnsim::cli {
namespace {

TEST(RunCommand, CheckComparesWithTheInterpreter) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run() + Arguments{"--check"};
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("check              outputs equal to the interpreter's bit for bit, no races"),
              std::string::npos)
        << trnsim.out;
}

TEST(RunCommand, CheckTakesImagesOfCustomOperators) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    neff::Package package = test::sample_package();
    package.images = {{"relu", files::read(TRNSIM_FIRMWARE_IMAGES "/relu.gpsimd")}};
    neff::write(trnsim.path("k.neff"), package);
    EXPECT_EQ(trnsim(run + Arguments{"--check"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("outputs equal to the interpreter's"), std::string::npos) << trnsim.out;
    EXPECT_EQ(trnsim({"info", trnsim.path("k.neff")}), 0);
    EXPECT_NE(trnsim.out.find("  image              relu: relu, "), std::string::npos) << trnsim.out;
}

TEST(RunCommand, CheckFindsAWrongBit) {
    test::Session trnsim;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.invert_bits(); };
    const Arguments run = trnsim.sample_run();
    std::filesystem::remove(trnsim.path("y.npy"));
    EXPECT_EQ(trnsim(run + Arguments{"--check"}), 1);
    EXPECT_EQ(trnsim.err.find("trnsim: output y: "), 0u) << trnsim.err;
    EXPECT_FALSE(std::filesystem::exists(trnsim.path("y.npy"))) << "wrong bits are no output";
}

TEST(RunCommand, OwnKernelsAreChecked) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(trnsim(run), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("; --no-check leaves it out\n"), std::string::npos) << trnsim.out;
    EXPECT_EQ(trnsim(run + Arguments{"--no-check"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("  check              none, as --no-check says\n"), std::string::npos)
        << trnsim.out;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.invert_bits(); };
    EXPECT_EQ(trnsim(run), 1);
    EXPECT_EQ(trnsim.err.find("trnsim: output y: 4 of 32 elements differ"), 0u) << trnsim.err;
    EXPECT_NE(
        trnsim.err.find("; written by transfer 1 'store y'; moved from a [0, 0] by transfer 0 'load a'\n"),
        std::string::npos)
        << trnsim.err;
    EXPECT_EQ(trnsim(run + Arguments{"--no-check"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim(run + Arguments{"--check", "--no-check"}), 2);
}

// Commands that show how a kernel runs check none, and nobody has said --no-check.
TEST(RunCommand, OnlyNoCheckIsQuoted) {
    test::Session trnsim;
    Arguments arguments = trnsim.sample_run();
    for (const char* command : {"profile", "wave"}) {
        arguments[0] = command;
        if (arguments[0] == "wave") arguments = arguments + Arguments{"-o", trnsim.path("w.fst")};
        EXPECT_EQ(trnsim(arguments), 0) << trnsim.err;
        EXPECT_EQ(trnsim.out.find("no-check"), std::string::npos) << command << ": " << trnsim.out;
        EXPECT_EQ(trnsim.out.find("  check "), std::string::npos) << command << ": " << trnsim.out;
    }
}

TEST(RunCommand, BuiltInKernelsAreCheckedOnDemand) {
    test::Session trnsim;
    ASSERT_EQ(trnsim({"kernel", "build", "cast", "--rows", "4", "--cols", "4", "-o", trnsim.path("c.neff")}),
              0);
    const Arguments run{"run", trnsim.path("c.neff"), "--random-inputs", "1"};
    trnsim(run);  // the machine without time computes nothing
    EXPECT_EQ(trnsim.err.find("differ from the interpreter's"), std::string::npos) << trnsim.err;
    trnsim(run + Arguments{"--check"});
    EXPECT_NE(trnsim.err.find("differ from the interpreter's"), std::string::npos) << trnsim.err;
    neff::Package package = neff::read(trnsim.path("c.neff"));
    package.origin.builder = "0.0.0";
    neff::write(trnsim.path("c.neff"), package);
    trnsim(run);
    EXPECT_NE(trnsim.err.find("differ from the interpreter's"), std::string::npos) << "of another version";
}

TEST(RunCommand, ExpectedOutputsAreCompared) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    std::vector<float> values(32);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const auto write = [&](const std::string& name, const auto& numbers, npy::Type type) {
        npy::Array array{type, {4, 8}, std::vector<std::uint8_t>(numbers.size() * sizeof numbers[0])};
        std::memcpy(array.data.data(), numbers.data(), array.data.size());
        npy::write(trnsim.path(name), array);
        return "y=" + trnsim.path(name);
    };
    write("a.npy", values, npy::Type::F4);
    const auto expect = [&](const std::string& reference, const Arguments& options = {}) {
        return trnsim(run + Arguments{"--expect", reference} + options);
    };
    EXPECT_EQ(expect(write("r.npy", values, npy::Type::F4)), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("  expected           y as expected (rtol 1e-05, atol 1e-08)\n"),
              std::string::npos)
        << trnsim.out;
    std::vector<double> doubles(values.begin(), values.end());
    EXPECT_EQ(expect(write("d.npy", doubles, npy::Type::F8)), 0) << trnsim.err;
    doubles[9] += 0.5;
    doubles[12] -= 2;
    doubles[20] = NAN;
    const std::string wrong = write("w.npy", doubles, npy::Type::F8);
    EXPECT_EQ(expect(wrong), 1);
    EXPECT_EQ(
        trnsim.err,
        "trnsim: output y: 3 of 32 elements beyond the tolerance, worst [2, 4]: 20, expected nan "
        "(difference nan, allowed nan); written by transfer 1 'store y'; moved from a [2, 4] by transfer "
        "0 'load a'\n");
    EXPECT_TRUE(std::filesystem::exists(trnsim.path("y.npy"))) << "to be looked at";
    doubles[20] = 20;
    write("w.npy", doubles, npy::Type::F8);
    EXPECT_EQ(expect(wrong, {"--rtol", "0", "--atol", "0.25"}), 1);
    EXPECT_EQ(
        trnsim.err,
        "trnsim: output y: 2 of 32 elements beyond the tolerance, worst [1, 4]: 12, expected 10 "
        "(difference 2, allowed 0.25); written by transfer 1 'store y'; moved from a [1, 4] by transfer "
        "0 'load a'\n");
    EXPECT_EQ(expect(wrong, {"--no-check"}), 1);
    EXPECT_TRUE(trnsim.err.ends_with("; written by transfer 1 'store y'\n")) << "nothing is interpreted";
    EXPECT_EQ(expect(wrong, {"--rtol", "0.15", "--atol", "0"}), 1);
    EXPECT_NE(trnsim.err.find("1 of 32 elements beyond"), std::string::npos) << trnsim.err;
    EXPECT_EQ(expect(wrong, {"--rtol", "0.2"}), 0) << trnsim.err;
    EXPECT_EQ(expect(wrong, {"--atol", "2"}), 0) << trnsim.err;
}

TEST(RunCommand, ExpectationsHaveTheOutputsShape) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    npy::write(trnsim.path("r.npy"), {npy::Type::F4, {8, 4}, std::vector<std::uint8_t>(128)});
    npy::write(trnsim.path("v.npy"), {npy::Type::V2, {4, 8}, std::vector<std::uint8_t>(64)});
    const auto error = [&](const Arguments& options) {
        EXPECT_EQ(trnsim(run + options), 2);
        return trnsim.err;
    };
    EXPECT_EQ(error({"--expect", "y=" + trnsim.path("r.npy")}),
              "trnsim: --expect y: shape 8x4, expected 4x8\n");
    EXPECT_EQ(error({"--expect", "y=" + trnsim.path("v.npy")}),
              "trnsim: --expect y: array of <V2, expected numbers or raw fp32\n");
    EXPECT_EQ(error({"--expect", "z=" + trnsim.path("r.npy")}),
              "trnsim: kernel 'sample' has no output 'z'; its outputs: y\n");
    EXPECT_EQ(error({"--rtol", "1"}), "trnsim: --rtol: expected --expect with it\n");
    EXPECT_EQ(error({"--expect", "y=" + trnsim.path("a.npy"), "--atol", "-1"}),
              "trnsim: --atol -1: expected a number from 0\n");
}

// The sample kernel with an instruction: y = a + a, from line 7.
neff::Package doubled() {
    neff::Package package = test::sample_package_with_sources();
    const auto operand = [](const isa::Field& address, const isa::Field& dtype, const isa::Field& step,
                            isa::Instruction& instruction) {
        instruction.set(address, 0x100).set(dtype, isa::Dtype::Fp32).set_signed(step, 1);
    };
    isa::Instruction add(isa::Opcode::TensorTensor);
    operand(isa::field::DstAddr, isa::field::DstDtype, isa::field::DstStep0, add);
    operand(isa::field::AAddr, isa::field::ADtype, isa::field::AStep0, add);
    operand(isa::field::BAddr, isa::field::BDtype, isa::field::BStep0, add);
    add.set(isa::field::Partitions, 4).set(isa::field::Count0, 8).set(isa::field::Op0, isa::AluOp::Add);
    for (const isa::Field* count : {&isa::field::Count1, &isa::field::Count2, &isa::field::Count3})
        add.set(*count, 1);
    add.set(isa::field::UpdateMode, isa::UpdateMode::Add).set(isa::field::UpdateSem, 5);
    add.set(isa::field::UpdateValue, 1);
    auto& vector = package.programs[static_cast<std::size_t>(isa::Engine::Vector)];
    vector.insert(vector.begin() + 1, add);
    package.sources.of[static_cast<std::size_t>(isa::Engine::Vector)] = {2, 2, 0};
    auto& sync = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
    sync[1] = test::wait_for(5, 1);
    return package;
}

TEST(RunCommand, AWrongElementNamesTheInstructionThatComputesIt) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    neff::write(trnsim.path("k.neff"), doubled());
    EXPECT_EQ(trnsim(run), 1) << "the machine without time computes nothing";
    const std::string origin =
        "; written by transfer 1 'store y' at kernel.cpp:15; computed by vector instruction 1 "
        "[tensor_tensor ";
    EXPECT_NE(trnsim.err.find(origin), std::string::npos) << trnsim.err;
    EXPECT_TRUE(trnsim.err.ends_with("] at lib/helper.hpp:7\n")) << trnsim.err;
    npy::Array ones{npy::Type::F4, {4, 8}, std::vector<std::uint8_t>(128, 0x3f)};
    npy::write(trnsim.path("ones.npy"), ones);
    trnsim(run + Arguments{"--expect", "y=" + trnsim.path("ones.npy")});
    EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 2) << trnsim.err;
    EXPECT_NE(trnsim.err.rfind(origin), trnsim.err.find(origin)) << "in both lines: " << trnsim.err;
}

TEST(WhereCommand, FollowsAnElementToTheInstructionAndItsOperands) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    neff::write(trnsim.path("k.neff"), doubled());
    const Arguments where{"where", trnsim.path("k.neff"), "--input", "a=" + trnsim.path("a.npy")};
    EXPECT_EQ(trnsim(where + Arguments{"y[2,4]"}), 0) << trnsim.err;
    for (const char* part :
         {"y[2,4] of sample: ",
          ("  written by   transfer 1 'store y' at kernel.cpp:15, from sbuf[2+0x110], triggered by sync in "
           "cycle "),
          "  computed by  vector instruction 1 [tensor_tensor ", "] at lib/helper.hpp:7\n",
          "  there        sbuf[2+0x110], element 4 of 8 in its partition\n", "  cycle        ",
          "  from         a sbuf[2+0x110]: ", ", written by transfer 0 'load a' at kernel.cpp:12\n",
          "               b sbuf[2+0x110]: "})
        EXPECT_NE(trnsim.out.find(part), std::string::npos) << part << "\n" << trnsim.out;
    const std::pair<const char*, const char*> refused[] = {
        {"z[0,0]", "element z[0,0]: kernel 'sample' has no tensor 'z'; its tensors: a y scratch"},
        {"y[4,0]", "element y[4,0]: found '4', expected 0 to 3"},
        {"y[-1,0]", "element y[-1,0]: found '-1', expected 0 to 3"},
        {"y[1]", "element y[1]: expected an index for each axis of y, 4x8, such as y[0, 0]"},
        {"y", "element y: expected an index for each axis of y, 4x8, such as y[0, 0]"},
        {"a[0,0]", "element a[0,0]: an input, which nothing writes, expected one of y"}};
    for (const auto& [element, expected] : refused) {
        EXPECT_EQ(trnsim(where + Arguments{element}), 2);
        EXPECT_EQ(trnsim.err, std::string("trnsim: ") + expected + "\n");
    }
    EXPECT_EQ(trnsim(where + Arguments{"y[0,0]", "--output", "y=" + trnsim.path("o.npy")}), 2);
    EXPECT_EQ(trnsim(where + Arguments{"scratch[3]"}), 1);
    EXPECT_EQ(trnsim.err, "trnsim: scratch[3]: nothing writes it\n");
}

// y = a, then 2 is added to it: both parts have their rows, further to the right.
TEST(WhereCommand, FollowsACombinationToBothOfItsSources) {
    test::Session trnsim;
    trnsim.sample_run();
    builder::KernelBuilder k("combined", "", target::of(config::load("small16")));
    const auto a = k.tensor("a", neff::TensorKind::Input, isa::Dtype::Fp32, {4, 8});
    const auto y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {4, 8});
    const builder::Tile moved = k.sbuf(4, isa::Dtype::Fp32, {8}), sum = k.sbuf(4, isa::Dtype::Fp32, {8}),
                        never = k.sbuf(4, isa::Dtype::Fp32, {8});
    const auto q = k.queue("q");
    k.load(q, moved, a);
    k.store(q, y, moved);
    k.memset(sum, 2.0f);
    k.combine(q, y, isa::AluOp::Add, sum);
    const auto z = k.tensor("z", neff::TensorKind::Output, isa::Dtype::Fp32, {4, 8});
    k.store(q, z, never);
    neff::write(trnsim.path("c.neff"), k.finish());
    // On a chip: the machine without time does not combine. SystemC elaborates once, so each is in a child.
    const auto where = [&](const Arguments& more) {
        const jobs::Outcome outcome = jobs::run({.work = [&] {
            std::ostringstream out, err;
            const int status =
                run(Arguments{"where", trnsim.path("c.neff"), "--fidelity", "fast", "--input",
                              "a=" + trnsim.path("a.npy")} +
                        more,
                    {.out = out, .err = err, .machine = runtime::make_chip, .open = {}, .again = {}});
            return std::to_string(status) + "\n" + out.str() + err.str();
        }});
        EXPECT_TRUE(outcome.returned()) << outcome.explanation();
        return outcome.text;
    };
    const std::string text = where({"y[2,4]"});
    std::size_t at = 0;
    for (const char* part : {"0\ny[2,4] of combined: ", "\n  combined by  transfer 2 'store y",
                             ", add of what it moves and what was there", "\n  moved        sbuf[2+0x",
                             ": 0x40000000 (2)\n", "\n    computed by  vector instruction ", "[memset ",
                             "\n  before       y [2, 4]: ", "\n    written by   transfer 1 'store y",
                             "\n    written by   transfer 0 'load a",
                             "\n    value        that of a [2, 4]; no instruction computes it\n"}) {
        at = text.find(part, at);
        ASSERT_NE(at, std::string::npos) << part << "\n" << text;
    }
    const std::string unwritten = where({"z[2,4]"});
    EXPECT_NE(unwritten.find(" holds: nothing has written it\n"), std::string::npos) << unwritten;
    const std::string limited = where({"y[2,4]", "--max-work", "1"});
    EXPECT_TRUE(limited.starts_with("1\ntrnsim: ")) << limited;
    EXPECT_TRUE(limited.ends_with("no end within the work of 1 elements (max_work)\n")) << limited;
}

TEST(CheckCommand, LooksAtTheKernelAndAtTheBits) {
    test::Session trnsim;
    trnsim.sample_run();
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff")}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("outputs equal to the interpreter's bit for bit, no races"), std::string::npos)
        << trnsim.out;
    EXPECT_NE(trnsim.out.find("random inputs      a (seed 0)"), std::string::npos) << trnsim.out;
    trnsim.prepare = [](test::FakeMachine& machine) { machine.invert_bits(); };
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff")}), 1);
    EXPECT_NE(trnsim.err.find("differ from the interpreter's"), std::string::npos) << trnsim.err;
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff"), "--no-rtl"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out,
              trnsim.path("k.neff") +
                  ": no races, deadlocks or reads of unwritten bytes (orders 1, 2); not run on the RTL\n");
}

// Without the RTL the interpreter's outputs are written, in the same types.
TEST(CheckCommand, WritesTheInterpretersOutputsWithoutTheRtl) {
    test::Session trnsim;
    trnsim.sample_run();
    const std::string file = trnsim.path("z.npy");
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff"), "--no-rtl", "--input", "a=" + trnsim.path("a.npy"),
                      "--output", "y=" + file}),
              0)
        << trnsim.err;
    EXPECT_NE(trnsim.out.find("  output y           " + file + "\n"), std::string::npos) << trnsim.out;
    EXPECT_EQ(npy::read(file).data, npy::read(trnsim.path("a.npy")).data) << "the sample copies";
}

// A kernel that never ends is stopped by the limit of work, or by the simulated time, with its instruction.
TEST(CheckCommand, EndsWithoutAnEnd) {
    test::Session trnsim;
    trnsim.sample_run();
    neff::Package package = test::sample_package_with_sources();
    package.programs[static_cast<std::size_t>(isa::Engine::Vector)] = {isa::Instruction(isa::Opcode::Nop),
                                                                       isa::Instruction(isa::Opcode::Branch),
                                                                       isa::Instruction(isa::Opcode::Halt)};
    package.sources.of[static_cast<std::size_t>(isa::Engine::Vector)] = {2, 2, 0};
    neff::write(trnsim.path("k.neff"), package);
    const auto error = [&](const Arguments& options) {
        EXPECT_EQ(trnsim(Arguments{"check", trnsim.path("k.neff")} + options), 1);
        EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 1) << trnsim.err;
        return trnsim.err;
    };
    EXPECT_TRUE(
        error({"--max-work", "100000"})
            .ends_with(" at lib/helper.hpp:7: no end within the work of 100000 elements (max_work)\n"))
        << trnsim.err;
    EXPECT_TRUE(error({"--max-time", "1 us"})
                    .ends_with(" at lib/helper.hpp:7: no end within 2800 cycles of the core (max_time)\n"))
        << trnsim.err;
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff"), "--max-work", "0"}), 2);
    EXPECT_EQ(trnsim.err, "trnsim: --max-work 0: expected a whole number from 1\n");
}

TEST(CheckCommand, NamesTheLinesOfARace) {
    test::Session trnsim;
    trnsim.sample_run();
    neff::Package package = test::sample_package_with_sources();
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)][1] = isa::Instruction(isa::Opcode::Nop);
    neff::write(trnsim.path("k.neff"), package);
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff")}), 1);
    EXPECT_EQ(trnsim.out, "");
    EXPECT_NE(trnsim.err.find("transfer 1 'store y' at kernel.cpp:15: race: a read of sbuf["),
              std::string::npos)
        << trnsim.err;
    EXPECT_NE(trnsim.err.find("transfer 0 'load a' at kernel.cpp:12\n"), std::string::npos) << trnsim.err;
    EXPECT_EQ(std::ranges::count(trnsim.err, '\n'), 1) << "once, not once a DMA engine: " << trnsim.err;
}

TEST(CheckCommand, NamesTheLineOfADeadlock) {
    test::Session trnsim;
    trnsim.sample_run();
    neff::Package package = test::sample_package_with_sources();
    package.programs[static_cast<std::size_t>(isa::Engine::Vector)][0].set(isa::field::WaitValue, 17);
    neff::write(trnsim.path("k.neff"), package);
    EXPECT_EQ(trnsim({"check", trnsim.path("k.neff"), "--no-rtl"}), 1);
    EXPECT_NE(trnsim.err.find(": deadlock: vector instruction 0 [event_semaphore wait S[3]>=17] at "
                              "lib/helper.hpp:7 with S[3]=16;"),
              std::string::npos)
        << trnsim.err;
}

TEST(RunCommand, CheckFindsAMissingWait) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    neff::Package package = test::sample_package();
    package.programs[static_cast<std::size_t>(isa::Engine::Sync)][1] = isa::Instruction(isa::Opcode::Nop);
    neff::write(trnsim.path("k.neff"), package);
    EXPECT_EQ(trnsim(run + Arguments{"--no-check"}), 0) << "nothing looks";
    EXPECT_EQ(trnsim(run + Arguments{"--check"}), 1);
    EXPECT_EQ(trnsim.err.find("trnsim: check of " + trnsim.path("k.neff") + ": qSyncIO1 on DMA engine"), 0u)
        << trnsim.err;
}

}  // namespace
}  // namespace trnsim::cli
