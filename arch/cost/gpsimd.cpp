#include "arch/cost/gpsimd.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "firmware/include/trnsim/microcode.hpp"

namespace trnsim::cost {
namespace {

using firmware::Command;
using firmware::Dtype;

// Firmware's part of a start: from the interrupt to the first instruction of the operation, and back.
constexpr std::uint64_t FirmwareStart = 34;
// Beats of the mailbox, one a core of the mask by turns, and the answer.
constexpr std::uint64_t ArgumentsCycles = 3, StartCycles = 3000;

// What a command takes: some cycles, and some for each of its elements of a partition.
struct Rate {
    double base, each;
};
// Elements of 32 bits side by side, no conversion; and all others.
struct Row {
    Command command;
    Rate dense, other;
    double within;  // share of the figure
};

constexpr auto Rows = std::to_array<Row>({
    {Command::Memset, {1200, 0.9}, {1200, 12}, 0.5},
    {Command::TensorCopy, {1250, 3.0}, {1250, 20}, 0.5},
    {Command::TensorTensor, {1400, 6.5}, {1400, 51}, 0.5},
    {Command::TensorScalar, {1400, 4.7}, {1400, 40}, 0.5},
    {Command::Iota, {1300, 2.3}, {1300, 20}, 0.5},
    {Command::AffineSelect, {1300, 3.6}, {1300, 40}, 0.5},
    {Command::LocalGather, {1300, 20}, {1300, 20}, 0.5},
    {Command::PartitionReduce, {1100, 26}, {1100, 40}, 0.5},
    {Command::PartitionBroadcast, {1100, 4}, {1100, 20}, 0.5},
    {Command::SequenceBounds, {1100, 40}, {1100, 40}, 0.5},
    {Command::Sort, {1100, 190}, {1100, 190}, 0.5},
    {Command::TopK, {1100, 410}, {1100, 410}, 0.9},
});
static_assert(Rows.size() == static_cast<std::size_t>(Command::Count));

template <class Arguments>
std::optional<Arguments> read(std::span<const std::uint32_t> words) {
    if (words.size_bytes() < sizeof(Arguments)) return std::nullopt;
    Arguments arguments;
    std::memcpy(&arguments, words.data(), sizeof arguments);
    return arguments;
}

std::uint64_t elements(const firmware::Shape& shape) {
    std::uint64_t all = 1;
    for (const std::uint32_t count : shape.count) all *= count;
    return all;
}

bool dense(const firmware::Shape& shape, const firmware::Tensor& tensor) {
    std::int64_t step = 1;
    for (unsigned d = 0; d < 4; ++d) {
        if (shape.count[d] != 1 && tensor.step[d] != step) return false;
        step *= shape.count[d];
    }
    return firmware::size_log2(tensor.dtype) == 2;
}

struct Load {
    std::uint64_t elements;
    bool dense;
};

// A command whose tensors have the shape that it begins with.
template <class Arguments, class... Tensors>
std::optional<Load> shaped(std::span<const std::uint32_t> words, Tensors Arguments::*... tensors) {
    const auto arguments = read<Arguments>(words);
    if (!arguments) return std::nullopt;
    const firmware::Shape& shape = arguments->shape;
    return Load{elements(shape), (dense(shape, (*arguments).*tensors) && ...)};
}

template <class Arguments>
std::optional<Load> counted(std::span<const std::uint32_t> words, std::uint32_t Arguments::*count) {
    const auto arguments = read<Arguments>(words);
    if (!arguments) return std::nullopt;
    return Load{(*arguments).*count, true};
}

std::optional<Load> load_of(Command command, std::span<const std::uint32_t> words) {
    namespace fw = firmware;
    switch (command) {
        case Command::Memset:
            return shaped(words, &fw::MemsetArguments::dst);
        case Command::TensorCopy:
            return shaped(words, &fw::TensorCopyArguments::dst, &fw::TensorCopyArguments::a);
        case Command::TensorTensor:
            return shaped(words, &fw::TensorTensorArguments::dst, &fw::TensorTensorArguments::a,
                          &fw::TensorTensorArguments::b);
        case Command::TensorScalar:
            return shaped(words, &fw::TensorScalarArguments::dst, &fw::TensorScalarArguments::a);
        case Command::Iota:
            return shaped(words, &fw::IotaArguments::dst);
        case Command::AffineSelect:
            return shaped(words, &fw::AffineSelectArguments::dst, &fw::AffineSelectArguments::a);
        case Command::LocalGather:
            return counted(words, &fw::LocalGatherArguments::indices);
        case Command::PartitionReduce:
            return shaped(words, &fw::PartitionReduceArguments::a);
        case Command::PartitionBroadcast:
            return shaped(words, &fw::PartitionBroadcastArguments::dst, &fw::PartitionBroadcastArguments::a);
        case Command::SequenceBounds:
            return counted(words, &fw::SequenceBoundsArguments::count);
        case Command::Sort:
            return counted(words, &fw::SortArguments::count);
        case Command::TopK:
            return counted(words, &fw::TopKArguments::count);
        case Command::Count:
            break;
    }
    return std::nullopt;
}

Cycles command_cycles(const isa::Instruction& instruction, const config::Core& core,
                      std::span<const std::uint32_t> words) {
    const std::uint64_t start = core.gpsimd.issue_latency + FirmwareStart;
    const std::uint64_t operation = instruction.get(isa::field::Operation);
    Cycles cycles{.occupies = start, .completes = start, .exception = Exception::Microcode};
    if (operation >= Rows.size()) return cycles;
    const Row& row = Rows[operation];
    const auto load = load_of(row.command, words);
    if (!load) return cycles;
    const Rate& rate = load->dense ? row.dense : row.other;
    cycles.completes =
        static_cast<std::uint64_t>(rate.base + rate.each * static_cast<double>(load->elements));
    cycles.occupies = cycles.completes;
    cycles.occupies_within = cycles.completes_within =
        static_cast<std::uint64_t>(row.within * static_cast<double>(cycles.completes));
    return cycles;
}

}  // namespace

Cycles gpsimd_cycles(const isa::Instruction& instruction, const config::Core& core,
                     std::span<const std::uint32_t> arguments) {
    if (instruction.opcode() == isa::Opcode::GpsimdCommand)
        return command_cycles(instruction, core, arguments);
    const std::uint64_t cycles =
        instruction.opcode() == isa::Opcode::GpsimdArguments ? ArgumentsCycles : StartCycles;
    return {.occupies = cycles, .completes = cycles, .exception = Exception::Microcode};
}

}  // namespace trnsim::cost
