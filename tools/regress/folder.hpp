// The folder of a regression's results, in which only results of regressions are replaced.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace trnsim::regress {

// Names of files in the folder.
inline constexpr const char *ResultsFile = "results.json", *ReportFile = "report.html",
                            *JunitFile = "junit.xml", *HistoryFile = "history.html";

// Checks that a folder, which may not exist yet, is a regression's: its tests/ and failures/ hold nothing but
// results, `outputs`, which are names of files, are there only with the results of a regression, and none of
// `inputs` is among what is removed. Throws files::Error "FILE: ..., expected ...".
void check_folder(const std::filesystem::path& folder, const std::vector<std::string>& outputs,
                  const std::set<std::filesystem::path>& inputs);

// Removes what earlier regressions kept of failures there.
void remove_failures(const std::filesystem::path& folder);

}  // namespace trnsim::regress
