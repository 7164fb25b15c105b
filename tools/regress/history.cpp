#include "tools/regress/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/jobs/process.hpp"
#include "tools/cores/command.hpp"

namespace trnsim::regress {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const HistoryEntry& entry) {
    return {{"commit", entry.commit}, {"time", entry.time},       {"tests", entry.tests},
            {"failed", entry.failed}, {"seconds", entry.seconds}, {"failures", entry.failures},
            {"cycles", entry.cycles}};
}

HistoryEntry from_json(const Json& json) {
    return {.commit = json.at("commit"),
            .time = json.at("time"),
            .tests = json.at("tests"),
            .failed = json.at("failed"),
            .seconds = json.at("seconds"),
            .cycles = json.at("cycles").get<std::map<std::string, std::uint64_t>>(),
            .failures = json.at("failures").get<std::map<std::string, std::string>>()};
}

bool is_dirty(const std::string& commit) {
    return commit.empty() || commit.ends_with("-dirty");
}

}  // namespace

std::string commit_of(const std::filesystem::path& file) {
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    const jobs::Outcome outcome = jobs::run({.work = [&] {
        cores::run_command(
            {"git", "-C", folder.string(), "describe", "--always", "--dirty", "--exclude", "*"});
        return std::string();
    }});
    if (!outcome.returned()) return "";
    std::string commit = outcome.log;
    while (!commit.empty() && commit.back() == '\n') commit.pop_back();
    return commit;
}

HistoryEntry entry_of(const List& list, const Summary& summary, const std::string& commit,
                      const std::string& time) {
    HistoryEntry entry{.commit = commit,
                       .time = time,
                       .tests = list.cases.size(),
                       .failed = summary.failed(),
                       .seconds = summary.seconds};
    for (std::size_t i = 0; i < list.cases.size(); ++i) {
        const CaseResult& result = summary.results[i];
        const std::string& id = list.cases[i].id;
        if (result.failed()) entry.failures.emplace(id, name_of(result.status));
        const bool ended = result.status == Status::Pass || result.status == Status::Cycles;
        if (ended && result.cycles != 0 && !list.cases[i].perturb) entry.cycles.emplace(id, result.cycles);
    }
    return entry;
}

History read_history(const std::filesystem::path& path) {
    History history;
    if (!std::filesystem::exists(path)) return history;
    const auto bytes = files::read(path);
    std::istringstream lines(std::string(bytes.begin(), bytes.end()));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        try {
            history.push_back(from_json(Json::parse(line)));
        } catch (const Json::exception&) {
            throw std::runtime_error(fmt::format("{}:{}: found no run, expected a line of regress --history",
                                                 path.string(), number));
        }
    }
    return history;
}

void write_history(const std::filesystem::path& path, const History& history) {
    std::string text;
    for (const HistoryEntry& entry : history) text += to_json(entry).dump() + "\n";
    files::write(path, text);
}

void add(History& history, HistoryEntry entry) {
    if (!is_dirty(entry.commit)) {
        const auto same = std::ranges::find(history, entry.commit, &HistoryEntry::commit);
        if (same != history.end()) {
            *same = std::move(entry);
            return;
        }
    }
    history.push_back(std::move(entry));
}

std::vector<double> relative_cycles(const History& history) {
    std::vector<double> relative;
    for (std::size_t run = 0; run < history.size(); ++run) {
        if (run == 0) {
            relative.push_back(1);
            continue;
        }
        double sum = 0;
        std::size_t count = 0;
        for (const auto& [id, cycles] : history[run].cycles) {
            const auto before = history[run - 1].cycles.find(id);
            if (before == history[run - 1].cycles.end()) continue;
            sum += std::log(static_cast<double>(cycles) / static_cast<double>(before->second));
            ++count;
        }
        const double mean = count == 0 ? 1 : std::exp(sum / static_cast<double>(count));
        relative.push_back(relative.back() * mean);
    }
    return relative;
}

}  // namespace trnsim::regress
