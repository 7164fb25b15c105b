// The history of a list over commits: a line of JSON for each run in a file, and a page that shows them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/regress/regression.hpp"

namespace trnsim::regress {

// A run of a list.
struct HistoryEntry {
    std::string commit;  // as git describes it, "-dirty" at its end; empty outside of a repository
    std::string time;    // of the run, UTC: "2026-01-31 12:00:00"
    std::size_t tests = 0, failed = 0;
    double seconds = 0;
    std::map<std::string, std::uint64_t> cycles{};  // by test that ran to its end
    std::map<std::string, std::string> failures{};  // status by test that failed
};

using History = std::vector<HistoryEntry>;  // oldest first

// Returns the commit of the repository that a file is in; empty if it is in none.
std::string commit_of(const std::filesystem::path& file);

HistoryEntry entry_of(const List& list, const Summary& summary, const std::string& commit,
                      const std::string& time);

// Returns an empty history when there is no such file. Throws std::runtime_error `FILE:LINE: ...`.
History read_history(const std::filesystem::path& path);
// Writes all of it; throws files::Error.
void write_history(const std::filesystem::path& path, const History& history);

// Adds a run. One of a clean commit takes the place of that commit's earlier one.
void add(History& history, HistoryEntry entry);

// Returns the cycles of each run relative to the first: the product of the geometric means of consecutive
// runs over the tests that both have.
std::vector<double> relative_cycles(const History& history);

// Returns self-contained HTML: the runs, and the tests whose cycles or states differ between them.
std::string history_page(const std::string& name, const History& history);

}  // namespace trnsim::regress
