// Keeps a difference for `trnsim parity --shrink FOLDER`: the smallest subject that shows it, to run again,
// with a wave of each model.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "testbench/parity/subjects.hpp"
#include "tools/command/environment.hpp"
#include "tools/parity/runs.hpp"

namespace trnsim::parity {

using Compare = std::function<Agreement(const Subject&)>;
using MakeSubject = std::function<Subject()>;

// Returns the smallest part of `subject` that still differs in one of the ways of `found`: the first of
// `parts` that does, then without the instructions and transfers that do not matter. Parts that cannot be
// compared do not count. Returns the whole subject when it does not differ again.
Subject shrink_difference(const Subject& subject, const Agreement& found,
                          const std::vector<MakeSubject>& parts, const Compare& compare);

// Writes a shrunk subject, its differences and how to see them again into the new folder `into`/NAME, where
// NAME comes from the name of the whole one. Returns that folder. Throws files::Error.
std::filesystem::path keep_difference(const std::filesystem::path& into, const Subject& whole,
                                      const Subject& shrunk, const std::vector<std::string>& lines,
                                      const command::Environment& environment);

}  // namespace trnsim::parity
