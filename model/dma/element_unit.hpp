// The arithmetic of a DMA engine: it takes elements of the sources of one packet and gives elements of its
// result.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/dma/encodings.hpp"

namespace trnsim::tlm::dma {

// Registers of the engine: the rounding that Rounding::Core uses, and the seed of stochastic rounding.
struct RoundingControl {
    bool stochastic = false;
    std::uint32_t seed = 0;
};

class ElementUnit {
  public:
    // Forgets the previous packet.
    void begin_packet();

    struct Source {
        ReadMeta meta;
        float scale = 1;
        std::uint64_t first_element = 0;  // number of the packet's first element
    };
    // Takes the next bytes of a source, cut anywhere. The results of a packet's last source go to `out`, as
    // whole elements. Returns an error text if the number of elements is wrong, and then has taken none;
    // empty: no error.
    std::string take(const Source& source, std::span<const std::uint8_t> bytes, const WriteMeta& result,
                     const RoundingControl& control, std::vector<std::uint8_t>& out);

    // Ends the packet. Returns an error text as take() does.
    std::string end_packet() const;

  private:
    std::string end_source() const;
    void take_elements(const Source& source, std::span<const std::uint8_t> bytes, const WriteMeta& result,
                       const RoundingControl& control, std::vector<std::uint8_t>& out);

    std::vector<float> registers_;    // for packets with several sources
    std::vector<std::uint8_t> part_;  // start of an element that continues in the next bytes
    std::uint8_t source_ = 0;
    bool several_ = false;
    std::uint64_t index_ = 0;  // index of the next element of the source
};

}  // namespace trnsim::tlm::dma
