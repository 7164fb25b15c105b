// Tests coverage plans: bins, excluded combinations, instructions that count, messages for bad plans.
#include <gtest/gtest.h>

#include <array>

#include "arch/config/config.hpp"
#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "testbench/coverage/collector.hpp"
#include "testbench/coverage/report.hpp"

namespace trnsim::coverage {
namespace {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

Plan read(const std::string& text) {
    const test::TemporaryDirectory folder;
    files::write(folder / "p.yaml", text);
    return read_plan(folder / "p.yaml");
}

std::string error_of(const std::string& text) {
    const std::string message = test::message_of<config::Error>([&] { read(text); });
    return message.substr(message.find("p.yaml") == std::string::npos ? 0 : message.find("p.yaml"));
}

const target::Core Small{16, 16, 16, 65536, 16384, 8, 4, 8};

const char* const TwoPoints =
    "points:\n"
    "  step: { of: a_step0, bins: { repeated: 0, dense: 1, wide: 2.., backwards: ..-1 } }\n"
    "groups:\n"
    "  - name: copies\n"
    "    engine: vector\n"
    "    instructions: [tensor_copy, reciprocal]\n"
    "    cross: [instruction, step, { a_memory: [sbuf] }]\n"
    "    except: [{ instruction: reciprocal, step: [repeated, backwards] }]\n";

TEST(Coverage, BinsAreTheCrossWithoutExceptions) {
    const Plan plan = read(TwoPoints);
    ASSERT_EQ(plan.groups.size(), 1u);
    EXPECT_EQ(plan.combinations, 8u);
    const Report report = make_report(plan, std::vector<std::uint64_t>(8));
    EXPECT_EQ(report.bins, 6u);
    EXPECT_EQ(report.hit, 0u);
    EXPECT_EQ(report.groups[0].missing.front(), "tensor_copy, repeated, sbuf");
    EXPECT_EQ(report.groups[0].missing.back(), "reciprocal, wide, sbuf");
}

TEST(Coverage, CountsWhatIsExecuted) {
    const Plan plan = read(TwoPoints);
    Collector collector(plan, Small, false);
    Instruction copy(Opcode::TensorCopy);
    copy.set_signed(field::AStep0, -3);
    collector(isa::Engine::Vector, copy);
    collector(isa::Engine::Scalar, copy);  // wrong engine
    collector(isa::Engine::Vector, Instruction(Opcode::Memset));
    copy.set(field::AAddr, isa::window::PsumBase);  // not in the plan
    collector(isa::Engine::Vector, copy);
    const Report report = make_report(plan, collector.hits());
    EXPECT_EQ(report.hit, 1u);
    EXPECT_EQ(collector.hits()[3], 1u);
    EXPECT_EQ(bin_name(plan.groups[0], 3), "tensor_copy, backwards, sbuf");
    EXPECT_NE(to_text(report, 2).find("1 of 6 bins"), std::string::npos);
    EXPECT_NE(to_text(report, 2).find("missing: 3 more"), std::string::npos);
}

TEST(Coverage, RoundingIsThatOfTheCoreUnlessTheInstructionSays) {
    const Plan plan = read("groups:\n  - { name: r, instructions: [tensor_copy], cross: [rounds] }\n");
    const auto hits = [&](isa::Rounding rounding, bool core) {
        Collector collector(plan, Small, core);
        collector(isa::Engine::Vector, Instruction(Opcode::TensorCopy).set(field::Rounding, rounding));
        return collector.hits();
    };
    const std::vector<std::uint64_t> nearest{1, 0}, stochastic{0, 1};
    EXPECT_EQ(hits(isa::Rounding::Core, false), nearest);
    EXPECT_EQ(hits(isa::Rounding::Core, true), stochastic);
    EXPECT_EQ(hits(isa::Rounding::Nearest, true), nearest);
    EXPECT_EQ(hits(isa::Rounding::Stochastic, false), stochastic);
}

// The words of an instruction stay until others overwrite them.
TEST(Coverage, CommandsOfGpsimdAreCountedByTheirArguments) {
    const Plan plan = read(
        "points:\n  edge: { of: gpsimd_span, bins: { one: 1, two: 2 } }\n"
        "groups:\n  - { name: g, instructions: [gpsimd_command], cross: [{ gpsimd_command: [tensor_copy, "
        "sort] }, "
        "{ gpsimd_dst_dtype: [i32, bf16] }, gpsimd_edges, edge] }\n");
    Collector collector(plan, Small, false);
    const auto give = [&](std::uint64_t first, const std::vector<std::uint32_t>& words) {
        constexpr std::array Fields{&field::W0, &field::W1, &field::W2, &field::W3, &field::W4, &field::W5};
        Instruction arguments(Opcode::GpsimdArguments);
        arguments.set(field::FirstWord, first).set(field::Words, words.size());
        for (std::size_t i = 0; i < words.size(); ++i) arguments.set(*Fields.at(i), words[i]);
        collector(isa::Engine::Gpsimd, arguments);
    };
    const auto command = [](std::uint64_t operation) {
        return Instruction(Opcode::GpsimdCommand).set(field::Operation, operation).set(field::CoreMask, 1);
    };
    constexpr std::uint64_t Copy = 1, Sort = 10;
    constexpr std::uint32_t I32 = 8, Bf16 = 6;
    const auto hit = [&] {
        std::vector<std::string> names;
        for (std::size_t bin = 0; bin < plan.combinations; ++bin) {
            if (collector.hits()[bin] != 0) names.push_back(bin_name(plan.groups[0], bin));
        }
        return names;
    };
    give(0, {10, 6, 1, 1, 1, 1});  // partitions 10 to 15
    give(7, {Bf16});               // type of dst
    collector(isa::Engine::Gpsimd, command(Copy));
    EXPECT_EQ(hit(), std::vector<std::string>{"tensor_copy, bf16, begin, one"});
    EXPECT_FALSE(collector.adds(isa::Engine::Gpsimd, command(Copy)));
    give(5, {I32});  // the type of a sort; a count of the copy
    EXPECT_TRUE(collector.adds(isa::Engine::Gpsimd, command(Sort)));
    give(1, {7});
    EXPECT_TRUE(collector.adds(isa::Engine::Gpsimd, command(Copy)));
    EXPECT_EQ(hit(), (std::vector<std::string>{"tensor_copy, bf16, begin, one",
                                               "tensor_copy, bf16, both, two", "sort, i32, begin, one"}));
}

TEST(Coverage, BadPlansSayWhere) {
    EXPECT_EQ(error_of("groups:\n  - { name: x, instructions: [tensor_cop], cross: [instruction] }\n"),
              "p.yaml:2:31: instructions: found 'tensor_cop', expected one like 'tensor_copy'");
    EXPECT_EQ(error_of("groups:\n  - { name: x, instructions: [halt], cross: [a_memry] }\n"),
              "p.yaml:2:46: cross: found 'a_memry', expected one like 'a_memory'");
    EXPECT_EQ(error_of("points:\n  p: { of: count0, bins: { a: 1..x } }\ngroups: []\n"),
              "p.yaml:2:31: bins.a: found '1..x', expected a number or a range such as 2..8");
    EXPECT_EQ(error_of("groups:\n  - { name: x, cross: [instruction] }\n"),
              "p.yaml:2:5: groups: expected name, instructions and, after them, cross");
    EXPECT_EQ(error_of("groups: []\n"),
              "p.yaml:1:9: groups: found an empty list, expected a list of entries");
}

TEST(Coverage, ShippedPlanIsSound) {
    const Plan plan = read_plan(TRNSIM_CONFIGS "/coverage/plan.yaml");
    for (const Group& group : plan.groups) {
        for (const Point& point : group.cross) EXPECT_FALSE(point.bins.empty()) << group.name;
    }
}

}  // namespace
}  // namespace trnsim::coverage
