// The log of a failure.
#pragma once

#include <string>

#include "tools/regress/list.hpp"
#include "tools/regress/result.hpp"

namespace trnsim::regress {

// Returns a case's name as that of a file: letters, digits and other characters that are safe there.
std::string file_name(const std::string& id);

// Returns the log of a failure that ran again (CaseResult::rerun). `output` is that of its process.
std::string log_text(const Case& one, const config::Config& config, const CaseResult& result,
                     const std::string& output);

}  // namespace trnsim::regress
