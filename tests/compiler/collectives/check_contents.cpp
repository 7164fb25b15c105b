#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/collectives/check.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives::test {
namespace {

using Fault = std::optional<std::string>;

// SplitMix64 gives a number to each element of each rank's input.
std::uint64_t mixed(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}
std::uint64_t number_of(Rank rank, std::uint64_t element) {
    return mixed(std::uint64_t{rank} << 48 ^ element);
}

// The contents of the buffers: every byte holds a number that says which byte of which element it is.
class Contents {
  public:
    explicit Contents(const Schedule& schedule) : bytes_(BufferCount * schedule.lists.size()) {
        for (std::size_t rank = 0; rank < schedule.lists.size(); ++rank) {
            for (std::size_t buffer = 0; buffer < BufferCount; ++buffer)
                bytes_[BufferCount * rank + buffer].resize(schedule.buffer_bytes[buffer][rank]);
        }
    }
    void put(const ElementRun& operand, std::uint64_t element, std::uint64_t value) {
        const std::size_t size = isa::element_size(operand.dtype);
        for (std::size_t i = 0; i < size; ++i)
            row(operand)[operand.place.offset + element * size + i] = value + mixed(8 * size + i);
    }
    // Returns nothing if the bytes are not those of one element.
    std::optional<std::uint64_t> get(const ElementRun& operand, std::uint64_t element) {
        const std::size_t size = isa::element_size(operand.dtype);
        const std::uint64_t* bytes = &row(operand)[operand.place.offset + element * size];
        const std::uint64_t value = bytes[0] - mixed(8 * size);
        for (std::size_t i = 1; i < size; ++i) {
            if (bytes[i] != value + mixed(8 * size + i)) return {};
        }
        return value;
    }

  private:
    std::vector<std::uint64_t>& row(const ElementRun& operand) {
        return bytes_[BufferCount * operand.place.rank + static_cast<std::size_t>(operand.place.buffer)];
    }
    std::vector<std::vector<std::uint64_t>> bytes_;
};

Fault carry_out(const Step& step, std::size_t id, Contents& contents) {
    const Transfer& transfer = step.transfer;
    std::vector<std::uint64_t> values(transfer.elements);
    for (const ElementRun& source : transfer.sources) {
        for (std::uint64_t e = 0; e < transfer.elements; ++e) {
            const auto value = contents.get(source, e);
            if (!value)
                return fmt::format("step {}: element {} of a source is in pieces or of another size", id, e);
            values[e] += *value;
        }
    }
    for (const ElementRun& destination : transfer.destinations) {
        for (std::uint64_t e = 0; e < transfer.elements; ++e) contents.put(destination, e, values[e]);
    }
    return {};
}

// The expected outputs of one group, from the table at Request.
class Expected {
  public:
    Expected(const Request& request, const std::vector<Rank>& ranks) : request_(request), ranks_(ranks) {}

    std::uint64_t input_elements(std::size_t member) const {
        const std::uint64_t n = ranks_.size(), count = request_.count;
        switch (request_.operation) {
            case Operation::ReduceScatter:
            case Operation::AllToAll:
                return n * count;
            case Operation::AllGatherV:
                return request_.counts[member];
            case Operation::AllToAllV:
                return sum(request_.pair_counts[member], n);
            case Operation::Broadcast:
                return member == request_.root ? count : 0;
            case Operation::Permute:
            case Operation::SendReceive:
                return std::ranges::count(request_.pairs, ranks_[member], &Pair::first) != 0 ? count : 0;
            default:
                return count;
        }
    }

    // Returns the elements of a member's output, as numbers.
    std::vector<std::uint64_t> output(std::size_t member) const {
        std::vector<std::uint64_t> numbers;
        const std::uint64_t n = ranks_.size(), count = request_.count;
        const auto take = [&](std::size_t from, std::uint64_t first, std::uint64_t elements) {
            for (std::uint64_t e = 0; e < elements; ++e)
                numbers.push_back(number_of(ranks_[from], first + e));
        };
        const auto reduce = [&](std::uint64_t first) {
            for (std::uint64_t e = 0; e < count; ++e) {
                std::uint64_t all = 0;
                for (const Rank rank : ranks_) all += number_of(rank, first + e);
                numbers.push_back(all);
            }
        };
        switch (request_.operation) {
            case Operation::AllReduce:
                reduce(0);
                break;
            case Operation::ReduceScatter:
                reduce(member * count);
                break;
            case Operation::AllGather:
            case Operation::AllGatherV:
                for (std::size_t from = 0; from < n; ++from) take(from, 0, input_elements(from));
                break;
            case Operation::AllToAll:
                for (std::size_t from = 0; from < n; ++from) take(from, member * count, count);
                break;
            case Operation::AllToAllV:
                for (std::size_t from = 0; from < n; ++from)
                    take(from, sum(request_.pair_counts[from], member), request_.pair_counts[from][member]);
                break;
            case Operation::Broadcast:
                take(request_.root, 0, count);
                break;
            case Operation::Permute:
            case Operation::SendReceive: {
                const auto pair = std::ranges::find(request_.pairs, ranks_[member], &Pair::second);
                if (pair == request_.pairs.end()) break;
                const auto from = std::ranges::find(ranks_, pair->first) - ranks_.begin();
                take(static_cast<std::size_t>(from), 0, count);
                break;
            }
            case Operation::Barrier:
                break;
        }
        return numbers;
    }

