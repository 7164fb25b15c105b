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
    {Command::Memset, 910, 182, 1, 0.7},
    {Command::TensorCopy, 1156, 284, 1, 0.7},
    {Command::TensorTensor, 1797, 477, 2, 0.7},
    {Command::TensorScalar, 1706, 239, 1.13, 0.7},
    {Command::Iota, 1115, 352, 1, 0.7},
    {Command::AffineSelect, 1610, 629, 1.1, 0.8},
    {Command::PartitionReduce, 1239, 324, 5.1, 0.4},
    {Command::PartitionBroadcast, 1136, 290, 3.3, 0.7},
});
// Base and column of commands whose tensors are flat: adjacent elements in one row, in all partitions of the cores,
// of 32 bits and all floats or all integers, or such as are moved together.
struct FlatRate {
    Command command;
    double base, column;
    double within;  // share of the figure
};
constexpr auto FlatRates = std::to_array<FlatRate>({
    {Command::Memset, 272, 1, 0.1},
    {Command::TensorCopy, 308, 1, 0.1},
    {Command::TensorTensor, 467, 2, 0.4},
    {Command::TensorScalar, 645, 1.13, 0.4},
    {Command::Iota, 342, 1, 0.2},
    {Command::AffineSelect, 594, 1, 0.4},
});
// Cycles of a column of an operand whose elements are not adjacent words, by the bytes of an element.
struct OperandRate {
    std::uint32_t size_log2;
    double dense, strided;
};
constexpr std::array OperandRates{OperandRate{0, 8.1, 12.0}, OperandRate{1, 6.1, 12.8},
                                  OperandRate{2, 0, 11.7}};
constexpr double Bf16Column = 2.2;        // conversion of a column
constexpr double Bf16Result = 5;          // rounding of a column of results
constexpr double FloatColumn = 1.4;       // conversion of a column of i32 or u32 to fp32
constexpr double PartialColumn = 3.9;     // a column of a result in some of a core's partitions
constexpr double ReducedPartition = 1.2;  // a column of a partition that is reduced
constexpr std::uint32_t LongRow = 16;     // words; shorter rows of pairs are gathered
constexpr double PairColumn = 7.2;        // a column of pairs of bf16
// A flat row of fp32 that is copied to bf16.
constexpr double PackStart = 177, PackColumn = 6.6;
// Operations that take more than one cycle.
struct SlowOperation {
    firmware::AluOp op;
    double column;
};
constexpr std::array SlowOperations{
    SlowOperation{firmware::AluOp::Power, 212},   SlowOperation{firmware::AluOp::Reciprocal, 31},
    SlowOperation{firmware::AluOp::Rsqrt, 62},    SlowOperation{firmware::AluOp::Abs, 1},
    SlowOperation{firmware::AluOp::ShiftLeft, 3}, SlowOperation{firmware::AluOp::ShiftRight, 3},
    SlowOperation{firmware::AluOp::AbsMax, 3},    SlowOperation{firmware::AluOp::AbsMin, 3}};
// Cycles of a column in flat tensors and in others.
struct ByForm {
    double flat, other;
    double of(bool is_flat) const { return is_flat ? flat : other; }
};
constexpr ByForm TruthColumn{2.5, 5.6};    // a comparison or logical operation
constexpr ByForm SecondColumn{1.13, 4.6};  // the second operation of tensor_scalar
// The operations that have a loop over pairs of bf16.
constexpr std::array PairOperations{firmware::AluOp::Add,      firmware::AluOp::Subtract,
                                    firmware::AluOp::Multiply, firmware::AluOp::Max,
                                    firmware::AluOp::Min,      firmware::AluOp::Relu};

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
    bool flat = false;
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

// Returns whether all rows have adjacent elements and begin at a word.
bool is_dense(const firmware::Tensor& tensor) {
    const auto elements = static_cast<std::int32_t>(4U >> firmware::size_log2(tensor.dtype));
    bool dense = elements != 0 && tensor.step[0] == 1 && tensor.address % 4 == 0;
    for (unsigned d = 1; d < 4 && dense; ++d) dense = tensor.step[d] % elements == 0;
    return dense;
}

