// Options of a subcommand, without the header of the library that parses them: each file that includes CLI11 takes seconds to compile.
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

// An option, or a word that stands without a name.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    Option& required();
    Option& description(const std::string& doc);
    Option& type_name(const std::string& name);  // of its value, in the help
    Option& show_default();                      // in the help: what its variable holds now
    Option& single();                            // one value each time it is given
    Option& repeated();                          // the same, and all values count
    Option& delimiter(char between);             // a list in one value
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

    // `name`: "-o,--output", or "kernel" for a word. What is given goes to `value`, which outlives the parsing: text, a whole number of 32
    // or 64 bits, an optional of either, or a vector of texts or of numbers of 32 bits.
    template <typename Value>
    Option add_option(const std::string& name, Value& value, const std::string& doc);
    // A text gets "true" or "false", and may be given as --name=false.
    Option add_flag(const std::string& name, bool& value, const std::string& doc);
    Option add_flag(const std::string& name, std::string& value, const std::string& doc);
    Option option(const std::string& name) const;  // that has been added
    std::vector<std::string> given() const;        // names of the options that the command line has

    Subcommand add_subcommand(const std::string& name, const std::string& doc);
    void require_subcommand();

    // Called when the command line has been parsed.
    void callback(std::function<void()> function);
    // Ends the help.
    void footer(const std::string& text);
    void footer(std::function<std::string()> text);

    // Words that are no options are left to the callback.
    void allow_extras();
    std::vector<std::string> extras() const;

    const CLI::App& parent() const;

  private:
    CLI::App* app_;
};

}  // namespace trnsim::command
