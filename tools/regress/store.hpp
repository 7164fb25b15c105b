// Results of cases in a folder, one file each, so that a regression that was ended goes on later. The name of
// a file is a hash of everything that its result depends on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tools/regress/list.hpp"
#include "tools/regress/result.hpp"
#include "tools/sweep/origin.hpp"

namespace trnsim::regress {

// Returns the hash for a case on a configuration; `plan` is the text of the plan that is counted.
std::string identity(const Case& one, const config::Config& config, const sweep::Origin& origin,
                     const std::string& plan);

class Store {
  public:
    // FOLDER/tests. Without `keep` results that are there are removed. Throws files::Error.
    Store(const std::filesystem::path& folder, bool keep);

    void put(const std::string& identity, const CaseResult& result) const;
    // Returns a result that another run would repeat; time-outs and crashes may be due to circumstances. A
    // file that is no result counts as none.
    std::optional<CaseResult> find(const std::string& identity) const;

  private:
    std::filesystem::path folder_;
};

}  // namespace trnsim::regress
