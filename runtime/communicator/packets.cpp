#include "runtime/communicator/packets.hpp"

#include <algorithm>
#include <vector>

#include "arch/dma/elements.hpp"
#include "isa/element_type.hpp"

namespace trnsim::communicator {
namespace {

using collectives::Combine;
using collectives::Operand;
using collectives::Transfer;
using dma::Operation;

Operation operation_of(Combine combine) {
    switch (combine) {
        case Combine::Add:
            return Operation::Add;
        case Combine::Multiply:
            return Operation::Multiply;
        case Combine::Min:
            return Operation::Min;
        default:
            return Operation::Max;
    }
}

collectives::Place element(const Operand& operand, std::uint64_t index) {
    collectives::Place place = operand.place;
    place.offset += index * isa::element_size(operand.dtype);
    return place;
}

void append_copy(Ring& ring, const Operand& from, const Operand& to, const Share& share,
                 const AddressOf& address_of) {
    const std::uint64_t size = isa::element_size(from.dtype), bytes = share.count * size;
    const std::uint64_t source = address_of(element(from, share.first));
    const std::uint64_t destination = address_of(element(to, share.first));
    for (std::uint64_t done = 0; done < bytes; done += dma::MaxLength) {
        const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(dma::MaxLength, bytes - done));
        ring.m2s.push_back({.address = source + done, .length = length, .first = true, .last = true});
        ring.s2m.push_back({.address = destination + done, .length = length});
    }
}

// One packet of at most dma::MaxCombinedElements elements.
void append_combination(Ring& ring, const Transfer& transfer, const Operand& destination, const Share& share,
                        bool barrier, const AddressOf& address_of) {
    const auto length = [&](isa::Dtype dtype) {
        return static_cast<std::uint32_t>(share.count * isa::element_size(dtype));
    };
    const auto last = static_cast<std::uint8_t>(transfer.sources.size() - 1);
    const std::size_t begin = ring.m2s.size();
    if (transfer.rounding == isa::Rounding::Stochastic) {
        ring.m2s.push_back(
            {.address = transfer.first_element + share.first,
             .length = dma::NumberBytes,
             .meta = encode(dma::ReadMeta{Operation::FirstElement, isa::Dtype::Fp32, 0, last})});
    }
    for (std::uint8_t s = 0; s <= last; ++s) {
        const Operand& source = transfer.sources[s];
        const Operation operation = s == 0 ? Operation::Load : operation_of(transfer.combine);
        ring.m2s.push_back({.address = address_of(element(source, share.first)),
                            .length = length(source.dtype),
                            .meta = encode(dma::ReadMeta{operation, source.dtype, s, last})});
    }
    ring.m2s[begin].first = true;
    ring.m2s[begin].barrier = barrier;
    ring.m2s.back().last = true;
    ring.s2m.push_back(
        {.address = address_of(element(destination, share.first)),
         .length = length(destination.dtype),
         .meta = encode(dma::WriteMeta{dma::Result::Elements, destination.dtype, transfer.rounding})});
}

bool is_source(const Transfer& transfer, const Operand& destination) {
    return std::ranges::any_of(transfer.sources,
                               [&](const Operand& source) { return source.place == destination.place; });
}

}  // namespace

void append_packets(Ring& ring, const Transfer& transfer, const Share& share, const AddressOf& address_of) {
    if (transfer.combine == Combine::Copy) {
        for (const Operand& destination : transfer.destinations)
            append_copy(ring, transfer.sources[0], destination, share, address_of);
        return;
    }
    // What is written over a source comes last, when the others have read it.
    std::vector<Operand> destinations = transfer.destinations;
    std::stable_partition(destinations.begin(), destinations.end(),
                          [&](const Operand& one) { return !is_source(transfer, one); });
    for (std::uint64_t done = 0; done < share.count; done += dma::MaxCombinedElements) {
        const Share piece{share.first + done,
                          std::min<std::uint64_t>(dma::MaxCombinedElements, share.count - done)};
        for (std::size_t d = 0; d < destinations.size(); ++d)
            append_combination(ring, transfer, destinations[d], piece, d > 0, address_of);
    }
}

void append_flag(Ring& ring, std::uint64_t one, std::uint64_t flag, bool barrier) {
    ring.m2s.push_back({.address = one, .length = 4, .first = true, .last = true, .barrier = barrier});
    ring.s2m.push_back({.address = flag, .length = 4});
}

}  // namespace trnsim::communicator
