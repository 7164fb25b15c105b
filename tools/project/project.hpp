// Makes a new project with a small kernel, its build and its tests.
#pragma once

#include <filesystem>

namespace trnsim::project {

// Writes the project to `folder`, which must be empty or not exist: all of it or nothing. The project finds
// this trnsim. Throws files::Error, std::runtime_error.
void create(const std::filesystem::path& folder);

}  // namespace trnsim::project
