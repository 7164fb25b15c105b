#include "runtime/waves/element.hpp"

#include <fmt/format.h>

#include <array>

#include "base/time/cycles.hpp"
#include "runtime/waves/scope_maker.hpp"

namespace trnsim::waves {
namespace {

struct Row {
    const char* signal;
    std::string Element::*text;
};
constexpr std::array Rows{Row{"name", &Element::name}, Row{"expected", &Element::expected},
                          Row{"found", &Element::found}};

}  // namespace

Scope scope_of(const Element& element, std::uint64_t clock) {
    ScopeMaker maker(ElementScope);
    for (const Row& row : Rows) {
        const std::size_t signal = maker.add("", row.signal, 0);
        maker.set(signal, 0, NoText);
        maker.set(signal, cycles_to_time(element.cycle, clock), element.*row.text);
    }
    return maker.finish();
}

std::vector<std::string> element_lines() {
    std::vector<std::string> lines{"@800200", "-Element"};
    for (const Row& row : Rows) {
        lines.emplace_back("@22");
        lines.push_back(fmt::format("+{{{}}} {}.{}", row.signal, ElementScope, row.signal));
    }
    lines.insert(lines.end(), {"@1000200", "-Element"});
    return lines;
}

}  // namespace trnsim::waves
