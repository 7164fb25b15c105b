#include "tools/parity/page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trnsim::parity {
namespace {

constexpr const char* Head = R"(# Agreement of contract, interpreter, RTL and fast core

Four things say what a kernel does: the contract in words ([instruction-semantics.md](instruction-semantics.md), [timing.md](timing.md)), the interpreter, the RTL, and the [fast core](fast-core.md). The RTL
shares no code with the others. The interpreter and the fast core share what `isa` and `arch` hold: the fields of instructions, element types and their conversions, the random generator (`arch/numerics`, held against MPFR by its tests) and the tables of functions. This page is written by the command below it; the figures are those of that run.

| compared | what | test |
|---|---|---|
| contract = interpreter | every instruction's values against host arithmetic, kernels against host references | `tests/testbench/functional`, `tests/compiler/kernels` |
| interpreter = RTL | outputs of kernels and random programs, bit for bit | `rtl_kernels_test`, `rtl_random_test`, `trnsim sweep`, `trnsim regress` |
| contract = RTL | refusals and cycles of instructions | `tests/rtl` |
| RTL = fast, cycle by cycle | pins that have to do with time, counters | `lockstep_test` |
| RTL = fast, whole system | every byte of SBUF, PSUM, HBM and outputs, semaphores, completion cycles, counts | `parity_test`, `program_parity_test`, `trnsim parity` |
| interpreter = RTL = fast | the above at once, on one package | `trnsim parity`, this page |

)";

// Puts text of several lines into one cell of a table.
std::string in_cell(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    std::ranges::replace(text, '|', '/');
    return text;
}

}  // namespace

bool row_agrees(const PageRow& row) {
    return row.failure.empty() && agrees(row.agreement);
}

std::string parity_page(const std::string& command, const std::vector<PageRow>& rows) {
    std::string text = Head;
    text += fmt::format("    {}\n\n", command);
    text +=
        "| on | package | instructions | in another cycle | mean error | worst error | places that differ | "
        "counts that "
        "differ | output bytes unlike the interpreter's |\n|---|---|---|---|---|---|---|---|---|\n";
    std::uint64_t instructions = 0, agreeing = 0;
    for (const PageRow& row : rows) {
        if (!row.failure.empty()) {
            text += fmt::format("| {} | {} | cannot be compared: {} | | | | | | |\n", row.config, row.subject,
                                in_cell(row.failure));
            continue;
        }
        const Comparison& cores = row.agreement.cores;
        if (row_agrees(row)) {
            instructions += cores.timing.instructions;
            ++agreeing;
        }
        text += fmt::format("| {} | {} | {} | {} | {:.4f} % | {:.4f} % | {} | {} | {} |\n", row.config,
                            row.subject, cores.timing.instructions, cores.timing.differing,
                            100 * cores.timing.mean, 100 * cores.timing.worst,
                            cores.bytes.size() + cores.runs.size(), cores.counted.size(),
                            row.agreement.unlike_interpreter);
    }
    if (agreeing == 0) return text + fmt::format("\nNone of {} packages agrees.\n", rows.size());
    text += fmt::format(
        "\n{} of {} packages agree, with {} instructions: no byte, semaphore or output{} differs, and the "
        "error of completion "
        "cycles is at most {} % in the mean and {} % in the worst case. Counts are told, not judged.\n",
        agreeing, rows.size(), instructions, agreeing == rows.size() ? "" : " of theirs", 100 * MostMean,
        100 * MostWorst);
    return text;
}

}  // namespace trnsim::parity
