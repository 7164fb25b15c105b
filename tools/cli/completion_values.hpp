// The values that options and words of a command may have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/completion.hpp"

namespace trnsim::cli {

// The command line around the value: the command without the program's name, such as "kernel build", and the
// words after it up to the value.
struct CompletionPlace {
    std::string command;
    std::vector<std::string> words;
};

// Returns the values of an option, by its long or only name, or of a word, by its name; nothing if its values
// are not known: files or numbers. Throws std::exception for a file in `place` that is none of its kind.
std::optional<std::vector<Completions::Word>> values_of(const CompletionPlace& place, std::string_view name);

// Returns the arguments of the kernel that `kernel build` of `place` names, "--M".
std::vector<Completions::Word> kernel_arguments_of(const CompletionPlace& place);

}  // namespace trnsim::cli
