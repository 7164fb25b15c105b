#include "tools/cli/element_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/npy/npy.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/loader/contents.hpp"

namespace trnsim::cli {
namespace {

std::optional<std::uint64_t> index_of(std::string text) {
    std::erase(text, ' ');
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error != std::errc() || end != text.data() + text.size() ? std::nullopt : std::optional(value);
}

// Returns the texts between commas of "[5,700]"; nothing for another form.
std::optional<std::vector<std::string>> parts_of(const std::string& brackets) {
    if (brackets.size() < 2 || brackets.front() != '[' || brackets.back() != ']') return std::nullopt;
    const std::string list = brackets.substr(1, brackets.size() - 2);
    std::vector<std::string> parts;
    for (std::size_t begin = 0; !list.empty() && begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace

NamedElement parse_element(const std::string& what, const std::string& text, const neff::Package& package) {
    const auto refuse = [&](const std::string& why) {
        return std::runtime_error(fmt::format("{} {}: {}", what, text, why));
    };
    const std::size_t bracket = std::min(text.find('['), text.size());
    const std::string name = text.substr(0, bracket);
    const auto tensor = std::ranges::find(package.tensors, name, &neff::Tensor::name);
    if (tensor == package.tensors.end())
        throw refuse(fmt::format("kernel '{}' has no tensor '{}'; its tensors: {}", package.name, name,
                                 loader::names_of(package, [](neff::TensorKind) { return true; })));
    NamedElement element{static_cast<std::size_t>(tensor - package.tensors.begin()), 0};
    const bool single = std::ranges::all_of(tensor->shape, [](std::uint64_t extent) { return extent == 1; });
    if (bracket == text.size() && single) return element;
    const auto parts = parts_of(text.substr(bracket));
    if (!parts || parts->size() != tensor->shape.size())
        throw refuse(fmt::format("expected an index for each axis of {}, {}, such as {}{}", name,
                                 npy::format_shape(tensor->shape), name, neff::position(*tensor, 0)));
    for (std::size_t dim = 0; dim < parts->size(); ++dim) {
        const auto index = index_of((*parts)[dim]);
        if (!index || *index >= tensor->shape[dim])
            throw refuse(fmt::format("found '{}', expected 0 to {}", (*parts)[dim], tensor->shape[dim] - 1));
        element.element = element.element * tensor->shape[dim] + *index;
    }
    return element;
}

std::string name_of(const NamedElement& element, const neff::Package& package) {
    const neff::Tensor& tensor = package.tensors[element.tensor];
    std::string position = neff::position(tensor, element.element);
    std::erase(position, ' ');
    return tensor.name + position;
}

}  // namespace trnsim::cli
