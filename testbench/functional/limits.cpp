#include "testbench/functional/limits.hpp"

#include <fmt/format.h>

#include "compiler/neff/sizes.hpp"
#include "isa/operands.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

namespace field = isa::field;

constexpr std::uint64_t InstructionWork = 1024;  // elements that take as long as an instruction without any
constexpr std::uint64_t ProductsAnElement = 32, BytesAnElement = 4;
// No engine takes more elements of a partition in a cycle of the core's clock, and none more instructions than
// one.
constexpr std::uint64_t ElementsACycle = 8;

}  // namespace

void Budget::add(isa::Engine engine, const isa::Instruction& instruction) {
    const isa::InstructionInfo& info = *instruction.info();
    std::uint64_t elements = 0, partitions = 0;
    if (info.uses_dst || info.uses_a) {
        elements = isa::elements_up_to(isa::shape_of(instruction.bytes()), UINT32_MAX);
        partitions = instruction.get(field::Partitions);
        if (instruction.opcode() == isa::Opcode::MultiplyMoving)
            partitions += partitions * instruction.get(field::Columns) / ProductsAnElement;
    }
    work_ += InstructionWork + elements * partitions;
    cycles_[static_cast<std::size_t>(engine)] += 1 + elements / ElementsACycle;
    check(engine);
}

void Budget::add(const neff::Transfer& transfer) {
    work_ += neff::moved_bytes(transfer) / BytesAnElement;
}

void Budget::check(isa::Engine engine) const {
    if (work_ > limits_.work)
        throw Error(fmt::format("no end within the work of {} elements (max_work)", limits_.work));
    if (limits_.cycles != 0 && cycles_[static_cast<std::size_t>(engine)] > limits_.cycles)
        throw Error(fmt::format("no end within {} cycles of the core (max_time)", limits_.cycles));
}

}  // namespace trnsim::functional
