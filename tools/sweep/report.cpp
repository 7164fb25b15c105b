#include "tools/sweep/report.hpp"

#include <string_view>

#include "page/SweepPage.hpp"

namespace trnsim::sweep {

// Escapes the end of a script element, which the data in it must not have.
std::string report(const std::string& results) {
    std::string data;
    for (const char c : results) data += c == '<' ? std::string("\\u003c") : std::string(1, c);
    std::string page(SweepPage);
    constexpr std::string_view Mark = "/*RESULTS*/";
    return page.replace(page.find(Mark), Mark.size(), data);
}

}  // namespace trnsim::sweep
