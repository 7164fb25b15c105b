#include "compiler/collectives/execute.hpp"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "arch/numerics/xorwow.hpp"
#include "compiler/collectives/error.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {
namespace {

std::uint32_t load(const std::uint8_t* bytes, std::size_t size) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) bits |= std::uint32_t{bytes[i]} << (8 * i);
    return bits;
}

float combined(Combine combine, float x, float r) {
    switch (combine) {
        case Combine::Add:
            return numerics::fma_step(1, x, r);
        case Combine::Multiply:
            return numerics::multiply(x, r);
        case Combine::Min:
            return numerics::minimum(x, r);
        default:
            return numerics::maximum(x, r);
    }
}

class Engine {
  public:
    Engine(std::vector<Memory>& memories, std::uint32_t seed) : memories_(memories), seed_(seed) {}

    void carry_out(const Transfer& transfer) {
        const ElementRun& first = transfer.sources[0];
        if (transfer.combine == Combine::Copy) {
            const std::size_t bytes = transfer.elements * isa::element_size(first.dtype);
            for (const ElementRun& destination : transfer.destinations)
                std::memmove(at(destination.place), at(first.place), bytes);
            return;
        }
        for (std::uint64_t e = 0; e < transfer.elements; ++e) {
            float r = numerics::multiply(1, element(first, e));
            for (std::size_t s = 1; s < transfer.sources.size(); ++s)
                r = combined(transfer.combine, element(transfer.sources[s], e), r);
            for (const ElementRun& destination : transfer.destinations) store(transfer, destination, e, r);
        }
    }

  private:
    std::uint8_t* at(const BufferAddress& place) {
        return memories_[place.rank][static_cast<std::size_t>(place.buffer)].data() + place.offset;
    }
    float element(const ElementRun& operand, std::uint64_t index) {
        const std::size_t size = isa::element_size(operand.dtype);
        return numerics::to_fp32(load(at(operand.place) + index * size, size), operand.dtype);
    }
    void store(const Transfer& transfer, const ElementRun& destination, std::uint64_t index, float value) {
        const bool stochastic = transfer.rounding == isa::Rounding::Stochastic &&
                                numerics::rounds_stochastically(destination.dtype);
        const std::uint32_t bits =
            stochastic ? numerics::from_fp32(value, destination.dtype,
                                             numerics::element_draw(seed_, transfer.first_element + index))
                       : numerics::from_fp32(value, destination.dtype);
        const std::size_t size = isa::element_size(destination.dtype);
        for (std::size_t i = 0; i < size; ++i)
            at(destination.place)[index * size + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }

    std::vector<Memory>& memories_;
    std::uint32_t seed_;
};

void check_sizes(const Schedule& schedule, const std::vector<Memory>& memories) {
    if (memories.size() != schedule.lists.size())
        throw Error(fmt::format("memories: found {}, expected {}, one of each rank", memories.size(),
                                schedule.lists.size()));
    for (std::size_t rank = 0; rank < memories.size(); ++rank) {
        for (std::size_t buffer = 0; buffer < BufferCount; ++buffer) {
            const std::uint64_t expected = schedule.buffer_bytes[buffer][rank];
            if (memories[rank][buffer].size() < expected)
                throw Error(fmt::format("memory of rank {}: buffer {} has {} bytes, expected {}", rank,
                                        buffer, memories[rank][buffer].size(), expected));
        }
    }
}

}  // namespace

std::vector<Memory> make_memories(const Schedule& schedule, std::uint8_t filling) {
    std::vector<Memory> memories(schedule.lists.size());
    for (std::size_t rank = 0; rank < memories.size(); ++rank) {
        for (std::size_t buffer = 0; buffer < BufferCount; ++buffer)
            memories[rank][buffer].assign(schedule.buffer_bytes[buffer][rank], filling);
    }
    return memories;
}

void execute(const Schedule& schedule, std::vector<Memory>& memories, const Execution& execution) {
    check_sizes(schedule, memories);
    const std::size_t count = schedule.steps.size();
    std::vector<std::size_t> waits(count);
    std::vector<std::vector<StepId>> waiting(count);
    std::vector<StepId> ready;
    for (std::size_t id = 0; id < count; ++id) {
        waits[id] = schedule.steps[id].waits.size();
        for (const StepId other : schedule.steps[id].waits) waiting[other].push_back(static_cast<StepId>(id));
        if (waits[id] == 0) ready.push_back(static_cast<StepId>(id));
    }
    Engine engine(memories, execution.rounding_seed);
    std::mt19937_64 random(execution.order_seed);
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
        std::swap(ready[random() % ready.size()], ready.back());
        const StepId id = ready.back();
        ready.pop_back();
        engine.carry_out(schedule.steps[id].transfer);
        for (const StepId next : waiting[id]) {
            if (--waits[next] == 0) ready.push_back(next);
        }
    }
    if (done != count)
        throw Error(fmt::format("schedule: {} of {} steps wait for each other", count - done, count));
}

}  // namespace trnsim::collectives
