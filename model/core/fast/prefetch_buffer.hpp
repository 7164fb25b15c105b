// Instructions of one engine fetched ahead of its sequencer (rtl/control/prefetch_buffer.sv).
#pragma once

#include <cstdint>
#include <vector>

#include "arch/config/config.hpp"
#include "model/core/fast/decoded.hpp"

namespace trnsim::tlm::core_fast {

struct FetchedInstruction {
    InstructionBytes bytes{};
    bool failed = false;  // the fetch has failed
};

class PrefetchBuffer {
  public:
    explicit PrefetchBuffer(const config::Fetch& fetch)
        : prefetch_(static_cast<std::uint32_t>(fetch.prefetch)),
          burst_(static_cast<std::uint32_t>(fetch.burst)),
          memory_(fetch.prefetch) {}

    struct Burst {
        std::uint64_t place = 0;  // in instructions
        std::uint32_t beats = 0;  // 0: none
    };
    // Returns the requested burst: only if there is room for all beats, and within 4 KiB.
    Burst burst() const;
    bool available() const { return filled_ != 0; }

    struct In {
        bool start = false, flush = false, redirect = false;
        std::uint64_t base = 0;                    // valid with start; in instructions
        std::uint32_t target = 0;                  // valid with redirect; counts from the base
        std::uint32_t burst_taken = 0;             // beats
        const FetchedInstruction* beat = nullptr;  // the beat that comes, or null
        bool pop = false;
    };
    // Returns the instruction that pop takes.
    const FetchedInstruction& edge(const In& in);

    bool awaits_beats() const { return in_flight_ != 0; }
    // Starts at an instruction of a program.
    void resume(std::uint64_t base, std::uint32_t at);

  private:
    std::uint32_t prefetch_, burst_;
    std::vector<FetchedInstruction> memory_;
    FetchedInstruction head_;
    std::uint32_t write_ = 0, read_ = 0;
    std::uint32_t filled_ = 0, in_flight_ = 0, drop_ = 0;  // drop_: beats to come from before a redirection
    std::uint64_t base_ = 0, next_ = 0;
    bool running_ = false;
};

}  // namespace trnsim::tlm::core_fast
