// Options of a subcommand, without the header of the parser library CLI11: each file that includes that takes
// seconds to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library names it so
class App;
class Option;
}  // namespace CLI

namespace trnsim::command {

// An option, or a positional word.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    Option& required();
    Option& description(const std::string& doc);
    Option& type_name(const std::string& name);  // type of its value, in the help
    Option& show_default();                      // shows the present value of its variable in the help
    Option& single();                            // takes one value each time it is given
    Option& repeated();                          // takes one value each time it is given, and keeps all
    Option& delimiter(char between);             // takes a list in one value
    Option& between(std::uint32_t least, std::uint32_t most);
    Option& one_of(const std::vector<std::uint32_t>& values);
    Option& excludes(const Option& other);
    Option& hidden();

  private:
    CLI::Option* option_;
};

class Subcommand {
  public:
    explicit Subcommand(CLI::App& app) : app_(&app) {}

    // `name` is e.g. "-o,--output", or "kernel" for a word. The value goes to `value`, which outlives the
    // parsing: text, a whole number of 32 or 64 bits, an optional of either, or a vector of texts or of
    // numbers of 32 bits.
    template <typename Value>
    Option add_option(const std::string& name, Value& value, const std::string& doc);
    // A text gets "true" or "false", and the flag may be given as --name=false.
    Option add_flag(const std::string& name, bool& value, const std::string& doc);
    Option add_flag(const std::string& name, std::string& value, const std::string& doc);
    Option option(const std::string& name) const;  // an option that has been added
    std::vector<std::string> given() const;        // names of the options that the command line has

    Subcommand add_subcommand(const std::string& name, const std::string& doc);
    void require_subcommand();
    void hidden();  // the help does not show it

    // Called when the command line has been parsed.
    void callback(std::function<void()> function);
    // Sets the end of the help.
    void footer(const std::string& text);
    void footer(std::function<std::string()> text);

    // Leaves words that are not declared to the callback.
    void allow_extras();
    std::vector<std::string> extras() const;

    const CLI::App& parent() const;

  private:
    CLI::App* app_;
};

}  // namespace trnsim::command
