// The page about agreement: contract, interpreter, verilated core and fast core, with the figures of a run of
// `trnsim parity`.
#pragma once

#include <string>
#include <vector>

#include "tools/parity/runs.hpp"

namespace trnsim::parity {

struct PageRow {
    std::string subject, config;
    Agreement agreement;
    std::string failure;  // reason why it cannot be compared; empty if it was
};

bool row_agrees(const PageRow& row);

// Returns Markdown. `command` is the command that made the rows, as one types it.
std::string parity_page(const std::string& command, const std::vector<PageRow>& rows);

}  // namespace trnsim::parity
