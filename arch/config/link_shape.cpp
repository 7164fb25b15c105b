#include "arch/config/link_shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>

#include "arch/addresses/pooled.hpp"
#include "arch/config/units.hpp"

namespace trnsim::config {
namespace {

using Kind = LinkShape::Kind;

// A word and the form of the size after it: "torus 4x4", "ring 8".
struct Form {
    std::string_view word;
    Kind kind;
    bool two_sizes;
};
constexpr std::array Forms{
    Form{"torus ", Kind::Torus, true},
    Form{"mesh ", Kind::Mesh, true},
    Form{"ring ", Kind::Torus, false},
    Form{"chain ", Kind::Mesh, false},
};

constexpr std::string_view FullyConnected = "fully connected";

std::optional<std::uint64_t> chip_count(std::string_view text) {
    const auto count = parse_quantity(text, Quantity::Count);
    return count && *count >= 1 && *count <= addresses::PooledChips ? count : std::nullopt;
}

std::optional<LinkShape> from_text(std::string_view text) {
    if (text == FullyConnected) return LinkShape{Kind::FullyConnected, 1, 1, {}};
    const auto* form =
        std::ranges::find_if(Forms, [text](const Form& one) { return text.starts_with(one.word); });
    if (form == Forms.end()) return std::nullopt;
    const std::string_view sizes = text.substr(form->word.size());
    const std::size_t cross = sizes.find('x');
    if ((cross != std::string_view::npos) != form->two_sizes) return std::nullopt;
    const auto rows = form->two_sizes ? chip_count(sizes.substr(0, cross)) : std::uint64_t{1};
    const auto columns = chip_count(form->two_sizes ? sizes.substr(cross + 1) : sizes);
    if (!rows || !columns) return std::nullopt;
    return LinkShape{form->kind, *rows, *columns, {}};
}

std::optional<LinkShape> from_pairs(const YAML::Node& node) {
    LinkShape shape{Kind::Links, 1, 1, {}};
    for (const YAML::Node& pair : node) {
        if (!pair.IsSequence() || pair.size() != 2 || !pair[0].IsScalar() || !pair[1].IsScalar())
            return std::nullopt;
        const auto a = parse_quantity(pair[0].Scalar(), Quantity::Count);
        const auto b = parse_quantity(pair[1].Scalar(), Quantity::Count);
        if (!a || !b || std::max(*a, *b) >= addresses::PooledChips) return std::nullopt;
        shape.links.emplace_back(static_cast<unsigned>(*a), static_cast<unsigned>(*b));
    }
    return shape;
}

}  // namespace

std::optional<LinkShape> parse_link_shape(const YAML::Node& node) {
    if (node.IsScalar()) return from_text(node.Scalar());
    if (node.IsSequence()) return from_pairs(node);
    return std::nullopt;
}

std::string show(const LinkShape& shape) {
    if (shape.kind == Kind::FullyConnected) return std::string(FullyConnected);
    if (shape.kind == Kind::Links) {
        std::vector<std::string> pairs;
        for (const auto& [a, b] : shape.links) pairs.push_back(fmt::format("[{}, {}]", a, b));
        return fmt::format("[{}]", fmt::join(pairs, ", "));
    }
    return fmt::format("{}{}x{}", std::ranges::find(Forms, shape.kind, &Form::kind)->word, shape.rows,
                       shape.columns);
}

}  // namespace trnsim::config
