// Collectives that a kernel takes part in.
#include <fmt/format.h>

#include "lib/builder/dtype.hpp"
#include "lib/builder/error.hpp"
#include "lib/builder/kernel_builder.hpp"
#include "lib/collectives/error.hpp"
#include "lib/neff/sizes.hpp"

namespace trnsim::builder {
namespace {

using collectives::Operation;

// The first element of a view without gaps, of `elements` elements of the type.
neff::Pattern first_of(const TensorView& view, isa::Dtype dtype, std::uint64_t elements, const Where& where) {
    std::uint64_t count = 1;
    bool dense = view.loop == 0;
    for (std::size_t i = view.axes.size(); i-- > 0; count *= view.axes[i].count)
        dense = dense && (view.axes[i].count == 1 || view.axes[i].step == static_cast<std::int64_t>(count));
    if (!dense || count != elements || view.dtype != dtype)
        throw Error(fmt::format("{}: collective: {} {}: expected {} {} elements that lie one after the other",
                                place_name(where), isa::name_of(view.dtype), view.describe(), elements,
                                isa::name_of(dtype)));
    neff::Pattern pattern;
    pattern.tensor = view.tensor;
    pattern.offset = view.offset * bytes_of(dtype);
    return pattern;
}

// Ranks that receive nothing keep what they have.
bool writes_on_all_ranks(Operation operation) {
    return operation != Operation::Permute && operation != Operation::SendReceive;
}

}  // namespace

Event KernelBuilder::collective(Queue queue, const TensorView& output, const TensorView& input,
                                neff::Collective collective, const After& after, Where where) {
    check_queue(queue);
    if (body_) throw Error(fmt::format("{}: collective: in a loop, expected none", place_name(where)));
    collectives::Request& request = collective.request;
    neff::Transfer transfer;
    try {
        const collectives::Sizes sizes = collectives::sizes_of(request, neff::members_of(collective));
        transfer.from = first_of(input, request.dtype, sizes.input, where);
        transfer.to = first_of(output, request.dtype, sizes.output, where);
    } catch (const collectives::Error& error) {
        throw Error(fmt::format("{}: collective: {}", place_name(where), error.what()));
    }
    request.in_place = input.tensor == output.tensor && input.offset == output.offset;
    transfer.queue = queue.number;
    transfer.element_bytes = bytes_of(request.dtype);
    transfer.name = fmt::format("{} {}", collectives::name(request.operation), output.describe());
    const Operation operation = request.operation;
    transfer.collective = std::move(collective);
    package_.transfers.push_back(std::move(transfer));
    count_instruction();
    Dependences::Call call{program_.next_transfer(queue), false, after};
    if (waits_ == Waits::Derived) {
        // In place, its own read would hide those of collectives before it, which it has to come after.
        if (writes_on_all_ranks(operation)) {
            dependences_.write(call, output);
        } else {
            dependences_.write_some(call, output);
        }
        dependences_.read(call, input);
    }
    return append_transfer(queue, call.after, where);
}

}  // namespace trnsim::builder
