#include "testbench/functional/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/neff/sizes.hpp"
#include "isa/operands.hpp"
#include "testbench/functional/agents.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/transfer.hpp"

namespace trnsim::functional {
namespace {

namespace field = isa::field;

// Elements that take as long as these things beside their elements:
constexpr std::uint64_t InstructionWork = 16, PartitionWork = 4, PieceWork = 4;
constexpr std::uint64_t ClockEntryWork =
    4;  // of each entry of a clock that a semaphore makes the engine learn
constexpr std::uint64_t ProductsAnElement = 12, BytesAnElement = 4;
// No engine takes more elements of a partition in a cycle of the core's clock, and none more instructions than
// one.
constexpr std::uint64_t ElementsACycle = 8;

bool uses_semaphores(const isa::Instruction& instruction) {
    return static_cast<isa::WaitMode>(instruction.get(field::WaitMode)) != isa::WaitMode::None ||
           static_cast<isa::UpdateMode>(instruction.get(field::UpdateMode)) != isa::UpdateMode::None;
}

}  // namespace

Budget::Budget(const Limits& limits, const neff::Package& package)
    : limits_(limits),
      clock_entries_(Agents(package).clock_entries()),
      dma_engines_(Agents(package).dma_engines()) {}

void Budget::add(isa::Engine engine, std::size_t pc, const isa::Instruction& instruction) {
    poll();
    std::size_t& reached = reached_[static_cast<std::size_t>(engine)];
    repeats_ = pc < reached;
    reached = std::max(reached, pc + 1);
    const isa::InstructionInfo& info = *instruction.info();
    std::uint64_t elements = 0, work = InstructionWork;
    if (info.uses_dst || info.uses_a) {
        elements = isa::elements_up_to(isa::shape_of(instruction.bytes()), UINT32_MAX);
        std::uint64_t partitions = instruction.get(field::Partitions);
        if (instruction.opcode() == isa::Opcode::MultiplyMoving)
            partitions += partitions * instruction.get(field::Columns) / ProductsAnElement;
        work += (elements + PartitionWork) * partitions;
    }
    if (uses_semaphores(instruction)) work += ClockEntryWork * clock_entries_;
    add_work(work);
    std::uint64_t& cycles = cycles_[static_cast<std::size_t>(engine)];
    cycles += 1 + elements / ElementsACycle;
    check_cycles(cycles);
}

void Budget::add(const neff::Transfer& transfer) {
    const std::uint64_t bytes = neff::moved_bytes(transfer);
    // Each DMA engine raises the semaphore when it has completed its share.
    add_work(bytes / BytesAnElement + PieceWork * number_of_pieces(transfer) +
             ClockEntryWork * clock_entries_ * dma_engines_);
    const bool leaves_out = transfer.indirect && transfer.indirect->skip;
    if (limits_.dma_bytes == 0 || leaves_out || transfer.collective) return;
    dma_bytes_ += bytes;
    check_cycles(dma_bytes_ / limits_.dma_bytes);
}

void Budget::add_bytes(std::uint64_t bytes) {
    add_work(bytes / BytesAnElement);
}

void Budget::add_work(std::uint64_t work) {
    work_ += work;
    if (repeats_) repeated_ += work;
    if (work_ > limits_.work.value_or(Limits::MostWork))
        throw Error(fmt::format("no end within the work of {} elements (max_work)",
                                limits_.work.value_or(Limits::MostWork)));
    if (!limits_.work && repeated_ > Limits::MostRepeatedWork)
        throw Error(fmt::format(
            "no end within the work of {} elements by instructions that are executed again (max_work)",
            Limits::MostRepeatedWork));
}

void Budget::check_cycles(std::uint64_t cycles) const {
    if (limits_.cycles != 0 && cycles > limits_.cycles)
        throw Error(fmt::format("no end within {} cycles of the core (max_time)", limits_.cycles));
}

}  // namespace trnsim::functional
