#include "tools/sweep/expression.hpp"

#include <gtest/gtest.h>

#include <map>

namespace trnsim::sweep {
namespace {

std::optional<Value> lookup(const std::string& name) {
    static const std::map<std::string, Value> values{{"core.array.rows", 16.0},
                                                     {"hbm.bandwidth", 2e11},
                                                     {"kernel", std::string("matmul")},
                                                     {"a", 3.0},
                                                     {"t", true}};
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

Value value(const std::string& text) {
    return Expression(text).evaluate(lookup).value();
}

// Returns "offset: message".
std::string error(const std::string& text) {
    try {
        Expression(text).evaluate(lookup);
    } catch (const ExpressionError& error) {
        return std::to_string(error.offset) + ": " + error.what();
    }
    return "";
}

TEST(Expression, Arithmetic) {
    EXPECT_EQ(value("1 + 2 * 3 - 4 / 2"), Value(5.0));
    EXPECT_EQ(value("(1 + 2) * 3 % 4"), Value(1.0));
    EXPECT_EQ(value("10 - 3 - 2"), Value(5.0));
    EXPECT_EQ(value("- - a * -2"), Value(-6.0));
}

TEST(Expression, Comparisons) {
    for (const char* text : {"core.array.rows == 16", "a != 4", "a < 4", "a <= 3", "a > 2", "a >= 3",
                             "kernel == 'matmul'", "kernel != 'softmax'", "t == (1 < 2)"}) {
        EXPECT_EQ(value(text), Value(true)) << text;
        EXPECT_EQ(value(std::string("not (") + text + ")"), Value(false)) << text;
    }
}

TEST(Expression, Units) {
    EXPECT_EQ(value("200 GB/s"), Value(2e11));
    EXPECT_EQ(value("hbm.bandwidth >= 0.2 TB/s"), Value(true));
    EXPECT_EQ(value("24 MiB / 1 KiB"), Value(24576.0));
    EXPECT_EQ(value("2.8 GHz"), Value(2.8e9));
    EXPECT_EQ(value("20ns+1ns"), Value(21e6));
    EXPECT_EQ(value("a == 3 and t"), Value(true));
}

TEST(Expression, LogicLeavesOutWhatDoesNotMatter) {
    EXPECT_EQ(value("a == 3 or 1 / 0 == 1"), Value(true));
    EXPECT_EQ(value("a == 4 and 1 / 0 == 1"), Value(false));
    EXPECT_EQ(value("a == 4 and t or t"), Value(true));
    EXPECT_EQ(value("not a == 4 and t"), Value(true));
    EXPECT_EQ(value("t or nothing"), Value(true));
    EXPECT_EQ(Expression("nothing + 1 < 2").evaluate(lookup), std::nullopt);
    EXPECT_EQ(Expression("t and nothing").evaluate(lookup), std::nullopt);
}

TEST(Expression, Names) {
    const Expression expression("a < core.array.rows and kernel == 'a'");
    const auto names = expression.names();
    ASSERT_EQ(names.size(), 3u);
    EXPECT_EQ(names[1].text, "core.array.rows");
    EXPECT_EQ(names[1].offset, 4u);
    EXPECT_EQ(names[2].text, "kernel");
}

TEST(Expression, Mistakes) {
    EXPECT_EQ(error(""), "0: found the end, expected a number, a 'text', a name or '('");
    EXPECT_EQ(error("a <"), "3: found the end, expected a number, a 'text', a name or '('");
    EXPECT_EQ(error("a < 3 < 4"), "6: found '<', expected an operator or the end");
    EXPECT_EQ(error("(a < 3"), "6: found the end, expected ')'");
    EXPECT_EQ(error("a = 3"), "2: found '=', expected an operator or the end");
    EXPECT_EQ(error("and a"), "0: found 'and', expected a number, a 'text', a name or '('");
    EXPECT_EQ(error("a == 'b"), "5: found a text without an end, expected another '");
    EXPECT_EQ(error("1.2.3"), "0: found '1.2.3', expected a number");
    EXPECT_EQ(error("3 parsec"), "2: found 'parsec', expected an operator or the end");
    EXPECT_EQ(error("a < 'b'"), "4: found a text, expected a number");
    EXPECT_EQ(error("a == 'b'"), "2: found a number and a text, expected two of a kind");
    EXPECT_EQ(error("a and t"), "0: found a number, expected a truth value");
    EXPECT_EQ(error("t and a"), "6: found a number, expected a truth value");
    EXPECT_EQ(error("not a"), "4: found a number, expected a truth value");
    EXPECT_EQ(error("a / 0"), "2: found a division by 0, expected another divisor");
    EXPECT_EQ(error("a % (1 - 1)"), "2: found a division by 0, expected another divisor");
    EXPECT_EQ(error(std::string(1000, '(')), "200: found '(', expected fewer nested operations");
    EXPECT_EQ(error(std::string(1000, '-')), "200: found '-', expected fewer nested operations");
}

}  // namespace
}  // namespace trnsim::sweep
