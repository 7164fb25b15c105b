// Collectives of a kernel.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/patterns.hpp"
#include "compiler/collectives/error.hpp"
#include "compiler/neff/check_collectives.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {
namespace {

using collectives::Operation;

// Returns the first element of a view without gaps that has `elements` elements of the type.
neff::Pattern first_of(const TensorView& view, isa::Dtype dtype, std::uint64_t elements) {
    std::uint64_t count = 1;
    bool dense = true;
    for (std::size_t i = view.axes.size(); i-- > 0; count *= view.axes[i].count)
        dense = dense && (view.axes[i].count == 1 || view.axes[i].step == static_cast<std::int64_t>(count));
    if (!dense || count != elements || view.dtype != dtype)
        throw Error(fmt::format("collective: {} {}: expected {} {} elements that lie one after the other",
                                isa::name_of(view.dtype), view.describe(), elements, isa::name_of(dtype)));
    return first_element(view);
}

// Ranks that receive nothing keep what they have.
bool writes_on_all_ranks(Operation operation) {
    return operation != Operation::Permute && operation != Operation::SendReceive;
}

}  // namespace

void KernelBuilder::check_no_collectives(Queue queue) const {
    if (!collectives_ || collectives_->queue != queue.number) return;
    throw Error(fmt::format("transfer: queue '{}' has collectives, expected one for other transfers",
                            package_.queues[queue.number].name));
}

// Throws Error for a collective that the container would refuse, while the line of the call is known.
void KernelBuilder::check_collective(const neff::Transfer& transfer) {
    const auto refuse = [&](const std::string& why) { throw Error(fmt::format("collective: {}", why)); };
    const std::uint64_t iterations = iterations_around();
    try {
        neff::check_collective(package_, transfer, iterations, transfer.name);
    } catch (const neff::Error& error) {
        refuse(error.what());
    }
    const auto name = [&](std::uint32_t queue) { return package_.queues[queue].name; };
    const std::uint32_t ranks = transfer.collective->request.ranks;
    if (!collectives_) {
        if (has_transfers_[transfer.queue])
            refuse(fmt::format("queue '{}' has other transfers, expected one for collectives alone",
                               name(transfer.queue)));
        collectives_ = {.queue = transfer.queue, .ranks = ranks};
    }
    if (transfer.queue != collectives_->queue)
        refuse(fmt::format("in queue '{}', expected '{}' as those before", name(transfer.queue),
                           name(collectives_->queue)));
    if (ranks != collectives_->ranks)
        refuse(fmt::format("of {} ranks, expected {} as those before", ranks, collectives_->ranks));
    collectives_->number += iterations;
    if (collectives_->number > neff::MaxCollectives)
        refuse(fmt::format("with those before {} in all iterations, expected at most {} in a kernel",
                           collectives_->number, neff::MaxCollectives));
}

Event KernelBuilder::collective(Queue queue, const TensorView& output, const TensorView& input,
                                neff::Collective collective, const After& after, Where where) try {
    check_queue(queue);
    check_own(output);
    check_own(input);
    check_own(after);
    check_in_loop(input);
    check_in_loop(output);
    collectives::Request& request = collective.request;
    neff::Transfer transfer;
    try {
        const collectives::Sizes sizes = collectives::sizes_of(request, neff::members_of(collective));
        transfer.from = first_of(input, request.dtype, sizes.input);
        transfer.to = first_of(output, request.dtype, sizes.output);
    } catch (const collectives::Error& error) {
        throw Error(fmt::format("collective: {}", error.what()));
    }
    request.in_place = input.tensor == output.tensor && input.offset == output.offset;
    transfer.queue = queue.number;
    transfer.element_bytes = isa::element_size(request.dtype);
    transfer.name = fmt::format("{} {}", collectives::name(request.operation), output.describe());
    const Operation operation = request.operation;
    transfer.collective = std::move(collective);
    check_collective(transfer);
    Step step = transfer_step(queue, std::move(transfer), after);
    // In place, its own read would hide those of earlier collectives, after which it has to come.
    step.write(output, writes_on_all_ranks(operation) ? Role::Write : Role::Some);
    step.read(input);
    return take(std::move(step), where);
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
