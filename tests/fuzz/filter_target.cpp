#include <string>

#include "fuzz/targets.hpp"
#include "tools/sweep/expression.hpp"

namespace trnsim::fuzz {

void filter(Bytes input) {
    const std::string text(input.begin(), input.end());
    try {
        const sweep::Expression expression(text);
        for (const auto& name : expression.names()) {
            expect(text.compare(name.offset, name.text.size(), name.text) == 0,
                   "a name that stands elsewhere");
        }
        // A name is a number, a text, a truth value or nothing, according to its first letter.
        expression.evaluate([](const std::string& name) -> std::optional<sweep::Value> {
            switch (name[0] % 4) {
                case 0:
                    return 2.5;
                case 1:
                    return name;
                case 2:
                    return true;
                default:
                    return std::nullopt;
            }
        });
    } catch (const sweep::ExpressionError& error) {
        expect(error.offset <= text.size(), "an error beyond the text");
    }
}

}  // namespace trnsim::fuzz
