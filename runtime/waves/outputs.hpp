// The names of output recordings, which are checked before anything runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/roles.hpp"

namespace trnsim::waves {

// Throws std::runtime_error, which begins with `what`, unless the name is that of a recording: it ends in
// .fst.
void check_name(const std::string& what, const std::filesystem::path& recording);

// Add the files that are written beside a recording of these scopes of a core, or of a server: views, tables.
// `what` names the recording, such as "--wave". Throws files::Error as Roles does.
void add_beside_core(files::Roles& roles, const std::string& what, const std::filesystem::path& recording,
                     const std::vector<std::string>& scopes);
void add_beside_server(files::Roles& roles, const std::string& what, const std::filesystem::path& recording);

// The view of a recording: "core" unless the requested scopes have another one; ServerView is that of a
// server.
std::string view_of(const std::vector<std::string>& scopes);
inline constexpr const char* ServerView = "link";

}  // namespace trnsim::waves
