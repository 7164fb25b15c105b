// The arithmetic of a DMA engine: elements of the sources of one packet in, elements of its result out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/dma/encodings.hpp"

namespace trnsim::tlm::dma {

// How Rounding::Core rounds, and the seed of stochastic rounding: registers of the engine.
struct RoundingControl {
    bool stochastic = false;
    std::uint32_t seed = 0;
};

class ElementUnit {
  public:
    // Forgets the packet before.
    void begin_packet();

    struct Source {
        ReadMeta meta;
        float scale = 1;
        std::uint64_t first_element = 0;  // number of the packet's first
    };
    // The next bytes of a source, cut anywhere. The results of a packet's last source go to `out`, as whole
    // elements. Returns what is wrong with the number of elements, and then has taken none; empty: nothing.
    std::string take(const Source& source, std::span<const std::uint8_t> bytes, const WriteMeta& result,
                     const RoundingControl& control, std::vector<std::uint8_t>& out);

    // The packet has no more bytes. Returns what is wrong, as take().
    std::string end_packet() const;

  private:
    std::string end_source() const;
    void take_elements(const Source& source, std::span<const std::uint8_t> bytes, const WriteMeta& result,
                       const RoundingControl& control, std::vector<std::uint8_t>& out);

    std::vector<float> registers_;    // of packets with several sources
    std::vector<std::uint8_t> part_;  // of an element that goes on in the next bytes
    std::uint8_t source_ = 0;
    bool several_ = false;
    std::uint64_t index_ = 0;  // of the next element of the source
};

}  // namespace trnsim::tlm::dma
