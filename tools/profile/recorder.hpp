// Keeps what happened in a run, for a profile, and passes it on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lib/neff/package.hpp"
#include "tlm/trace/sink.hpp"

namespace trnsim::profile {

// A packet of a DMA engine. Times are femtoseconds.
struct Packet {
    std::uint32_t engine = 0, ring = 0;
    std::uint64_t start = 0, end = 0;
    std::uint64_t bytes = 0, descriptors = 0;
};

class Recorder : public tlm::trace::Sink {
  public:
    // `next` must outlive the recorder; without one what happened goes nowhere else.
    void pass_on_to(tlm::trace::Sink* next) { next_ = next; }

    std::uint32_t add_track(std::string_view group, std::string_view name) override;
    void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
               std::span<const tlm::trace::Argument> arguments) override;
    void instruction(const tlm::trace::Instruction& instruction) override;

    // In the order of their completion.
    const std::vector<tlm::trace::Instruction>& instructions(std::size_t engine) const {
        return instructions_.at(engine);
    }
    const std::vector<Packet>& packets() const { return packets_; }

  private:
    struct Track {
        std::uint32_t next;  // its handle there
        bool dma = false;
        std::uint32_t engine = 0, ring = 0;
    };

    tlm::trace::Sink* next_ = nullptr;
    std::vector<Track> tracks_;
    std::array<std::vector<tlm::trace::Instruction>, neff::EngineCount> instructions_;
    std::vector<Packet> packets_;
};

}  // namespace trnsim::profile
