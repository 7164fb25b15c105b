#include "tools/project/project.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "base/files/files.hpp"
#include "base/places/places.hpp"
#include "tools/project/template_files.hpp"

namespace trnsim::project {
namespace {

namespace fs = std::filesystem;

// Returns the build folder or installation that holds the program, with CMake's package for it.
fs::path find_prefix() {
    fs::path prefix = places::program_folders().front().parent_path();
    if (!fs::is_regular_file(prefix / "lib/cmake/trnsim/trnsimConfig.cmake")) {
        throw std::runtime_error(
            fmt::format("{}: no lib/cmake/trnsim, expected the program in a build folder or an installation",
                        prefix.string()));
    }
    return prefix;
}

// Returns the folder's name in characters that names of CMake's projects and targets may have.
std::string name_of(const fs::path& folder) {
    std::string name = folder.filename().string();
    for (char& c : name) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
        if (!plain) c = '_';
    }
    return name.empty() ? "kernel" : name;
}

void replace_all(std::string& text, const std::string& mark, const std::string& value) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
        text.replace(at, mark.size(), value);
}

// Moves the files of `from` to `to`; on an error removes those that were moved.
void move_files(const fs::path& from, const fs::path& to) {
    std::vector<fs::path> moved;
    try {
        for (const fs::directory_entry& file : fs::directory_iterator(from)) {
            const fs::path there = to / file.path().filename();
            fs::rename(file.path(), there);
            moved.push_back(there);
        }
    } catch (const fs::filesystem_error&) {
        std::error_code ignored;
        for (const fs::path& path : moved) fs::remove(path, ignored);
        throw;
    }
}

}  // namespace

void create(const fs::path& given) {
    std::error_code error;
    fs::path folder = fs::weakly_canonical(fs::absolute(given), error);
    if (error) throw files::Error(fmt::format("{}: {}", given.string(), error.message()));
    if (!folder.has_filename()) folder = folder.parent_path();
    const bool there = fs::exists(folder, error);
    if (there && !fs::is_directory(folder, error))
        throw files::Error(fmt::format("{}: is a file, expected a new or empty folder", given.string()));
    if (there && !fs::is_empty(folder, error))
        throw files::Error(fmt::format("{}: is not empty, expected a new or empty folder", given.string()));
    const std::string prefix = find_prefix().string();

    const files::Target target{there ? folder / "project" : folder, given.string(), std::nullopt};
    const files::Temporary work(target, files::Temporary::Kind::Folder);
    for (const TemplateFile& file : TemplateFiles) {
        std::string text(file.text), name(file.name);
        for (std::string* part : {&text, &name}) {
            replace_all(*part, "{{name}}", name_of(folder));
            replace_all(*part, "{{prefix}}", prefix);
        }
        files::write(work.path() / name, text);
    }
    try {
        if (!there) fs::create_directory(folder);
        move_files(work.path(), folder);
    } catch (const fs::filesystem_error& failure) {
        if (!there) fs::remove(folder, error);
        throw target.error(failure.code().message());
    }
}

}  // namespace trnsim::project
