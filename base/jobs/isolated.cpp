#include "base/jobs/isolated.hpp"

#include <stdexcept>

#include "base/jobs/process.hpp"

namespace trnsim::jobs {

std::string run_isolated(const std::function<std::string()>& work) {
    Outcome outcome = run({.work = work, .capture = false});
    if (!outcome.returned()) throw std::runtime_error(outcome.text);
    return outcome.text;
}

}  // namespace trnsim::jobs
