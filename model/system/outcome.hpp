// The outcome of a run of a system.
#pragma once

#include <cstdint>
#include <string>

namespace trnsim::tlm {

enum class Outcome {
    Done,       // every started engine halted and the DMA engines are idle
    CoreError,  // a core raised its error pin; details are in its error registers
    DmaError,   // a DMA engine stopped
    Hang,       // nothing happened for runtime.timeout, or nothing can happen any more
    TimeLimit,  // `limit` of run() passed
};

struct RunResult {
    Outcome outcome;
    std::string message;       // one line, empty for Done
    std::uint64_t start, end;  // fs
};

}  // namespace trnsim::tlm
