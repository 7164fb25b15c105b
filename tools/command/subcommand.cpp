#include "tools/command/subcommand.hpp"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>

namespace trnsim::command {

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::description(const std::string& doc) {
    option_->description(doc);
    return *this;
}

Option& Option::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option& Option::show_default() {
    option_->capture_default_str();
    return *this;
}

Option& Option::single() {
    option_->allow_extra_args(false);
    return *this;
}

Option& Option::repeated() {
    option_->take_all()->allow_extra_args(false);
    return *this;
}

Option& Option::delimiter(char between) {
    option_->delimiter(between);
    return *this;
}

Option& Option::between(std::uint32_t least, std::uint32_t most) {
    const std::string range = std::to_string(least) + " to " + std::to_string(most);
    const auto check = [=](const std::string& text) {  // it is a whole number without leading zeros by now
        const bool fits = text.size() <= 10 && std::stoull(text) >= least && std::stoull(text) <= most;
        return fits ? std::string() : "found '" + text + "', expected a whole number from " + range;
    };
    option_->check(
        CLI::Validator(check, "UINT in [" + std::to_string(least) + " - " + std::to_string(most) + "]"));
    return *this;
}

Option& Option::one_of(const std::vector<std::uint32_t>& values) {
    option_->check(CLI::IsMember(values));
    return *this;
}

Option& Option::excludes(const Option& other) {
    option_->excludes(other.option_);
    return *this;
}

Option& Option::hidden() {
    option_->group("");
    return *this;
}

template <typename Value>
Option Subcommand::add_option(const std::string& name, Value& value, const std::string& doc) {
    return Option(*app_->add_option(name, value, doc));
}

template Option Subcommand::add_option(const std::string&, std::string&, const std::string&);
template Option Subcommand::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option Subcommand::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Subcommand::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option Subcommand::add_option(const std::string&, std::optional<std::uint32_t>&, const std::string&);
template Option Subcommand::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Option Subcommand::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Subcommand::add_option(const std::string&, std::vector<std::uint32_t>&, const std::string&);

Option Subcommand::add_flag(const std::string& name, bool& value, const std::string& doc) {
    return Option(*app_->add_flag(name, value, doc));
}

Option Subcommand::add_flag(const std::string& name, std::string& value, const std::string& doc) {
    return Option(*app_->add_flag(name, value, doc));
}

Option Subcommand::option(const std::string& name) const {
    return Option(*app_->get_option(name));
}

std::vector<std::string> Subcommand::given() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : std::as_const(*app_).get_options())
        if (option->count() != 0) names.push_back(option->get_name());
    return names;
}

Subcommand Subcommand::add_subcommand(const std::string& name, const std::string& doc) {
    return Subcommand(*app_->add_subcommand(name, doc));
}

void Subcommand::require_subcommand() {
    app_->require_subcommand(1);
}

void Subcommand::hidden() {
    app_->group("");
}

void Subcommand::callback(std::function<void()> function) {
    app_->callback(std::move(function));
}

void Subcommand::footer(const std::string& text) {
    app_->footer(text);
}

void Subcommand::footer(std::function<std::string()> text) {
    app_->footer(std::move(text));
}

void Subcommand::allow_extras() {
    app_->allow_extras();
}

std::vector<std::string> Subcommand::extras() const {
    return app_->remaining();
}

const CLI::App& Subcommand::parent() const {
    return *app_->get_parent();
}

}  // namespace trnsim::command
