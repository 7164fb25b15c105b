#include "model/values/read_watch.hpp"

#include <algorithm>
#include <array>

#include "arch/operands/operands.hpp"

namespace trnsim::fast {
namespace {

constexpr std::uint32_t WordBytes = WrittenWords::WordBytes;

// Calls `visit` with the words of a partition that the elements touch, in their order; a word that the element
// before has touched is left out.
template <typename Visit>
void each_word(const Operand& operand, const Visit& visit) {
    if (operand.dense) {
        const std::uint64_t end = operand.first.offset + operand.elements * operand.size;
        for (std::uint32_t word = operand.first.offset / WordBytes; word * std::uint64_t{WordBytes} < end;
             ++word)
            visit(word);
        return;
    }
    constexpr std::size_t Chunk = 256;
    std::array<std::int32_t, Chunk> offsets{};
    Walk walk(operand);
    std::uint32_t last = UINT32_MAX;
    for (std::uint64_t done = 0; done < operand.elements; done += Chunk) {
        const auto some = std::span(offsets).first(
            static_cast<std::size_t>(std::min<std::uint64_t>(Chunk, operand.elements - done)));
        walk.next(some);
        for (const std::int32_t offset : some) {
            const std::uint32_t word =
                (operand.first.offset + static_cast<std::uint32_t>(offset)) / WordBytes;
            if (word != last) visit(word);
            last = word;
        }
    }
}

void add_unwritten(const Operand& operand, const Memories& memories, Unwritten& all) {
    const MemoryId memory = operand.first.memory;
    const PartitionSet partitions(operand.first.partition, operand.partitions);
    each_word(operand, [&](std::uint32_t word) {
        if (memories.words(memory).has(word, partitions)) return;
        for (std::uint32_t row = 0; row < operand.partitions; ++row) {
            const MemoryAddress place{memory, operand.first.partition + row, word * WordBytes};
            if (memories.is_written(place)) continue;
            if (all.words++ == 0) all.address = memories.window_address(place);
        }
    });
}

}  // namespace

Unwritten unwritten_reads(const Operation& operation, const Memories& memories) {
    Unwritten all;
    if (operation.has_a) add_unwritten(operation.a, memories, all);
    if (operation.has_b) add_unwritten(operation.b, memories, all);
    const auto reads = operands::reads_immediates(operation.engine, operation.instruction.bytes());
    if (reads[0] && operation.imm0.vector) add_unwritten(operation.imm0.column, memories, all);
    if (reads[1] && operation.imm1.vector) add_unwritten(operation.imm1.column, memories, all);
    return all;
}

void note_writes(const Operation& operation, const ShuffleMask& mask, Memories& memories) {
    if (!operation.has_dst) return;
    const Operand& dst = operation.dst;
    PartitionSet partitions(dst.first.partition, dst.partitions);
    if (operation.opcode == isa::Opcode::StreamShuffle) {
        const std::uint32_t quadrant = memories.partitions() / 4;
        for (std::uint32_t row = 0; row < dst.partitions; ++row)
            if (mask[row % quadrant] == KeepRow) partitions.remove(dst.first.partition + row);
    }
    WrittenWords& words = memories.words(dst.first.memory);
    each_word(dst, [&](std::uint32_t word) { words.mark(word, partitions); });
}

}  // namespace trnsim::fast
