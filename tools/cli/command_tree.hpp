// The commands and options that completion, the manual page and the reference know: all that are not hidden.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library names it so
class App;
class Option;
}  // namespace CLI

namespace trnsim::cli {

std::vector<const CLI::App*> commands_below(const CLI::App& app);
std::vector<const CLI::Option*> options_of(const CLI::App& app);

// Returns "-o" and "--output".
std::vector<std::string> names_of(const CLI::Option& option);
bool takes_value(const CLI::Option& option);

// Visits every command with its words, such as "kernel build".
void visit(const CLI::App& app, const std::string& words,
           const std::function<void(const CLI::App&, const std::string&)>& each);

}  // namespace trnsim::cli
