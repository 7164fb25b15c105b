#include "compiler/collectives/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "compiler/collectives/algorithms.hpp"
#include "compiler/collectives/builder.hpp"
#include "compiler/collectives/error.hpp"
#include "compiler/collectives/exchanges.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {
namespace {

using enum Algorithm;

constexpr std::array AllReduceAlgorithms{Ring,      Mesh,        SingleStepMesh, HalvingDoubling,
                                         Kangaring, Hierarchical};
constexpr std::array HalfAlgorithms{Ring, Mesh, HalvingDoubling, Kangaring};
constexpr std::array BroadcastAlgorithms{Direct, HalvingDoubling};
constexpr std::array ExchangeAlgorithms{Direct};

// An algorithm's two halves.
struct HalvesRow {
    Algorithm algorithm;
    void (*reduce_scatter)(Builder&, const ReduceScatter&);
    void (*all_gather)(Builder&, const AllGather&);
};
constexpr HalvesRow Halves[] = {
    {Ring, ring_reduce_scatter, ring_all_gather},
    {Mesh, mesh_reduce_scatter, mesh_all_gather},
    {HalvingDoubling, halving_reduce_scatter, doubling_all_gather},
    {Kangaring, kangaring_reduce_scatter, kangaring_all_gather},
};
const HalvesRow& halves(Algorithm algorithm) {
    return *std::ranges::find(Halves, algorithm, &HalvesRow::algorithm);
}

constexpr Combine Combines[] = {Combine::Add, Combine::Multiply, Combine::Min, Combine::Max};  // by Reduction

void check_plan(const Request& request, const Plan& plan, std::size_t members) {
    if (std::ranges::find(algorithms(request.operation), plan.algorithm) ==
        algorithms(request.operation).end())
        throw Error(fmt::format("plan: {} of {}, which has no such algorithm", name(plan.algorithm),
                                name(request.operation)));
    if (plan.algorithm == Hierarchical) {
        if (plan.inner == 0 || members % plan.inner != 0)
            throw Error(fmt::format("plan: inner groups of {} members, expected a divisor of {}", plan.inner,
                                    members));
        members = plan.inner;
    }
    for (std::size_t c = 0; c < plan.cycles.size(); ++c) {
        Cycle sorted = plan.cycles[c];
        std::ranges::sort(sorted);
        bool each_once = sorted.size() == members;
        for (std::size_t i = 0; each_once && i < members; ++i) each_once = sorted[i] == i;
        if (!each_once)
            throw Error(fmt::format("plan: cycle {} of {} members, expected each of {} members once", c,
                                    plan.cycles[c].size(), members));
    }
}

// Writes the collective of one group.
class GroupWriter {
  public:
    GroupWriter(Builder& builder, const Request& request, const Plan& plan, const std::vector<Rank>& ranks)
        : builder_(builder), request_(request), plan_(plan), ranks_(ranks), cycles_(plan.cycles) {
        if (!cycles_.empty()) return;
        cycles_.emplace_back(plan.algorithm == Hierarchical ? plan.inner : ranks.size());
        std::iota(cycles_[0].begin(), cycles_[0].end(), 0u);
    }

    void write() {
        constexpr void (GroupWriter::*Writers[])() = {
            &GroupWriter::all_reduce,     &GroupWriter::all_gather, &GroupWriter::all_gather,
            &GroupWriter::reduce_scatter, &GroupWriter::all_to_all, &GroupWriter::all_to_all,
            &GroupWriter::permute,        &GroupWriter::permute,    &GroupWriter::broadcast,
            &GroupWriter::barrier,
        };  // index: Operation
        (this->*Writers[static_cast<std::size_t>(request_.operation)])();
    }

  private:
    std::size_t members() const { return ranks_.size(); }

    // Return the place of elements from `first` on in a member's input or output; it becomes part of the
    // schedule.
    BufferAddress input(std::size_t member, std::uint64_t first, std::uint64_t count) {
        const Buffer buffer = request_.in_place ? Buffer::Output : Buffer::Input;
        const BufferAddress place = element_at({ranks_[member], buffer, 0}, first, request_.dtype);
        builder_.input(place, count * isa::element_size(request_.dtype));
        return place;
    }
    BufferAddress output(std::size_t member, std::uint64_t first, std::uint64_t count) {
        const BufferAddress place = element_at({ranks_[member], Buffer::Output, 0}, first, request_.dtype);
        builder_.output(place, count * isa::element_size(request_.dtype));
        return place;
    }

    ReduceScatter reduction() const {
        return {{request_.dtype, Combines[static_cast<std::size_t>(request_.reduction)],
                 request_.stochastic ? isa::Rounding::Stochastic : isa::Rounding::Nearest},
                {},
                {},
                {},
                cycles_,
                0};
    }

    void all_reduce() {
        ReduceScatter work = reduction();
        work.chunks = even_chunks(request_.count, members());
        std::vector<BufferAddress> outputs;
        outputs.reserve(members());
        for (std::size_t m = 0; m < members(); ++m) {
            work.vectors.push_back(input(m, 0, request_.count));
            outputs.push_back(output(m, 0, request_.count));
        }
        work.results = outputs;
        if (plan_.algorithm == SingleStepMesh) return single_step_all_reduce(builder_, work);
        if (plan_.algorithm == HalvingDoubling) return halving_doubling_all_reduce(builder_, work);
        if (plan_.algorithm == Hierarchical) return hierarchical_all_reduce(builder_, work, plan_.inner);
        for (std::size_t m = 0; m < members(); ++m)
            work.results[m] = element_at(outputs[m], work.chunks[m].first, request_.dtype);
        halves(plan_.algorithm).reduce_scatter(builder_, work);
        halves(plan_.algorithm)
            .all_gather(builder_, {request_.dtype, work.results, work.chunks, outputs, cycles_});
    }

