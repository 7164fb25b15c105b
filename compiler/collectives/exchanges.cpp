#include "compiler/collectives/exchanges.hpp"

#include "isa/element_type.hpp"

namespace trnsim::collectives {

void exchange(Builder& builder, std::span<const Message> messages, isa::Dtype dtype, bool in_place) {
    std::vector<BufferAddress> arrivals;
    arrivals.reserve(messages.size());
    for (const Message& message : messages) {
        const bool moves = !(message.source == message.destination);
        arrivals.push_back(in_place && moves ? builder.scratch(message.destination.rank,
                                                               message.elements * isa::element_size(dtype))
                                             : message.destination);
        builder.copy(message.source, arrivals.back(), message.elements, dtype);
    }
    for (std::size_t i = 0; i < messages.size(); ++i)
        builder.copy(arrivals[i], messages[i].destination, messages[i].elements, dtype);
}

void direct_broadcast(Builder& builder, std::span<const BufferAddress> outputs, BufferAddress input,
                      std::size_t root, std::uint64_t elements, isa::Dtype dtype) {
    for (std::size_t distance = 0; distance < outputs.size(); ++distance)
        builder.copy(input, outputs[(root + distance) % outputs.size()], elements, dtype);
}

void doubling_broadcast(Builder& builder, std::span<const BufferAddress> outputs, BufferAddress input,
                        std::size_t root, std::uint64_t elements, isa::Dtype dtype) {
    const std::size_t n = outputs.size();
    builder.copy(input, outputs[root], elements, dtype);
    for (std::size_t have = 1; have < n; have *= 2) {
        for (std::size_t from = 0; from < have && from + have < n; ++from) {
            builder.copy(from == 0 ? input : outputs[(root + from) % n], outputs[(root + from + have) % n],
                         elements, dtype);
        }
    }
}

void barrier(Builder& builder, std::span<const BufferAddress> inputs,
             std::span<const BufferAddress> outputs) {
    constexpr isa::Dtype Token = isa::Dtype::U8;
    const std::size_t n = inputs.size();
    std::vector<std::vector<ElementRun>> known(n);  // by member: its token, those that have arrived
    std::vector<BufferAddress> arrivals(n);
    const auto tell = [&](std::size_t member, BufferAddress destination) {
        Transfer transfer{known[member].size() == 1 ? Combine::Copy : Combine::Max,
                          known[member],
                          {{destination, Token}},
                          1};
        builder.add(inputs[member].rank, std::move(transfer));
    };
    for (std::size_t member = 0; member < n; ++member) known[member].push_back({inputs[member], Token});
    for (std::size_t distance = 1; distance < n; distance *= 2) {
        for (std::size_t member = 0; member < n; ++member)
            arrivals[member] = builder.scratch(inputs[member].rank, 1);
        for (std::size_t member = 0; member < n; ++member) tell(member, arrivals[(member + distance) % n]);
        for (std::size_t member = 0; member < n; ++member) known[member].push_back({arrivals[member], Token});
    }
    for (std::size_t member = 0; member < n; ++member) tell(member, outputs[member]);
}

}  // namespace trnsim::collectives
