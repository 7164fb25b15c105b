// Typed access to parsed JSON that knows the member and the path of each value.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace trnsim::neff {

// The largest values of 32 and of 64 bits, for JsonView::number().
inline constexpr std::uint64_t Max32 = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t Max64 = std::numeric_limits<std::uint64_t>::max();

// Every accessor throws Error "<member>: <path>: expected ..." when the value is missing or of another type.
class JsonView {
  public:
    // Parses all of `bytes`. The document must outlive its views.
    static nlohmann::json parse(std::span<const std::uint8_t> bytes, const std::string& member);

    JsonView(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

    JsonView operator[](const char* key) const;
    bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
    std::vector<JsonView> items() const;  // elements of an array
    std::vector<JsonView> items(std::size_t size) const;

    std::string string() const;
    std::uint64_t number(std::uint64_t maximum) const;
    std::int64_t signed_number() const;

    [[noreturn]] void fail(const std::string& expected) const;

  private:
    const nlohmann::json* value_;
    std::string path_;
};

}  // namespace trnsim::neff
