// Checks that the RTL contains every row of the table of figures as the row says.
#include "arch/cost/figures.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace trnsim::test {
namespace {

using cost::FigureRow;

std::string text_of(std::string_view file) {
    std::ifstream stream(std::string(TRNSIM_RTL).append("/").append(file));
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

TEST(Figures, StandsInTheRtl) {
    for (const FigureRow& row : cost::Figures) {
        SCOPED_TRACE(row.name);
        const std::string text = text_of(row.source);
        const std::size_t place = text.find(row.constant);
        ASSERT_NE(place, std::string::npos) << row.source << ": no '" << row.constant << "'";
        // If a constant ends in its value, the number in the RTL must end there too.
        if (std::isdigit(row.constant.back()) == 0) continue;
        EXPECT_EQ(std::isdigit(text.at(place + row.constant.size())), 0) << row.constant;
        const std::size_t digits = row.constant.find_last_not_of("0123456789") + 1;
        const auto value = std::stoul(std::string(row.constant.substr(digits)));
        EXPECT_EQ(row.value, value * row.times) << row.constant;
    }
}

TEST(Figures, RowsAreInOrder) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < cost::Figures.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(cost::Figures[i].figure), i) << cost::Figures[i].name;
        EXPECT_TRUE(names.insert(cost::Figures[i].name).second) << cost::Figures[i].name;
    }
}

}  // namespace
}  // namespace trnsim::test
