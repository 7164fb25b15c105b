// GpSimd cores as in a NeuronCore's model, each with its slice of SBUF, and their observers.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "model/core/rtl/gpsimd_cores.hpp"
#include "tests/common/riscv/program.hpp"

namespace trnsim::test {

class ModelBench {
  public:
    // With `stalls` the slices' ports become ready and their data comes after random times, else at once.
    ModelBench(unsigned cores, std::uint64_t seed, bool stalls);
    ~ModelBench() { cores_.final(); }

    void load(unsigned core, const std::vector<std::uint32_t>& words);  // from TcmBase on
    std::vector<std::uint32_t>& slice(unsigned core) { return slices_[core].words; }
    // Makes an edge of all cores; those of the mask run from TcmBase on.
    void step(unsigned run, unsigned irq = 0);
    // Runs until all cores wait; returns whether they came to that.
    bool run(unsigned mask, std::uint64_t most_cycles = 2'000'000);
    bool waiting(unsigned core) { return cores_.model(core).waiting_o != 0; }
    tlm::GpsimdCores& cores() { return cores_; }

  private:
    using Beat = std::array<std::uint32_t, 16>;
    struct Read {
        std::uint64_t due;
        Beat data;
    };
    struct Slice {
        std::vector<std::uint32_t> words;
        std::deque<Read> reads;
    };
    void serve(unsigned core, tlm::GpsimdCores::Inputs& in);

    VerilatedContext context_;
    tlm::GpsimdCores cores_;
    std::vector<Slice> slices_;
    std::mt19937_64 random_;
    bool stalls_;
    std::uint64_t cycle_ = 0;
};

}  // namespace trnsim::test
