// The subject of a test: a built-in kernel, another one or random programs, with its arguments.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arch/config/document.hpp"
#include "compiler/kernels/arguments.hpp"
#include "testbench/trial/own_kernel.hpp"

namespace trnsim::regress {

struct Subject {
    std::string name;
    bool random = false;  // random programs
    bool aims = false;    // they can aim at bins
    std::span<const kernels::ArgumentInfo> arguments{};
    std::shared_ptr<const trial::OwnKernel> own{};
};

// Finds the subject of an entry's key `kernel`, `program` or `neff`. Files are relative to `folder`.
Subject find_subject(const std::string& key, const YAML::Node& node, const config::Location& where,
                     const std::filesystem::path& folder);

struct Argument {
    std::string name;
    std::vector<std::string> values;
};

// Returns arguments in the order of the list.
std::vector<Argument> read_arguments(const config::Document& document, const Subject& subject,
                                     const YAML::Node& given);

// One value for each argument; the last argument advances fastest.
using Chosen = std::map<std::string, std::string>;
std::vector<Chosen> combinations(const std::vector<Argument>& arguments);

void check_arguments(const Subject& subject, const Chosen& chosen, const config::Location& where);

}  // namespace trnsim::regress
