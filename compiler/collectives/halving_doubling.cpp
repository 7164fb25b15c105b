// Recursive halving and doubling between 2^k participants. If the members are no power of two, each of the
// first participants acts for the next member as well, which is folded in: it reads that member's vector
// beside its own, and writes that member's results.
#include <bit>
#include <optional>

#include "compiler/collectives/algorithms.hpp"
#include "isa/element_type.hpp"

namespace trnsim::collectives {
namespace {

struct Participant {
    std::size_t member = 0;
    std::optional<std::size_t> folded;
};

std::vector<Participant> participants_of(std::size_t members) {
    const std::size_t count = std::bit_floor(members), pairs = members - count;
    std::vector<Participant> participants(count);
    for (std::size_t i = 0; i < count; ++i) {
        participants[i].member = i < pairs ? 2 * i : i + pairs;
        if (i < pairs) participants[i].folded = 2 * i + 1;
    }
    return participants;
}

// Returns the elements of a block of participants.
Chunk block(const std::vector<Participant>& participants, const std::vector<Chunk>& chunks, std::size_t first,
            std::size_t size) {
    const Participant& last = participants[first + size - 1];
    const std::uint64_t begin = chunks[participants[first].member].first;
    return {begin, chunks[last.folded.value_or(last.member)].end() - begin};
}

class Halving {
  public:
    Halving(Builder& builder, const ReduceScatter& work)
        : builder_(builder),
          work_(work),
          participants_(participants_of(work.vectors.size())),
          messages_(participants_.size()) {}

    void run() {
        const std::size_t count = participants_.size();
        std::uint64_t round = 0;
        for (std::size_t half = count / 2; half > 0; half /= 2, ++round) {
            std::vector<BufferAddress> arrivals;
            arrivals.reserve(count);
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint64_t bytes =
                    of_block(i / half * half, half).count * isa::element_size(work_.arithmetic.dtype);
                arrivals.push_back(builder_.scratch(rank_of(i), bytes));
            }
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t partner = i ^ half;
                send(i, of_block(partner / half * half, half), arrivals[partner], 1 + round * count + i);
            }
            for (std::size_t i = 0; i < count; ++i)
                messages_[i].push_back({arrivals[i], of_block(i / half * half, half).first});
        }
        for (std::size_t i = 0; i < count; ++i) {
            const auto& [member, folded] = participants_[i];
            send(i, work_.chunks[member], work_.results[member], 0);
            if (folded) send(i, work_.chunks[*folded], work_.results[*folded], 0);
        }
    }

  private:
    struct Message {
        BufferAddress place;
        std::uint64_t first;  // element of the vector
    };

    Rank rank_of(std::size_t participant) const {
        return work_.vectors[participants_[participant].member].rank;
    }
    Chunk of_block(std::size_t first, std::size_t size) const {
        return block(participants_, work_.chunks, first, size);
    }

    // Sends the elements of a chunk that participant i has: its own, those folded in, and those that it has
    // received.
    void send(std::size_t i, const Chunk& chunk, BufferAddress destination, std::uint64_t node) {
        const auto& [dtype, combine, rounding] = work_.arithmetic;
        Transfer transfer{combine,     {},       {{destination, dtype}},
                          chunk.count, rounding, work_.first_number + (node << NodeShift) + chunk.first};
        const auto& [member, folded] = participants_[i];
        transfer.sources.push_back({element_at(work_.vectors[member], chunk.first, dtype), dtype});
        if (folded)
            transfer.sources.push_back({element_at(work_.vectors[*folded], chunk.first, dtype), dtype});
        for (const Message& message : messages_[i])
            transfer.sources.push_back(
                {element_at(message.place, chunk.first - message.first, dtype), dtype});
        if (transfer.sources.size() == 1) transfer.combine = Combine::Copy;
        builder_.add(rank_of(i), std::move(transfer));
    }

    Builder& builder_;
    const ReduceScatter& work_;
    std::vector<Participant> participants_;
    std::vector<std::vector<Message>> messages_;  // by participant and round
};

// Returns the chunks of an all-reduce: members that are folded in have none.
std::vector<Chunk> chunks_of_participants(std::uint64_t count, std::size_t members) {
    const std::vector<Participant> participants = participants_of(members);
    const std::vector<Chunk> even = even_chunks(count, participants.size());
    std::vector<std::uint64_t> counts(members);
    for (std::size_t i = 0; i < participants.size(); ++i) counts[participants[i].member] = even[i].count;
    return chunks_of(counts);
}

}  // namespace

void halving_reduce_scatter(Builder& builder, const ReduceScatter& work) {
    Halving(builder, work).run();
}

void doubling_all_gather(Builder& builder, const AllGather& work) {
    const std::vector<Participant> participants = participants_of(work.vectors.size());
    const auto put = [&](Rank rank, BufferAddress source, BufferAddress vector, const Chunk& chunk) {
        builder.add(rank, {Combine::Copy,
                           {{source, work.dtype}},
                           {{element_at(vector, chunk.first, work.dtype), work.dtype}},
                           chunk.count});
    };
    for (std::size_t member = 0; member < work.vectors.size(); ++member)
        put(work.vectors[member].rank, work.sources[member], work.vectors[member], work.chunks[member]);
    for (const Participant& participant : participants) {
        const BufferAddress& vector = work.vectors[participant.member];
        if (const auto folded = participant.folded)
            put(vector.rank, work.sources[*folded], vector, work.chunks[*folded]);
    }
    const auto pass = [&](std::size_t from, std::size_t to, const Chunk& chunk) {
        const BufferAddress& vector = work.vectors[from];
        put(vector.rank, element_at(vector, chunk.first, work.dtype), work.vectors[to], chunk);
    };
    for (std::size_t size = 1; size < participants.size(); size *= 2) {
        for (std::size_t i = 0; i < participants.size(); ++i)
            pass(participants[i].member, participants[i ^ size].member,
                 block(participants, work.chunks, i / size * size, size));
    }
    const std::uint64_t end = work.chunks.back().end();
    for (const auto& [member, folded] : participants) {
        if (!folded) continue;
        const Chunk& own = work.chunks[*folded];
        pass(member, *folded, {0, own.first});
        pass(member, *folded, {own.end(), end - own.end()});
    }
}

void halving_doubling_all_reduce(Builder& builder, const ReduceScatter& work) {
    const isa::Dtype dtype = work.arithmetic.dtype;
    const std::vector<Chunk> parts = even_chunks(work.chunks.back().end(), work.cycles.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
        ReduceScatter halving;
        halving.arithmetic = work.arithmetic;
        halving.first_number = work.first_number + parts[p].first;
        halving.chunks = chunks_of_participants(parts[p].count, work.vectors.size());
        std::vector<BufferAddress> outputs;
        for (const std::uint32_t member : work.cycles[p]) {
            const Chunk& chunk = halving.chunks[outputs.size()];
            halving.vectors.push_back(element_at(work.vectors[member], parts[p].first, dtype));
            outputs.push_back(element_at(work.results[member], parts[p].first, dtype));
            halving.results.push_back(element_at(outputs.back(), chunk.first, dtype));
        }
        halving_reduce_scatter(builder, halving);
        doubling_all_gather(builder, {dtype, halving.results, halving.chunks, outputs, {}});
    }
}

}  // namespace trnsim::collectives
