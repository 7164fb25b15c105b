// The evaluator as a whole: arguments, limits, errors, what cases cannot express.
#include "compiler/hlo/evaluate/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/verify.hpp"

namespace trnsim::test {
namespace {

namespace evaluate = hlo::evaluate;

evaluate::Value vector(const std::vector<double>& numbers, hlo::ElementType type = hlo::ElementType::F32) {
    evaluate::Cells cells;
    for (const double x : numbers) cells.push_back(evaluate::cell(x));
    return {type,
            {static_cast<std::int64_t>(numbers.size())},
            std::make_shared<const evaluate::Cells>(cells),
            {}};
}
std::vector<double> numbers(const evaluate::Value& value) {
    std::vector<double> result;
    for (const auto c : value.view()) result.push_back(evaluate::real(c));
    return result;
}
hlo::Module module_of(const std::string& text) {
    hlo::Module module = hlo::parse_text("HloModule m\n" + text);
    hlo::verify(module);
    return module;
}

TEST(Evaluator, TakesArgumentsByNumber) {
    const hlo::Module module = module_of(
        "ENTRY main {\n b = f32[2] parameter(1)\n a = f32[2] parameter(0)\n ROOT r = f32[2] subtract(a, "
        "b)\n}");
    EXPECT_EQ(numbers(evaluate::run(module, evaluate::Arguments{vector({5, 7}), vector({1, 10})})),
              (std::vector<double>{4, -3}));
    EXPECT_EQ(message_of<hlo::Error>([&] {
                  (void)evaluate::run(module, evaluate::Arguments{vector({1, 2})});
              }),
              "1 arguments, expected 2");
    EXPECT_EQ(message_of<hlo::Error>([&] {
                  (void)evaluate::run(module, evaluate::Arguments{vector({1, 2}), vector({1})});
              }),
              "argument 1 is f32[1], expected f32[2]");
}

TEST(Evaluator, RoundsEachResultToItsType) {
    // 1 + 2^-11 has no bf16; the sum of the rounded number and 2^-11 is that of 1 and 2^-11.
    const hlo::Module module = module_of(
        "ENTRY main {\n a = bf16[1] parameter(0)\n b = bf16[1] parameter(1)\n c = bf16[1] add(a, b)\n ROOT r "
        "= bf16[1] add(c, b)\n}");
    const double tiny = std::ldexp(1, -9);
    EXPECT_EQ(numbers(evaluate::run(module, evaluate::Arguments{vector({1}, hlo::ElementType::Bf16),
                                                                vector({tiny}, hlo::ElementType::Bf16)})),
              (std::vector<double>{1}));
}

TEST(Evaluator, ComputationsOfAnyFormReduce) {
    // A reducer with control flow is no list of elementwise steps.
    const hlo::Module module = module_of(R"(bigger { p = (f32[], f32[]) parameter(0)
 ROOT x = f32[] get-tuple-element(p), index=0 }
other { p.1 = (f32[], f32[]) parameter(0)
 ROOT y = f32[] get-tuple-element(p.1), index=1 }
largest { a = f32[] parameter(0)
 b = f32[] parameter(1)
 t = (f32[], f32[]) tuple(a, b)
 c = pred[] compare(a, b), direction=GT
 ROOT r = f32[] conditional(c, t, t), branch_computations={bigger, other} }
ENTRY main { v = f32[4] parameter(0)
 z = f32[] constant(-inf)
 ROOT m = f32[] reduce(v, z), dimensions={0}, to_apply=largest })");
    EXPECT_EQ(numbers(evaluate::run(module, evaluate::Arguments{vector({3, 8, -2, 5})})),
              (std::vector<double>{8}));
}

TEST(Evaluator, LongColumnsAreComputedInBatches) {
    // Longer than a batch of the reducer, and no multiple of it.
    const std::size_t size = 2500;
    const hlo::Module module = module_of(
        "f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] multiply(a, b)\n one = f32[] "
        "constant(1)\n ROOT d = f32[] add(c, one) }\n"
        "ENTRY main { x = f32[2500] parameter(0)\n y = f32[2500] parameter(1)\n ROOT r = f32[2500] map(x, "
        "y), dimensions={0}, to_apply=f }");
    auto random = generator();
    std::vector<double> x(size), y(size), expected(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<double>(random() % 100);
        y[i] = static_cast<double>(random() % 100);
        expected[i] = x[i] * y[i] + 1;
    }
    EXPECT_EQ(numbers(evaluate::run(module, evaluate::Arguments{vector(x), vector(y)})), expected);
}

TEST(Evaluator, LimitsAreHeld) {
    const hlo::Module large = module_of(
        "ENTRY main {\n z = f32[] constant(1)\n ROOT r = f32[1000000,1000000] broadcast(z), dimensions={}, "
        "metadata={source_file=\"a.py\" source_line=3}\n}");
    EXPECT_EQ(message_of<hlo::Error>([&] { (void)evaluate::run(large, evaluate::Arguments{}); }),
              "%r (a.py:3): needs 8000000000000 bytes more, of which 8589934592 are left");
    const hlo::Module endless = module_of(
        "b { ROOT x = s32[] parameter(0) }\nc { y = s32[] parameter(0)\n ROOT t = pred[] constant(true) }\n"
        "ENTRY main { z = s32[] constant(0)\n ROOT r = s32[] while(z), condition=c, body=b }");
    evaluate::Options options;
    options.work = 10000;
    EXPECT_EQ(message_of<hlo::Error>([&] { (void)evaluate::run(endless, evaluate::Arguments{}, options); }),
              "%r: the module needs more operations than the evaluator's limit");
}

TEST(Evaluator, MemoryOfDeadValuesIsGivenBack) {
    std::string text = "ENTRY main {\n x0 = f32[1000] iota(), iota_dimension=0\n";
    for (int i = 1; i <= 100; ++i)
        text += " x" + std::to_string(i) + " = f32[1000] negate(x" + std::to_string(i - 1) + ")\n";
    evaluate::Options options;
    options.memory = 3 * 8000;
    EXPECT_EQ(numbers(evaluate::run(module_of(text + "}"), evaluate::Arguments{}, options))[7], 7);
}

TEST(Evaluator, UnknownCustomCallsAreRefused) {
    const hlo::Module module = module_of(
        "ENTRY main {\n x = f32[2] parameter(0)\n ROOT r = f32[2] custom-call(x), "
        "custom_call_target=\"mine\"\n}");
    EXPECT_EQ(message_of<hlo::Error>([&] {
                  (void)evaluate::run(module, evaluate::Arguments{vector({1, 2})});
              }),
              "%r: custom-call 'mine' is refused: it is not known");
}

TEST(Evaluator, OneInstructionIsFolded) {
    const hlo::Module module =
        module_of("ENTRY main {\n x = f32[2] parameter(0)\n ROOT r = f32[2] negate(x)\n}");
    const evaluate::Value x = vector({1, -2});
    EXPECT_EQ(
        numbers(evaluate::fold(module, module.entry_computation().root_instruction(), std::span(&x, 1))),
        (std::vector<double>{-1, 2}));
}

TEST(Evaluator, AComparisonThatIsNoOrderStaysInside) {
    // It calls each element less than any other.
    const hlo::Module module = module_of(
        "f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] constant(true) }\n"
        "ENTRY main { x = f32[37] iota(), iota_dimension=0\n ROOT r = f32[37] sort(x), dimensions={0}, "
        "to_apply=f }");
    auto sorted = numbers(evaluate::run(module, evaluate::Arguments{}));
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], static_cast<double>(i));
}

}  // namespace
}  // namespace trnsim::test
