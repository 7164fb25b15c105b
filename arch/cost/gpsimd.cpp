#include "arch/cost/gpsimd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "firmware/include/trnsim/microcode.hpp"

namespace trnsim::cost {
namespace {

// The figures of this file are fitted to the times of random commands (gpsimd_costs_test); they have no other
// source.

using firmware::Command;

constexpr std::uint32_t CorePartitions = 16;  // partitions that a core reaches

// The firmware's part of a start: from the interrupt to the first instruction of the operation.
constexpr std::uint64_t FirmwareStart = 34;
// A beat of arguments goes to all mailboxes at once.
constexpr std::uint64_t ArgumentsBeat = 1, ArgumentsRest = 1, BeatWords = 16;
// Cycles from the start of cores to the point where they wait for commands, and the share by which another
// image may differ.
constexpr std::uint64_t Boot = 132;
constexpr double BootBound = 0.5;

// A command on tensors takes `base` cycles, `row` for each row of consecutive elements after the first one,
// and `column` for each column, which is one element of all partitions. The cycles of its operands are added.
struct Rate {
    Command command;
    double base, row, column;
    double within;  // share of the figure
};
constexpr auto Rates = std::to_array<Rate>({
    {Command::Memset, 945, 246, 1.9, 0.7},
    {Command::TensorCopy, 1177, 371, 5.2, 0.7},
    {Command::TensorTensor, 1590, 283, 14.3, 0.7},
    {Command::TensorScalar, 1355, 291, 14.3, 0.7},
    {Command::Iota, 886, 364, 6.7, 0.7},
    {Command::AffineSelect, 1358, 649, 9.3, 0.7},
    {Command::PartitionReduce, 1303, 298, 8.9, 0.4},
    {Command::PartitionBroadcast, 1270, 305, 6.8, 0.7},
});
// Cycles of a column of an operand whose elements are not adjacent words, by the bytes of an element.
struct OperandRate {
    std::uint32_t size_log2;
    double dense, strided;
};
constexpr std::array OperandRates{OperandRate{0, 9.8, 17.2}, OperandRate{1, 8.0, 17.7},
                                  OperandRate{2, 0, 16.2}};
constexpr double Bf16Column = 2.7;        // conversion of a column
constexpr double PartialColumn = 4.5;     // a column of a result in some of a core's partitions
constexpr double ReducedPartition = 1.3;  // a column of a partition that is reduced
// Operations that take more than one cycle.
struct SlowOperation {
    firmware::AluOp op;
    double column;
};
constexpr std::array SlowOperations{SlowOperation{firmware::AluOp::Power, 212},
                                    SlowOperation{firmware::AluOp::Reciprocal, 31},
                                    SlowOperation{firmware::AluOp::Rsqrt, 62}};

template <class Arguments>
std::optional<Arguments> read(std::span<const std::uint32_t> words) {
    if (words.size_bytes() < sizeof(Arguments)) return std::nullopt;
    Arguments arguments;
    std::memcpy(&arguments, words.data(), sizeof arguments);
    return arguments;
}

// A command in columns and rows, while its time is added up.
struct CommandWork {
    double columns = 0, rows = 0;  // rows: the most that an operand has
    double cycles = 0;             // beyond those of the command itself
};

// Returns the rows. An axis that continues where the inner axis ends adds no rows.
double rows_of(const firmware::Shape& shape, const std::int32_t (&step)[4]) {
    double rows = 1;
    std::int64_t next = std::int64_t{step[0]} * shape.count[0];
    bool several = shape.count[0] != 1;
    for (unsigned d = 1; d < 4; ++d) {
        if (shape.count[d] == 1) continue;
        if (several && step[d] != next) rows *= shape.count[d];
        next = std::int64_t{step[d]} * shape.count[d];
        several = true;
    }
    return rows;
}

// Returns the elements that are moved together: adjacent elements of one type that fill words are moved as
// words.
std::uint32_t words_of(const firmware::Shape& shape, std::span<const firmware::Tensor> tensors) {
    const std::uint32_t elements = 4U >> firmware::size_log2(tensors[0].dtype);
    bool whole = elements != 0 && shape.count[0] % elements == 0;
    for (const firmware::Tensor& tensor : tensors) {
        whole = whole && tensor.dtype == tensors[0].dtype && tensor.step[0] == 1 && tensor.address % 4 == 0;
        for (unsigned d = 1; d < 4; ++d)
            whole = whole && tensor.step[d] % static_cast<std::int32_t>(elements) == 0;
    }
    return whole ? elements : 1;
}

// The destination comes first. `moves`: no element is changed.
CommandWork work_of(const firmware::Shape& shape, std::span<const firmware::Tensor> tensors, bool moves) {
    const std::uint32_t together = moves ? words_of(shape, tensors) : 1;
    CommandWork work{1, 1, 0};
    for (const std::uint32_t count : shape.count) work.columns *= count;
    work.columns /= together;
    for (const firmware::Tensor& tensor : tensors) {
        work.rows = std::max(work.rows, rows_of(shape, tensor.step));
        if (together != 1) continue;
        const auto rate =
            std::ranges::find(OperandRates, firmware::size_log2(tensor.dtype), &OperandRate::size_log2);
        if (rate != OperandRates.end())
            work.cycles += work.columns * (tensor.step[0] == 1 ? rate->dense : rate->strided);
        if (tensor.dtype == firmware::Dtype::Bf16) work.cycles += work.columns * Bf16Column;
    }
    if (shape.partitions % CorePartitions != 0) work.cycles += work.columns * PartialColumn;
    return work;
}

void add_operation(CommandWork& work, firmware::AluOp op) {
    const auto* slow = std::ranges::find(SlowOperations, op, &SlowOperation::op);
    if (slow != SlowOperations.end()) work.cycles += slow->column * work.columns;
}

template <class Arguments>
std::optional<CommandWork> work_of(std::span<const std::uint32_t> words, bool moves) {
    const auto arguments = read<Arguments>(words);
    if (!arguments) return std::nullopt;
    std::vector<firmware::Tensor> tensors{arguments->dst};
    if constexpr (requires { arguments->a; }) tensors.push_back(arguments->a);
    if constexpr (requires { arguments->b; }) tensors.push_back(arguments->b);
    CommandWork work = work_of(arguments->shape, tensors, moves);
    if constexpr (requires { arguments->affine; }) {
        const firmware::Shape& shape = arguments->shape;
        work.rows = std::max(work.rows, rows_of(shape, arguments->affine.step));
    }
    if constexpr (requires { arguments->op; }) add_operation(work, arguments->op);
    if constexpr (requires { arguments->op0; }) {
        add_operation(work, arguments->op0);
        add_operation(work, arguments->op1);
    }
    return work;
}

std::optional<CommandWork> tensor_work(Command command, std::span<const std::uint32_t> words) {
    namespace fw = firmware;
    switch (command) {
        case Command::Memset:
            return work_of<fw::MemsetArguments>(words, true);
        case Command::TensorCopy:
            return work_of<fw::TensorCopyArguments>(words, true);
        case Command::TensorTensor:
            return work_of<fw::TensorTensorArguments>(words, false);
        case Command::TensorScalar:
            return work_of<fw::TensorScalarArguments>(words, false);
        case Command::Iota:
            return work_of<fw::IotaArguments>(words, false);
        case Command::AffineSelect:
            return work_of<fw::AffineSelectArguments>(words, false);
        case Command::PartitionBroadcast:
            return work_of<fw::PartitionBroadcastArguments>(words, true);
        case Command::PartitionReduce: {
            auto work = work_of<fw::PartitionReduceArguments>(words, false);
            if (work) {
                const std::uint32_t partitions = read<fw::PartitionReduceArguments>(words)->shape.partitions;
                if (partitions % CorePartitions != 0) work->cycles -= work->columns * PartialColumn;
                work->cycles += work->columns * ReducedPartition * std::min(partitions, CorePartitions);
            }
            return work;
        }
        default:
            return std::nullopt;
    }
}

Cycles estimated(double cycles, double within) {
    const auto whole = static_cast<std::uint64_t>(cycles), bound = static_cast<std::uint64_t>(within);
    return {whole, whole, bound, bound, Exception::Microcode};
}

// Returns the cycles of commands on lists.
std::optional<Cycles> list_cycles(Command command, std::span<const std::uint32_t> words) {
    namespace fw = firmware;
    if (command == Command::LocalGather) {
        const auto gather = read<fw::LocalGatherArguments>(words);
        if (!gather) return std::nullopt;
        const double cycles =
            1521 + 151.0 * gather->indices + 10.0 * gather->indices * (gather->elements - 1.0);
        return estimated(cycles, 0.5 * cycles);
    }
    if (command == Command::SequenceBounds) {
        const auto bounds = read<fw::SequenceBoundsArguments>(words);
        if (!bounds) return std::nullopt;
        const double cycles = 657 + 65.0 * bounds->count;
        return estimated(cycles, 0.1 * cycles);
    }
    if (command == Command::Sort) {
        const auto sort = read<fw::SortArguments>(words);
        if (!sort) return std::nullopt;
        const double n = sort->count,
                     indices = (sort->flags & fw::SortArguments::WithIndices) != 0 ? 73 * n : 0;
        const double stages = std::log2(std::max(n, 1.0));
        const double cycles = 667 + 71.5 * n + 3.48 * n * stages * stages + 0.22 * n * n + indices;
        return estimated(cycles, 0.6 * cycles);
    }
    const auto top = read<fw::TopKArguments>(words);
    if (!top) return std::nullopt;
    // Cycles that an element takes to enter the list of those found, at most.
    constexpr double Entering = 400;
    const double n = top->count, k = top->k;
    return estimated(586 + 50.5 * n + 1.42 * n * k + 397 * k, Entering * n);
}

Cycles command_cycles(const isa::Instruction& instruction, const config::Core& core,
                      std::span<const std::uint32_t> words) {
    const auto command = static_cast<Command>(instruction.get(isa::field::Operation));
    if (const auto work = tensor_work(command, words)) {
        const Rate& rate = *std::ranges::find(Rates, command, &Rate::command);
        const double cycles =
            rate.base + rate.row * (work->rows - 1) + rate.column * work->columns + work->cycles;
        return estimated(cycles, rate.within * cycles);
    }
    if (command == Command::LocalGather || command == Command::SequenceBounds || command == Command::Sort ||
        command == Command::TopK) {
        if (const auto cycles = list_cycles(command, words)) return *cycles;
    }
    return estimated(static_cast<double>(core.gpsimd.issue_latency + FirmwareStart), 0);
}

}  // namespace

Cycles gpsimd_cycles(const isa::Instruction& instruction, const config::Core& core,
                     std::span<const std::uint32_t> arguments) {
    switch (instruction.opcode()) {
        case isa::Opcode::GpsimdArguments: {
            const std::uint64_t first = instruction.get(isa::field::FirstWord) % BeatWords;
            const std::uint64_t beats =
                (first + instruction.get(isa::field::Words) + BeatWords - 1) / BeatWords;
            const std::uint64_t cycles = ArgumentsRest + beats * ArgumentsBeat;
            return {.occupies = cycles, .completes = cycles};
        }
        case isa::Opcode::GpsimdCommand:
            return command_cycles(instruction, core, arguments);
        default:
            return estimated(Boot, BootBound * Boot);
    }
}

}  // namespace trnsim::cost
