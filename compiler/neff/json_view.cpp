#include "compiler/neff/json_view.hpp"

#include <fmt/format.h>

#include <limits>

#include "compiler/neff/error.hpp"

namespace trnsim::neff {

nlohmann::json JsonView::parse(std::span<const std::uint8_t> bytes, const std::string& member) {
    try {
        return nlohmann::json::parse(bytes.begin(), bytes.end());
    } catch (const nlohmann::json::parse_error& error) {
        throw Error(fmt::format("{}: not JSON at byte {}", member, error.byte));
    } catch (const nlohmann::json::out_of_range&) {
        throw Error(fmt::format("{}: a number above {:g}, expected one that a double holds", member,
                                std::numeric_limits<double>::max()));
    }
}

void JsonView::fail(const std::string& expected) const {
    throw Error(fmt::format("{}: expected {}", path_, expected));
}

JsonView JsonView::operator[](const char* key) const {
    if (!value_->is_object()) fail("an object");
    const auto found = value_->find(key);
    if (found == value_->end()) throw Error(fmt::format("{}.{}: missing", path_, key));
    return {*found, fmt::format("{}.{}", path_, key)};
}

std::vector<JsonView> JsonView::items() const {
    if (!value_->is_array()) fail("an array");
    std::vector<JsonView> views;
    views.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i)
        views.emplace_back((*value_)[i], fmt::format("{}[{}]", path_, i));
    return views;
}

std::vector<JsonView> JsonView::items(std::size_t size) const {
    if (!value_->is_array() || value_->size() != size) fail(fmt::format("an array of {}", size));
    return items();
}

std::string JsonView::string() const {
    if (!value_->is_string()) fail("a string");
    return value_->get<std::string>();
}

std::uint64_t JsonView::number(std::uint64_t maximum) const {
    if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > maximum) {
        fail(fmt::format("a whole number from 0 to {}", maximum));
    }
    return value_->get<std::uint64_t>();
}

std::int64_t JsonView::signed_number() const {
    const bool fits = value_->is_number_integer() &&
                      (!value_->is_number_unsigned() ||
                       value_->get<std::uint64_t>() <=
                           static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    if (!fits) fail("a whole number of 64 bits");
    return value_->get<std::int64_t>();
}

}  // namespace trnsim::neff
