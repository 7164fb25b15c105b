// A regression list: which kernels and random programs run with which arguments on which configurations, and
// what has to come of it (docs/regressions.md).
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
    std::string id;         // unlike any other of the list: "matmul/M=1,K=33,N=5/small16/seed=1/nearest"
    std::string subject{};  // a kernel
    bool random = false;    // or a kind of random programs
    std::shared_ptr<const trial::OwnKernel> own{};  // or one that is not built in
    std::map<std::string, std::string> arguments{};
    std::optional<coverage::Plan> aim{};  // whose bins its random instructions are to hit
    std::string config{};                 // as the list names it, a key of List::configs
    std::uint32_t seed = 1;
    bool stochastic = false;
    std::optional<std::uint32_t> perturb{};  // seed of random delays; none: nothing is perturbed
    std::vector<std::string> tags{};
    double time_limit = 0;       // s of wall time
    std::uint64_t max_time = 0;  // fs of simulated time; 0: no limit
    std::string expect{};   // part of the message of the expected error; empty: the outputs are to be right
    config::Place place{};  // of its entry in the list
};

struct List {
    std::string name;
    std::filesystem::path file{};
    std::filesystem::path coverage{};  // its functional coverage plan; empty: none
    double coverage_minimum = 0;       // % of it that the whole list must reach
    std::map<std::string, config::Config> configs{};
    std::vector<Case> cases{};
};

// Throws config::Error `file:line:column: ...`, its rule one of all_rules() or of those of every document.
List read_list(const std::filesystem::path& path);

// What a list reads apart from itself: configurations, its plan, containers and programs.
std::set<std::filesystem::path> files_of(const List& list);

// The rules of lists.
std::span<const std::string_view> all_rules();

// Leaves the cases that have one of the tags and are on one of the configurations; none given: all. Throws
// std::runtime_error for a tag or configuration that no case has.
void select(List& list, std::span<const std::string> tags, std::span<const std::string> configs = {});

}  // namespace trnsim::regress
