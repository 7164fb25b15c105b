#include "tools/cli/isolated.hpp"

#include <stdexcept>

#include "base/jobs/process.hpp"

namespace trnsim::cli {

std::string run_isolated(const std::function<std::string()>& work) {
    jobs::Outcome outcome = jobs::run({.work = work, .capture = false});
    if (!outcome.returned()) throw std::runtime_error(outcome.text);
    return outcome.text;
}

}  // namespace trnsim::cli
