// Limits of a run of the interpreter: a program need not end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "compiler/neff/package.hpp"

namespace trnsim::functional {

// Ends a run that Limits::interrupted wants to end.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "the interpreter was interrupted"; }
};

// The unit of work is an element: those of every partition of an instruction. Everything else counts as the
// elements that take as long: 12 products of a matmul or four bytes of a transfer or of a GpSimd command count as one, each partition
// of an instruction and each piece of a transfer as 4, an instruction as 16, and one that waits for a
// semaphore or changes it as 4 more for each engine and each ring of the kernel. A million elements take up to
// 0.3 s.
struct Limits {
    static constexpr std::uint64_t MostWork = std::uint64_t{1} << 34;
    static constexpr std::uint64_t MostRepeatedWork = std::uint64_t{1} << 28;

    // Limit of all work. None: MostWork, and MostRepeatedWork for instructions that an engine executes again
    // and the transfers that they trigger, as only those can go on for ever.
    std::optional<std::uint64_t> work{};
    // Cycles of the core's clock that an engine, or the DMA engines, may need at least: a bound of the time of
    // the run. 0: none.
    std::uint64_t cycles = 0;
    // Bytes that all DMA engines together move at most in such a cycle. 0: no bound of their time.
    std::uint64_t dma_bytes = 0;
    // Returns true when the run is to end; may be empty. It is asked often.
    std::function<bool()> interrupted{};
};

// The work of a run so far, and the fewest cycles that each engine, and DMA, needs for its own.
class Budget {
  public:
    Budget(const Limits& limits, const neff::Package& package);

    // Adds an instruction at an index of its engine's program. Throws Error beyond a limit, and Interrupted.
    void add(isa::Engine engine, std::size_t pc, const isa::Instruction& instruction);
    // Adds a transfer that the newest instruction triggers. Throws the same.
    void add(const neff::Transfer& transfer);
    // Adds bytes that a command of the GpSimd cores has read and written, as only the command knows them.
    void add_bytes(std::uint64_t bytes);
    // Throws Interrupted.
    void poll() const {
        if (limits_.interrupted && limits_.interrupted()) throw Interrupted();
    }

  private:
    void add_work(std::uint64_t work);
    void check_cycles(std::uint64_t cycles) const;

    Limits limits_;
    std::uint64_t clock_entries_, dma_engines_;
    std::uint64_t work_ = 0, repeated_ = 0;
    bool repeats_ = false;                                  // the newest instruction has been executed before
    std::array<std::size_t, neff::EngineCount> reached_{};  // one more than the highest index so far
    std::array<std::uint64_t, neff::EngineCount> cycles_{};
    std::uint64_t dma_bytes_ = 0;
};

}  // namespace trnsim::functional
