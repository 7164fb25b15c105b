// Completion of command lines: the shells' scripts ask the program, so that all of them know the same.
#pragma once

#include <string>
#include <vector>

#include "tools/command/subcommand.hpp"

namespace trnsim::cli {

struct Completions {
    struct Word {
        std::string text, doc;
    };
    std::vector<Word> words;
    bool files = false;  // names of files as well
};

// Completes the last of `words`, which are a command line from the program's name on; the last may be empty.
// Commands and options come from `app`, values from what the options stand for: configurations, kernels and
// their arguments, tensors of a container that is there, tests of a list. Words that do not begin like the
// last one are left out. Errors are no completions.
Completions complete(const CLI::App& app, const std::vector<std::string>& words);

// Returns a line for each, "WORD<tab>text", and ":files".
std::string to_text(const Completions& completions);

}  // namespace trnsim::cli
