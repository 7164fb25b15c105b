// Work in a child process: SystemC cannot be restarted, and a crash is reported instead of shared.
#pragma once

#include <functional>
#include <string>

namespace trnsim::jobs {

// Returns the text that `work` returns in a child process. Throws std::runtime_error with the message of the
// exception that left `work`, or with the way the child ended.
std::string run_isolated(const std::function<std::string()>& work);

}  // namespace trnsim::jobs
