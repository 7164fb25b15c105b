#include "testbench/refusals/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "arch/config/config.hpp"
#include "arch/target/target.hpp"
#include "isa/error_text.hpp"
#include "tools/reference/markdown.hpp"
#include "tools/reference/pages.hpp"

namespace trnsim::reference {
namespace {

// Returns the words for the builder of a case: it refuses the call, takes it, or has none for it.
std::string builder_of(const refusals::Case& test) {
    if (test.by_loader) return "the loader fills it in";
    if (!test.call) return "has no such call";
    return test.error == isa::Error::None ? "takes it" : "refuses it";
}

std::string table_of(const std::vector<refusals::Case>& cases, isa::Error error) {
    std::vector<Row> rows;
    std::set<std::string> seen;
    for (const refusals::Case& test : cases) {
        if (test.error == error && seen.insert(test.name).second)
            rows.push_back({std::string(isa::name_of(test.engine)), test.name, builder_of(test)});
    }
    return table({"engine", "instruction", "builder"}, rows);
}

}  // namespace

std::string refusals_page() {
    const std::vector<refusals::Case> cases = refusals::cases(target::of(config::load("small16")));
    std::string text =
        "The instructions that a core refuses, one for each reason, and legal ones that come near. RTL, fast "
        "core and interpreter\nrefuse the same ones with the same code and the same operand, in the order of "
        "[tensor-engine.md](tensor-engine.md#what-is-refused),\n[vector-engine.md](vector-engine.md#what-is-"
        "refused) and [scalar-engine.md](scalar-engine.md#what-is-refused); the builder refuses the\ncalls "
        "that would make them. `refusals_test` and `lockstep_test` hold all four against this list.\n\n";
    for (const isa::EnumValue& value : isa::error_values()) {
        const auto error = static_cast<isa::Error>(value.value);
        const bool used = std::ranges::find(cases, error, &refusals::Case::error) != cases.end();
        if (!used || error == isa::Error::None) continue;
        text += fmt::format("## {}\n\n{}.\n\n", value.name, isa::find_error_text(error)->text) +
                table_of(cases, error);
    }
    return text + "## Legal\n\n" + table_of(cases, isa::Error::None);
}

}  // namespace trnsim::reference
