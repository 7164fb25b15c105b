#include "runtime/waves/view_file.hpp"

#include <fstream>
#include <string_view>
#include <utility>

namespace trnsim::waves {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view Programs = "waves/translate/program_";  // tables of the recorded programs
constexpr std::string_view Filters = "waves/filters/";
constexpr const char* FilterModule = "number.py";  // filters import it from their folder

bool is_title(const std::string& line) {
    return line.starts_with('-');
}

}  // namespace

std::vector<Group> groups_of(const View& view) {
    std::vector<Group> groups;
    std::vector<std::string> pending;
    bool open = false;
    std::ifstream lines(view.file);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('@')) pending.clear();
        if (line.starts_with('@') || line.starts_with('^')) {
            pending.push_back(line);
        } else if (is_title(line)) {
            pending.push_back(line);
            if (open) {
                groups.back().end = std::exchange(pending, {});
            } else {
                groups.push_back({std::exchange(pending, {}), {}, {}});
            }
            open = !open;
        } else if (line.starts_with('+')) {
            pending.push_back(line);
            groups.back().entries.push_back({std::exchange(pending, {}), line.substr(line.find("} ") + 2)});
        }
    }
    return groups;
}

fs::path file_beside(const std::string& file, const View& view, const Recording& recording) {
    const fs::path shipped = view.root / file, own = folder_of(recording.path) / shipped.filename();
    if (file.starts_with(Programs) && fs::exists(own)) return own;
    fs::create_directories(own.parent_path());
    fs::copy_file(shipped, own, fs::copy_options::overwrite_existing);
    if (file.starts_with(Filters))
        fs::copy_file(shipped.parent_path() / FilterModule, own.parent_path() / FilterModule,
                      fs::copy_options::overwrite_existing);
    return own;
}

}  // namespace trnsim::waves
