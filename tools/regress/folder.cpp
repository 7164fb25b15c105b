#include "tools/regress/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <system_error>

#include "base/files/files.hpp"

namespace trnsim::regress {
namespace {

namespace fs = std::filesystem;

// A folder in that of the results which regressions empty, and the names of what they keep there.
struct Part {
    const char *folder, *names;
};
constexpr const char* Failures = "failures";
constexpr std::array Parts{Part{"tests", R"([0-9a-f]{64}\.json(\.[0-9a-f]{16}\.partial)?)"},
                           Part{Failures, R"([0-9]{3,}-.+)"}};
constexpr const char* Expected = "expected another folder for the results (-o)";

[[noreturn]] void refuse(const fs::path& path, const std::string& found) {
    throw files::Error(fmt::format("{}: {}, {}", path.string(), found, Expected));
}

void check_part(const fs::path& folder, const char* names) {
    std::error_code unreachable;
    const fs::file_status status = fs::symlink_status(folder, unreachable);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status)) refuse(folder, "no folder of a regression");
    const std::regex form(names);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (!std::regex_match(entry.path().filename().string(), form))
            refuse(entry.path(), "was not written by a regression, which would remove it");
}

bool is_of_regression(const fs::path& results) {
    std::error_code unreachable;
    if (!fs::is_regular_file(results, unreachable)) return false;
    const auto bytes = files::read(results);
    const auto json = nlohmann::json::parse(bytes, nullptr, false);
    return json.is_object() && std::ranges::all_of(std::array{"list", "trnsim", "tests", "results"},
                                                   [&](const char* member) { return json.contains(member); });
}

bool is_below(const fs::path& file, const fs::path& folder) {
    std::error_code unreachable;
    const fs::path there = fs::weakly_canonical(folder, unreachable);
    for (fs::path at = fs::weakly_canonical(file, unreachable); at.has_relative_path(); at = at.parent_path())
        if (at == there) return true;
    return false;
}

}  // namespace

void check_folder(const fs::path& folder, const std::vector<std::string>& outputs,
                  const std::set<fs::path>& inputs) {
    for (const Part& part : Parts) {
        check_part(folder / part.folder, part.names);
        for (const fs::path& input : inputs)
            if (is_below(input, folder / part.folder))
                refuse(input, "is read by the list, and a regression would remove it");
    }
    if (is_of_regression(folder / ResultsFile)) return;
    for (const std::string& name : outputs) {
        std::error_code unreachable;
        if (fs::exists(fs::symlink_status(folder / name, unreachable)))
            refuse(folder / name, "was not written by a regression, which would replace it");
    }
}

void remove_failures(const fs::path& folder) {
    std::error_code unreachable;
    fs::remove_all(folder / Failures, unreachable);
}

}  // namespace trnsim::regress
