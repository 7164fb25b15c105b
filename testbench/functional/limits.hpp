// Limits of a run of the interpreter: a program need not end.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/neff/package.hpp"

namespace trnsim::functional {

// `work` is in elements: those of every partition of an instruction; 32 products of a matmul, four bytes of a
// transfer, and a part of the work of an instruction itself count as one.
struct Limits {
    static constexpr std::uint64_t MostWork = std::uint64_t{1} << 34;

    std::uint64_t work = MostWork;
    // Cycles of the core's clock that an engine may need at least: a bound of the time of the run. 0: none.
    std::uint64_t cycles = 0;
};

// The work of a run so far, and the fewest cycles that each engine needs for its own.
class Budget {
  public:
    explicit Budget(const Limits& limits) : limits_(limits) {}

    // Adds an instruction or a transfer. Throws Error beyond a limit.
    void add(isa::Engine engine, const isa::Instruction& instruction);
    void add(const neff::Transfer& transfer);

  private:
    void check(isa::Engine engine) const;

    Limits limits_;
    std::uint64_t work_ = 0;
    std::array<std::uint64_t, neff::EngineCount> cycles_{};
};

}  // namespace trnsim::functional