// Returns the elements that are moved together: adjacent elements of one type that fill words are moved as
// words.
std::uint32_t words_of(const firmware::Shape& shape, std::span<const firmware::Tensor> tensors) {
    const std::uint32_t elements = 4U >> firmware::size_log2(tensors[0].dtype);
    bool whole = elements != 0 && shape.count[0] % elements == 0;
    for (const firmware::Tensor& tensor : tensors)
        whole = whole && tensor.dtype == tensors[0].dtype && is_dense(tensor);
    return whole ? elements : 1;
}

bool is_float(firmware::Dtype dtype) {
    return dtype == firmware::Dtype::Fp32 || dtype == firmware::Dtype::Bf16;
}

// Returns whether the tensors have one row, in all partitions of the cores.
bool is_row(const firmware::Shape& shape) {
    if (shape.count[1] != 1 || shape.count[2] != 1 || shape.count[3] != 1) return false;
    return shape.partition % CorePartitions == 0 && shape.partitions % CorePartitions == 0;
}

bool are_flat(const firmware::Shape& shape, std::span<const firmware::Tensor> tensors) {
    return is_row(shape) && std::ranges::all_of(tensors, [&](const firmware::Tensor& tensor) {
               return firmware::size_log2(tensor.dtype) == 2 && tensor.step[0] == 1 &&
                      is_float(tensor.dtype) == is_float(tensors[0].dtype);
           });
}

// Returns whether a row of fp32 is copied to bf16 in one loop.
bool are_packed(const firmware::Shape& shape, std::span<const firmware::Tensor> tensors) {
    return tensors.size() == 2 && tensors[0].dtype == firmware::Dtype::Bf16 &&
           tensors[1].dtype == firmware::Dtype::Fp32 && is_row(shape) && shape.count[0] % 2 == 0 &&
           is_dense(tensors[0]) && is_dense(tensors[1]);
}

// The destination comes first. `moves`: no element is changed. `pairs`: the operation has a loop over pairs.
CommandWork work_of(const firmware::Shape& shape, std::span<const firmware::Tensor> tensors, bool moves,
                    bool pairs) {
    const bool in_pairs = pairs && tensors[0].dtype == firmware::Dtype::Bf16;
    const std::uint32_t together = moves || in_pairs ? words_of(shape, tensors) : 1;
    CommandWork work{.columns = 1, .rows = 1, .cycles = 0, .flat = are_flat(shape, tensors)};
    for (const std::uint32_t count : shape.count) work.columns *= count;
    if (moves && are_packed(shape, tensors)) {
        work.flat = true;
        work.cycles = PackStart + PackColumn * work.columns;
        return work;
    }
    work.columns /= together;
    if (together != 1 && tensors.size() > 1) work.flat = is_row(shape);
    for (const firmware::Tensor& tensor : tensors) {
        work.rows = std::max(work.rows, rows_of(shape, tensor.step));
        if (together != 1) continue;
        const auto rate =
            std::ranges::find(OperandRates, firmware::size_log2(tensor.dtype), &OperandRate::size_log2);
        if (rate != OperandRates.end())
            work.cycles += work.columns * (is_dense(tensor) ? rate->dense : rate->strided);
        if (tensor.dtype == firmware::Dtype::Bf16) work.cycles += work.columns * Bf16Column;
    }
    if (together == 1 && tensors[0].dtype == firmware::Dtype::Bf16) work.cycles += Bf16Result * work.columns;
    if (in_pairs && together != 1) {
        const bool gathered = work.rows > 1 && shape.count[0] / together < LongRow;
        const double moving =
            gathered ? OperandRates.back().strided * static_cast<double>(tensors.size()) : 0;
        work.cycles += (PairColumn + moving) * work.columns;
    }
    if (shape.partitions % CorePartitions != 0) work.cycles += work.columns * PartialColumn;
    return work;
}

