// A regression list: kernels and random programs with arguments, configurations and expected results
// (docs/regressions.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/document.hpp"
#include "testbench/coverage/plan.hpp"
#include "testbench/trial/own_kernel.hpp"

namespace trnsim::regress {

struct Case {
    std::string id;         // unique in the list: "matmul/M=1,K=33,N=5/small16/seed=1/nearest"
    std::string subject{};  // name of a kernel
    bool random = false;    // or a kind of random programs
    std::shared_ptr<const trial::OwnKernel> own{};  // set if the kernel is not built in
    std::map<std::string, std::string> arguments{};
    std::optional<coverage::Plan> aim{};  // bins that its random instructions are to hit
    std::string config{};                 // name in the list, a key of List::configs
    std::uint32_t seed = 1;
    bool stochastic = false;
    std::optional<std::uint32_t> perturb{};  // seed of random delays; none: no perturbation
    std::vector<std::string> tags{};
    double time_limit = 0;       // s of wall time
    std::uint64_t max_time = 0;  // fs of simulated time; 0: no limit
    std::string expect{};      // part of the message of the expected error; empty: the outputs must be right
    config::Location place{};  // place of its entry in the list
};

struct List {
    std::string name;
    std::filesystem::path file{};
    std::filesystem::path coverage{};  // its functional coverage plan; empty if none
    double coverage_minimum = 0;       // % of it that the whole list must reach
    std::map<std::string, config::Config> configs{};
    std::vector<Case> cases{};
};

// Throws config::Error `file:line:column: ...` with one of all_rules() or one of those of every document.
List read_list(const std::filesystem::path& path);

// Returns the files that a list depends on: configurations, its plan, containers and programs.
std::set<std::filesystem::path> files_of(const List& list);

// Returns the rules of lists.
std::span<const std::string_view> all_rules();

// Keeps the cases that have one of the tags and are on one of the configurations; an empty list keeps all.
// Throws std::runtime_error for a tag or configuration that no case has.
void select(List& list, std::span<const std::string> tags, std::span<const std::string> configs = {});

}  // namespace trnsim::regress
