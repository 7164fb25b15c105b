// A kernel that is not built in: a container, or a program that writes one.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "arch/config/config.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::trial {

struct OwnKernel {
    std::string name;       // name in reports: that of the file, without folder and extension
    std::string arguments;  // text for people: arguments in the container, or the words after the program
    std::filesystem::path file;      // the container, or the program's file
    std::vector<std::string> words;  // words of the program's command line; empty for a container
    std::filesystem::path folder;    // working folder of the program
    target::Core target;             // target of a container

    bool is_program() const { return !words.empty(); }
    // Returns the files that the kernel depends on: its file, and those that words of a program name.
    std::vector<std::filesystem::path> files() const;
};

// Throw std::runtime_error for a file that is no sound container, and for a program that does not exist. A
// program's name with a slash, like the words that are paths, is relative to `folder`; another name is looked
// up in PATH.
OwnKernel own_container(const std::filesystem::path& file);
OwnKernel own_program(std::span<const std::string> words, const std::filesystem::path& folder);

// Returns the kernel for a configuration. A program is run in its folder with the further words `-o FILE
// --config CONFIG.yaml` and writes the container to FILE. Throws std::runtime_error.
neff::Package package_of(const OwnKernel& kernel, const config::Config& config);

}  // namespace trnsim::trial