void add_operation(CommandWork& work, firmware::AluOp op) {
    const auto* slow = std::ranges::find(SlowOperations, op, &SlowOperation::op);
    if (slow != SlowOperations.end()) work.cycles += slow->column * work.columns;
    if (op >= firmware::AluOp::IsEqual && op <= firmware::AluOp::LogicalNot)
        work.cycles += TruthColumn.of(work.flat) * work.columns;
}

bool has_pairs(firmware::AluOp op) {
    return std::ranges::count(PairOperations, op) != 0;
}

template <class Arguments>
std::optional<CommandWork> work_of(std::span<const std::uint32_t> words, bool moves) {
    const auto arguments = read<Arguments>(words);
    if (!arguments) return std::nullopt;
    std::vector<firmware::Tensor> tensors{arguments->dst};
    if constexpr (requires { arguments->a; }) tensors.push_back(arguments->a);
    if constexpr (requires { arguments->b; }) tensors.push_back(arguments->b);
    bool pairs = false;
    if constexpr (requires { arguments->b; }) pairs = has_pairs(arguments->op);
    if constexpr (requires { arguments->op0; }) {
        const bool bypasses = arguments->op0 == firmware::AluOp::Bypass;
        pairs = has_pairs(bypasses ? arguments->op1 : arguments->op0) &&
                (bypasses || arguments->op1 == firmware::AluOp::Bypass);
    }
    CommandWork work = work_of(arguments->shape, tensors, moves, pairs);
    if constexpr (requires { arguments->affine; }) {
        const firmware::Shape& shape = arguments->shape;
        work.rows = std::max(work.rows, rows_of(shape, arguments->affine.step));
        if (arguments->dst.dtype == firmware::Dtype::Fp32 && tensors.size() == 1)
            work.cycles += FloatColumn * work.columns;
    }
    if constexpr (requires { arguments->op; }) add_operation(work, arguments->op);
    if constexpr (requires { arguments->op0; }) {
        add_operation(work, arguments->op0);
        add_operation(work, arguments->op1);
        if (arguments->op0 != firmware::AluOp::Bypass && arguments->op1 != firmware::AluOp::Bypass)
            work.cycles += SecondColumn.of(work.flat) * work.columns;
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
            1384 + 116.0 * gather->indices + 10.0 * gather->indices * (gather->elements - 1.0);
        return estimated(cycles, 0.5 * cycles);
    }
    if (command == Command::SequenceBounds) {
        const auto bounds = read<fw::SequenceBoundsArguments>(words);
        if (!bounds) return std::nullopt;
        const double cycles = 619 + 62.0 * bounds->count;
        return estimated(cycles, 0.1 * cycles);
    }
    if (command == Command::Sort) {
        const auto sort = read<fw::SortArguments>(words);
        if (!sort) return std::nullopt;
        const double n = sort->count,
                     indices = (sort->flags & fw::SortArguments::WithIndices) != 0 ? 116 * n : 0;
        const double stages = std::log2(std::max(n, 1.0));
        const double cycles = 623 + 47.8 * n + 2.08 * n * stages * stages + indices;
        return estimated(cycles, 0.6 * cycles);
    }
    const auto top = read<fw::TopKArguments>(words);
    if (!top) return std::nullopt;
    // Cycles that an element takes to enter the list of those found, at most.
    constexpr double Entering = 400;
    const double n = top->count, k = top->k;
    return estimated(593 + 43.3 * n + 1.2 * n * k + 290 * k, Entering * n);
}

Cycles command_cycles(const isa::Instruction& instruction, const config::Core& core,
                      std::span<const std::uint32_t> words) {
    const auto command = static_cast<Command>(instruction.get(isa::field::Operation));
    if (const auto work = tensor_work(command, words)) {
        const auto* flat = std::ranges::find(FlatRates, command, &FlatRate::command);
        if (work->flat && flat != FlatRates.end()) {
            const double cycles = flat->base + flat->column * work->columns + work->cycles;
            return estimated(cycles, flat->within * cycles);
        }
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
