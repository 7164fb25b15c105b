#include "runtime/waves/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/waves/run.hpp"
#include "runtime/waves/view.hpp"

namespace trnsim::waves {
namespace {

constexpr const char* Overview = "core";

}  // namespace

void check_name(const std::string& what, const std::filesystem::path& recording) {
    if (recording.extension() != ".fst")
        throw std::runtime_error(fmt::format(
            "{} {}: expected a name that ends in .fst, the only format there is", what, recording.string()));
}

void add_beside_core(files::Roles& roles, const std::string& what, const std::filesystem::path& recording,
                     const std::vector<std::string>& scopes) {
    roles.add_output(fmt::format("the view of {}", what), save_file_of(recording, view_of(scopes)));
    roles.add_output(fmt::format("the tables of {}", what), folder_of(recording));
}

void add_beside_server(files::Roles& roles, const std::string& what, const std::filesystem::path& recording) {
    roles.add_output(fmt::format("the view of {}", what), save_file_of(recording, ServerView));
}

std::string view_of(const std::vector<std::string>& scopes) {
    const auto names = view_names();
    const auto has_view = [&names](const std::string& scope) {
        return std::ranges::count(names, scope) != 0;
    };
    const auto found = std::ranges::find_if(scopes, has_view);
    const bool overview = std::ranges::count(scopes, Overview) != 0 || found == scopes.end();
    return overview ? Overview : *found;
}

}  // namespace trnsim::waves
