#include "tools/sweep/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/config/nearest.hpp"
#include "tools/sweep/rules.hpp"

namespace trnsim::sweep {

Filter read_filter(const YAML::Node& node, const std::string& text, config::Location place,
                   std::span<const std::string> known, bool has_server) {
    if (node.Tag() == "!") ++place.column;  // a quoted text begins after its quote
    const auto fail_at = [&place](std::size_t offset, std::string_view rule, const std::string& message) {
        config::fail({place.file, place.line, place.column + static_cast<int>(offset)}, rule,
                     "filter: " + message);
    };
    try {
        Expression expression(text);
        for (const Expression::Name& name : expression.names()) {
            if (!has_server && (name.text == "server" || is_server_axis(name.text)))
                fail_at(name.offset, rule::Server,
                        fmt::format("found {}, expected it beside the key server", name.text));
            if (std::ranges::find(known, name.text) != known.end()) continue;
            fail_at(name.offset, rule::FilterName,
                    fmt::format("unknown name '{}', expected one like '{}'", name.text,
                                config::nearest(name.text, known)));
        }
        return {std::move(expression), place};
    } catch (const ExpressionError& error) {
        fail_at(error.offset, rule::FilterSyntax, error.what());
        throw;
    }
}

}  // namespace trnsim::sweep