    void reduce_scatter() {
        ReduceScatter work = reduction();
        work.chunks = even_chunks(members() * request_.count, members());
        for (std::size_t m = 0; m < members(); ++m) {
            work.vectors.push_back(input(m, 0, members() * request_.count));
            work.results.push_back(output(m, request_.in_place ? work.chunks[m].first : 0, request_.count));
        }
        halves(plan_.algorithm).reduce_scatter(builder_, work);
    }

    void all_gather() {
        AllGather work{request_.dtype, {}, {}, {}, cycles_};
        work.chunks = request_.operation == Operation::AllGatherV
                          ? chunks_of(request_.counts)
                          : even_chunks(members() * request_.count, members());
        for (std::size_t m = 0; m < members(); ++m) {
            const Chunk& chunk = work.chunks[m];
            work.sources.push_back(input(m, request_.in_place ? chunk.first : 0, chunk.count));
            work.vectors.push_back(output(m, 0, work.chunks.back().end()));
        }
        halves(plan_.algorithm).all_gather(builder_, work);
    }

    void all_to_all() {
        const std::size_t n = members();
        auto counts = request_.pair_counts;
        if (request_.operation == Operation::AllToAll)
            counts.assign(n, std::vector<std::uint64_t>(n, request_.count));
        std::vector<std::vector<Chunk>> sent, received;
        std::vector<BufferAddress> inputs, outputs;
        for (std::size_t m = 0; m < n; ++m) {
            std::vector<std::uint64_t> column;
            column.reserve(counts.size());
            for (const auto& row : counts) column.push_back(row[m]);
            sent.push_back(chunks_of(counts[m]));
            received.push_back(chunks_of(column));
            inputs.push_back(input(m, 0, sent[m].back().end()));
            outputs.push_back(output(m, 0, received[m].back().end()));
        }
        std::vector<Message> messages;
        messages.reserve(n * n);
        for (std::size_t distance = 0; distance < n; ++distance) {
            for (std::size_t m = 0; m < n; ++m) {
                const std::size_t q = (m + distance) % n;
                messages.push_back({element_at(inputs[m], sent[m][q].first, request_.dtype),
                                    element_at(outputs[q], received[q][m].first, request_.dtype),
                                    counts[m][q]});
            }
        }
        exchange(builder_, messages, request_.dtype, request_.in_place);
    }

    void permute() {
        std::vector<Message> messages;
        std::vector<bool> reads(members());
        for (const auto& [source, destination] : request_.pairs) {
            const auto from = std::ranges::find(ranks_, source);
            if (from == ranks_.end()) continue;  // it is of another group
            const auto to = std::ranges::find(ranks_, destination);
            const auto m = static_cast<std::size_t>(from - ranks_.begin());
            const Buffer buffer = request_.in_place ? Buffer::Output : Buffer::Input;
            const BufferAddress place =
                reads[m] ? BufferAddress{source, buffer, 0} : input(m, 0, request_.count);
            reads[m] = true;
            messages.push_back({place,
                                output(static_cast<std::size_t>(to - ranks_.begin()), 0, request_.count),
                                request_.count});
        }
        exchange(builder_, messages, request_.dtype, request_.in_place);
    }

    void broadcast() {
        std::vector<BufferAddress> outputs;
        outputs.reserve(members());
        for (std::size_t m = 0; m < members(); ++m) outputs.push_back(output(m, 0, request_.count));
        const BufferAddress root = input(request_.root, 0, request_.count);
        const auto write = plan_.algorithm == Direct ? direct_broadcast : doubling_broadcast;
        write(builder_, outputs, root, request_.root, request_.count, request_.dtype);
    }

    void barrier() {
        std::vector<BufferAddress> inputs, outputs;
        for (const Rank rank : ranks_) {
            inputs.push_back({rank, Buffer::Input, 0});
            outputs.push_back({rank, Buffer::Output, 0});
            builder_.input(inputs.back(), 1);
            builder_.output(outputs.back(), 1);
        }
        collectives::barrier(builder_, inputs, outputs);
    }

    Builder& builder_;
    const Request& request_;
    const Plan& plan_;
    const std::vector<Rank>& ranks_;
    std::vector<Cycle> cycles_;
};

}  // namespace

std::span<const Algorithm> algorithms(Operation operation) {
    switch (operation) {
        case Operation::AllReduce:
            return AllReduceAlgorithms;
        case Operation::AllGather:
        case Operation::AllGatherV:
        case Operation::ReduceScatter:
            return HalfAlgorithms;
        case Operation::Broadcast:
            return BroadcastAlgorithms;
        default:
            return ExchangeAlgorithms;
    }
}

Schedule make_schedule(const Request& request, const Plan& plan) {
    const std::vector<std::vector<Rank>> groups = checked_groups(request);
    Builder builder(request.ranks);
    for (const std::vector<Rank>& group : groups) {
        check_plan(request, plan, group.size());
        GroupWriter(builder, request, plan, group).write();
    }
    return std::move(builder).finish();
}

}  // namespace trnsim::collectives