    // Returns the first element of the input; the next function that of the output. Units: elements of their
    // buffer.
    std::uint64_t first_of_input(std::size_t member) const {
        if (!request_.in_place) return 0;
        if (request_.operation == Operation::AllGather) return member * request_.count;
        return request_.operation == Operation::AllGatherV ? sum(request_.counts, member) : 0;
    }
    std::uint64_t first_of_output(std::size_t member) const {
        return request_.in_place && request_.operation == Operation::ReduceScatter ? member * request_.count
                                                                                   : 0;
    }

  private:
    using Pair = std::pair<Rank, Rank>;
    static std::uint64_t sum(const std::vector<std::uint64_t>& counts, std::uint64_t first) {
        std::uint64_t all = 0;
        for (std::uint64_t i = 0; i < first; ++i) all += counts[i];
        return all;
    }
    const Request& request_;
    const std::vector<Rank>& ranks_;
};

ElementRun elements(Rank rank, Buffer buffer, std::uint64_t first, isa::Dtype dtype) {
    return {{rank, buffer, first * isa::element_size(dtype)}, dtype};
}

// Returns for each rank whether one of its steps comes before `last`.
std::vector<bool> ranks_before(const Schedule& schedule, StepId last) {
    std::vector<bool> seen(schedule.steps.size()), ranks(schedule.lists.size());
    std::vector<StepId> open{last};
    while (!open.empty()) {
        const StepId id = open.back();
        open.pop_back();
        ranks[schedule.steps[id].rank] = true;
        for (const StepId other : schedule.steps[id].waits) {
            if (!seen[other]) open.push_back(other);
            seen[other] = true;
        }
    }
    return ranks;
}

Fault fault_of_barrier(const Schedule& schedule, const std::vector<std::vector<Rank>>& groups) {
    for (const auto& group : groups) {
        for (const Rank rank : group) {
            for (const StepId id : schedule.lists[rank]) {
                if (schedule.steps[id].transfer.destinations[0].place.buffer != Buffer::Output) continue;
                const std::vector<bool> begun = ranks_before(schedule, id);
                for (const Rank other : group) {
                    if (!begun[other])
                        return fmt::format("rank {} may leave the barrier before rank {} is there", rank,
                                           other);
                }
            }
        }
    }
    return {};
}

}  // namespace

Fault fault_of_contents(const Schedule& schedule, const Request& request) {
    const std::vector<std::vector<Rank>> groups = checked_groups(request);
    if (request.operation == Operation::Barrier) return fault_of_barrier(schedule, groups);
    const Buffer input = request.in_place ? Buffer::Output : Buffer::Input;
    Contents contents(schedule);
    for (const auto& ranks : groups) {
        const Expected expected(request, ranks);
        for (std::size_t m = 0; m < ranks.size(); ++m) {
            const ElementRun place = elements(ranks[m], input, expected.first_of_input(m), request.dtype);
            for (std::uint64_t e = 0; e < expected.input_elements(m); ++e)
                contents.put(place, e, number_of(ranks[m], e));
        }
    }
    for (std::size_t id = 0; id < schedule.steps.size(); ++id) {
        if (Fault fault = carry_out(schedule.steps[id], id, contents)) return fault;
    }
    for (const auto& ranks : groups) {
        const Expected expected(request, ranks);
        for (std::size_t m = 0; m < ranks.size(); ++m) {
            const ElementRun place =
                elements(ranks[m], Buffer::Output, expected.first_of_output(m), request.dtype);
            const std::vector<std::uint64_t> numbers = expected.output(m);
            for (std::uint64_t e = 0; e < numbers.size(); ++e) {
                if (contents.get(place, e) != numbers[e])
                    return fmt::format("rank {}: element {} of the output is not made of what it should be",
                                       ranks[m], e);
            }
        }
    }
    return {};
}

}  // namespace trnsim::collectives::test
