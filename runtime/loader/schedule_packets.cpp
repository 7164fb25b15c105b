#include "runtime/loader/schedule_packets.hpp"

#include <algorithm>
#include <vector>

#include "isa/element_type.hpp"
#include "runtime/loader/combination.hpp"

namespace trnsim::loader {
namespace {

using collectives::ElementRun;
using collectives::Transfer;

collectives::BufferAddress element(const ElementRun& operand, std::uint64_t index) {
    collectives::BufferAddress place = operand.place;
    place.offset += index * isa::element_size(operand.dtype);
    return place;
}

void add_copy(DescriptorWriter& writer, const ElementRun& from, const ElementRun& to,
              const ElementRange& range, const AddressOf& address_of) {
    const std::uint64_t size = isa::element_size(from.dtype), bytes = range.count * size;
    const std::uint64_t source = address_of(element(from, range.first));
    const std::uint64_t destination = address_of(element(to, range.first));
    for (std::uint64_t done = 0; done < bytes; done += dma::MaxLength) {
        const auto length = std::min<std::uint64_t>(dma::MaxLength, bytes - done);
        writer.copy(source + done, destination + done, static_cast<std::uint32_t>(length));
    }
}

// Adds one packet of at most dma::MaxCombinedElements elements.
void add_combination(DescriptorWriter& writer, const Transfer& transfer, const ElementRun& destination,
                     const ElementRange& range, bool barrier, const AddressOf& address_of) {
    const auto elements = [&](const ElementRun& operand) {
        return Elements{address_of(element(operand, range.first)),
                        static_cast<std::uint32_t>(range.count * isa::element_size(operand.dtype)),
                        operand.dtype};
    };
    if (transfer.rounding == isa::Rounding::Stochastic)
        writer.constant(dma::Operation::FirstElement, transfer.first_element + range.first);
    std::vector<Elements> sources;
    std::ranges::transform(transfer.sources, std::back_inserter(sources), elements);
    writer.combine(sources, operation_of(transfer.combine), elements(destination), transfer.rounding);
    writer.end(barrier);
}

bool is_source(const Transfer& transfer, const ElementRun& destination) {
    return std::ranges::any_of(transfer.sources,
                               [&](const ElementRun& source) { return source.place == destination.place; });
}

}  // namespace

void add_packets(DescriptorWriter& writer, const Transfer& transfer, const ElementRange& range,
                 const AddressOf& address_of) {
    if (transfer.combine == collectives::Combine::Copy) {
        for (const ElementRun& destination : transfer.destinations)
            add_copy(writer, transfer.sources[0], destination, range, address_of);
        return;
    }
    // A destination that overwrites a source comes last, when the other packets have read it.
    std::vector<ElementRun> destinations = transfer.destinations;
    std::stable_partition(destinations.begin(), destinations.end(),
                          [&](const ElementRun& one) { return !is_source(transfer, one); });
    for (std::uint64_t done = 0; done < range.count; done += dma::MaxCombinedElements) {
        const ElementRange piece{range.first + done,
                                 std::min<std::uint64_t>(dma::MaxCombinedElements, range.count - done)};
        for (std::size_t d = 0; d < destinations.size(); ++d)
            add_combination(writer, transfer, destinations[d], piece, d > 0, address_of);
    }
}

}  // namespace trnsim::loader
