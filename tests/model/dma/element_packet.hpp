// Packets of elements as descriptors that are cut at random places.
#pragma once

#include <bit>
#include <random>
#include <vector>

#include "arch/dma/elements.hpp"
#include "arch/dma/registers.hpp"
#include "common/element_oracle.hpp"

namespace trnsim::test {

struct ElementSource {
    isa::Dtype dtype = isa::Dtype::Fp32;
    isa::AluOp op = isa::AluOp::Bypass;  // the first source has none
    float scale = 1;
    std::vector<std::uint8_t> data;
    std::uint64_t address = 0;
};

struct ElementPacket {
    std::vector<ElementSource> sources;
    dma::WriteMeta result;
    std::uint64_t address = 0;
    std::size_t count = 0;  // elements
    std::uint64_t first_element = 0;
    bool in_place = false;  // a source is the destination

    std::size_t bytes() const { return count * static_cast<std::size_t>(element_format(result.dtype).bytes); }
};

inline dma::Operation operation_of(isa::AluOp op) {
    switch (op) {
        case isa::AluOp::Add:
            return dma::Operation::Add;
        case isa::AluOp::Multiply:
            return dma::Operation::Multiply;
        case isa::AluOp::Min:
            return dma::Operation::Min;
        case isa::AluOp::Max:
            return dma::Operation::Max;
        default:
            return dma::Operation::Load;
    }
}

// Adds descriptors of up to 64 KiB that hold whole elements, in pieces of any size.
inline void cut_elements(std::uint64_t address, std::size_t count, int size, std::uint32_t meta,
                         std::mt19937_64& random, std::vector<dma::Descriptor>& list) {
    while (count != 0) {
        const std::size_t most = dma::MaxLength / static_cast<std::size_t>(size);
        std::size_t piece = random() % 3 == 0 ? 1 + random() % 200 : count;
        piece = std::min({piece, count, most});
        const auto bytes = static_cast<std::uint32_t>(piece * static_cast<std::size_t>(size));
        list.push_back({.address = address, .length = bytes, .meta = meta});
        address += bytes;
        count -= piece;
    }
}

// Constants come where they are needed. Some s2m descriptors without a destination come before the results.
inline void add_descriptors(const ElementPacket& packet, std::mt19937_64& random,
                            std::vector<dma::Descriptor>& m2s, std::vector<dma::Descriptor>& s2m) {
    using namespace tlm::dma;
    const std::size_t first = m2s.size();
    const auto constant = [&](Operation operation, std::uint64_t value, std::uint32_t length) {
        m2s.push_back({.address = value, .length = length, .meta = encode(ReadMeta{operation})});
    };
    float scale = 1;
    if (packet.first_element != 0) constant(Operation::FirstElement, packet.first_element, 8);
    for (std::size_t s = 0; s < packet.sources.size(); ++s) {
        const ElementSource& source = packet.sources[s];
        const auto bits = std::bit_cast<std::uint32_t>(source.scale);
        if (bits != std::bit_cast<std::uint32_t>(scale)) constant(Operation::Scale, bits, 4);
        scale = source.scale;
        const std::uint32_t meta = encode(ReadMeta{s == 0 ? Operation::Load : operation_of(source.op),
                                                   source.dtype, static_cast<std::uint8_t>(s),
                                                   static_cast<std::uint8_t>(packet.sources.size() - 1)});
        cut_elements(source.address, packet.count, element_format(source.dtype).bytes, meta, random, m2s);
    }
    m2s[first].first = m2s.back().last = true;
    for (std::uint64_t skipped = random() % 3; skipped != 0; --skipped)
        s2m.push_back({.length = 1, .meta = encode(WriteMeta{Result::Nothing})});
    cut_elements(packet.address, packet.count, element_format(packet.result.dtype).bytes,
                 encode(packet.result), random, s2m);
}

}  // namespace trnsim::test
