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
    std::string name;                // in reports: that of the file, without folder and extension
    std::string arguments;           // for people: those in the container, or the words after the program
    std::filesystem::path file;      // the container, or the program's file
    std::vector<std::string> words;  // of the program's command line; none: a container
    std::filesystem::path folder;    // that the program runs in
    target::Core target;             // of a container

    bool is_program() const { return !words.empty(); }
    // What it is made of: the file, and those that words of a program name.
    std::vector<std::filesystem::path> files() const;
};

// Throw std::runtime_error for a file that is no sound container, and for a program that is not there. A
// program's name with a slash, like the words that are paths, is relative to `folder`; another one is looked
// for in PATH.
OwnKernel own_container(const std::filesystem::path& file);
OwnKernel own_program(std::span<const std::string> words, const std::filesystem::path& folder);

// The kernel for a configuration. A program is run with the further words `-o FILE --config CONFIG.yaml` in
// its folder: it writes the container to FILE. Throws std::runtime_error.
neff::Package package_of(const OwnKernel& kernel, const config::Config& config);

}  // namespace trnsim::trial
