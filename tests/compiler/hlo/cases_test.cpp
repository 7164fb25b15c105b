// Every opcode on small constants, against the results that NumPy computed: cases.txt, which make_cases.py writes.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "compiler/hlo/evaluate/evaluate.hpp"
#include "compiler/hlo/file.hpp"
#include "compiler/hlo/real.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/verify.hpp"

namespace trnsim::test {
namespace {

using hlo::evaluate::Value;

struct Case {
    std::string name, module;
    double ulps = 0;
    std::vector<std::string> results;  // "f32[2] {1, 2}"
};

std::vector<Case> read_cases() {
    std::vector<Case> cases;
    std::ifstream file(TRNSIM_HLO_CASES);
    bool in_results = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("=== ")) {
            std::istringstream words(line.substr(4));
            words >> cases.emplace_back().name >> cases.back().ulps;
            in_results = false;
        } else if (line == "---") {
            in_results = true;
        } else if (in_results) {
            cases.back().results.push_back(line);
        } else {
            cases.back().module += line + "\n";
        }
    }
    return cases;
}

Value value_of(const std::string& text) {
    const std::size_t space = text.find(' ');
    const hlo::Module module = hlo::parse_text("HloModule m\nENTRY main { ROOT c = " + text.substr(0, space) +
                                               " constant(" + text.substr(space + 1) + ") }");
    const hlo::Literal& literal = *module.entry_computation().root_instruction().attributes.literal;
    return hlo::evaluate::from_bytes(literal.shape, literal.data);
}

bool is_equal(hlo::ElementType type, hlo::evaluate::Cell a, hlo::evaluate::Cell b, double ulps) {
    if (!hlo::is_real(type)) return a == b;
    const double x = hlo::evaluate::real(a), y = hlo::evaluate::real(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (std::signbit(x) != std::signbit(y) && x == 0 && y == 0) return false;
    return x == y || std::fabs(x - y) <= ulps * std::ldexp(std::max(std::fabs(y), 1.0),
                                                           -hlo::real_format(type).mantissa_bits);
}

TEST(EvaluatorCases, AgreeWithNumPy) {
    const auto cases = read_cases();
    EXPECT_GT(cases.size(), 200u);
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        try {
            const hlo::Module module = hlo::parse_text(one.module);
            hlo::verify(module);
            const Value result = hlo::evaluate::run(module, hlo::evaluate::Arguments{});
            const std::vector<Value> results =
                result.type == hlo::ElementType::Tuple ? result.tuple : std::vector<Value>{result};
            ASSERT_EQ(results.size(), one.results.size());
            for (std::size_t i = 0; i < results.size(); ++i) {
                const Value expected = value_of(one.results[i]);
                ASSERT_EQ(hlo::format(hlo::evaluate::shape_of(results[i])),
                          hlo::format(hlo::evaluate::shape_of(expected)));
                for (std::size_t e = 0; e < expected.size(); ++e) {
                    EXPECT_TRUE(
                        is_equal(expected.type, (*results[i].cells)[e], (*expected.cells)[e], one.ulps))
                        << "result " << i << ", element " << e << ": "
                        << hlo::evaluate::real((*results[i].cells)[e]) << " or " << (*results[i].cells)[e]
                        << ", expected " << hlo::evaluate::real((*expected.cells)[e]) << " or "
                        << (*expected.cells)[e];
                }
            }
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what() << "\n" << one.module;
        }
    }
}

// Opcodes that the cases cannot have: those of several devices (devices_test.cpp), of tokens, of layouts and of no
// arithmetic.
TEST(EvaluatorCases, HaveEveryOpcode) {
    const std::set<std::string_view> elsewhere{
        "add-dependency",       "after-all",          "all-gather", "all-reduce", "all-to-all",    "bitcast",
        "collective-broadcast", "collective-permute", "domain",     "parameter",  "reduce-scatter"};
    std::set<std::string_view> seen;
    const auto cases = read_cases();
    for (const Case& one : cases) {
        for (const hlo::Computation& computation : hlo::parse_text(one.module).computations) {
            for (const hlo::Instruction& instruction : computation.instructions)
                seen.insert(hlo::name(instruction.opcode));
        }
    }
#define TRNSIM_HLO_CHECK(enumerator, name, fewest, most, family)                  \
    if (hlo::refusal(hlo::Family::family).empty() && !elsewhere.contains(name)) { \
        EXPECT_TRUE(seen.contains(name)) << name;                                 \
    }
    TRNSIM_HLO_OPCODES(TRNSIM_HLO_CHECK)
#undef TRNSIM_HLO_CHECK
}

}  // namespace
}  // namespace trnsim::test
