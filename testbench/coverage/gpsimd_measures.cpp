// Measures of commands of GpSimd's microcode, from the arguments given before
// (firmware/include/trnsim/microcode.hpp).
#include <bit>
#include <cstddef>
#include <iterator>

#include "arch/target/memory.hpp"
#include "compiler/neff/sizes.hpp"
#include "firmware/include/trnsim/microcode.hpp"
#include "testbench/coverage/measure.hpp"

namespace trnsim::coverage {
namespace {

namespace field = isa::field;
using firmware::Command;
using Value = std::optional<std::int64_t>;

static_assert(std::tuple_size_v<GpsimdArguments> == firmware::ArgumentWords);

constexpr int None = -1;

// The words of a command's arguments that the measures read; None means that the command has no such word.
struct Layout {
    int shape = None;                    // partition, partitions and counts
    int counts = 0;                      // number of counts
    int dst = None, a = None, b = None;  // address, type and steps
    int dtype = None;                    // type of elements side by side
    int op = None, second_op = None, flags = None;
};

constexpr int word(std::size_t byte) {
    return static_cast<int>(byte / 4);
}
#define AT(Arguments, member) word(offsetof(firmware::Arguments, member))

// In the order of firmware::Command.
constexpr std::array<Layout, static_cast<std::size_t>(Command::Count)> Layouts{
    Layout{.shape = 0, .counts = 4, .dst = AT(MemsetArguments, dst)},
    Layout{.shape = 0, .counts = 4, .dst = AT(TensorCopyArguments, dst), .a = AT(TensorCopyArguments, a)},
    Layout{.shape = 0,
           .counts = 4,
           .dst = AT(TensorTensorArguments, dst),
           .a = AT(TensorTensorArguments, a),
           .b = AT(TensorTensorArguments, b),
           .op = AT(TensorTensorArguments, op)},
    Layout{.shape = 0,
           .counts = 4,
           .dst = AT(TensorScalarArguments, dst),
           .a = AT(TensorScalarArguments, a),
           .op = AT(TensorScalarArguments, op0),
           .second_op = AT(TensorScalarArguments, op1),
           .flags = AT(TensorScalarArguments, flags)},
    Layout{.shape = 0, .counts = 4, .dst = AT(IotaArguments, dst)},
    Layout{.shape = 0,
           .counts = 4,
           .dst = AT(AffineSelectArguments, dst),
           .a = AT(AffineSelectArguments, a),
           .op = AT(AffineSelectArguments, compare)},
    Layout{.shape = 0, .dtype = AT(LocalGatherArguments, dtype)},
    Layout{.shape = 0,
           .counts = 4,
           .dst = AT(PartitionReduceArguments, dst),
           .a = AT(PartitionReduceArguments, a),
           .op = AT(PartitionReduceArguments, op)},
    Layout{.shape = 0,
           .counts = 4,
           .dst = AT(PartitionBroadcastArguments, dst),
           .a = AT(PartitionBroadcastArguments, a)},
    Layout{.dst = AT(SequenceBoundsArguments, first), .a = AT(SequenceBoundsArguments, a)},
    Layout{.shape = 0, .dtype = AT(SortArguments, dtype), .flags = AT(SortArguments, flags)},
    Layout{.shape = 0, .dtype = AT(TopKArguments, dtype)},
};
#undef AT

const Layout* layout_of(const Executed& e) {
    if (e.instruction.opcode() != isa::Opcode::GpsimdCommand) return nullptr;
    const std::uint64_t operation = e.instruction.get(field::Operation);
    return operation < Layouts.size() ? &Layouts.at(operation) : nullptr;
}

// Returns the word of the arguments at `offset` words after the one that the layout has at `member`.
template <int Layout::*member, int offset = 0>
Value word_at(const Executed& e) {
    const Layout* layout = layout_of(e);
    if (layout == nullptr || layout->*member == None) return std::nullopt;
    const int word = layout->*member + offset;
    return e.arguments.at(static_cast<std::size_t>(word));
}
template <int Layout::*member, int offset>
Value signed_at(const Executed& e) {
    const Value value = word_at<member, offset>(e);
    if (!value) return std::nullopt;
    return static_cast<std::int32_t>(*value);
}

constexpr int TensorDtype = word(offsetof(firmware::Tensor, dtype)),
              TensorStep = word(offsetof(firmware::Tensor, step)),
              ShapePartitions = word(offsetof(firmware::Shape, partitions)),
              ShapeCount = word(offsetof(firmware::Shape, count));

Value dst_dtype(const Executed& e) {
    const Value side_by_side = word_at<&Layout::dtype>(e);
    return side_by_side ? side_by_side : word_at<&Layout::dst, TensorDtype>(e);
}

bool is_float(const Value& dtype) {
    return dtype && (*dtype == static_cast<std::int64_t>(firmware::Dtype::Fp32) ||
                     *dtype == static_cast<std::int64_t>(firmware::Dtype::Bf16));
}

// Returns whether a command computes with floats.
Value floats(const Executed& e) {
    const Value dst = dst_dtype(e);
    if (!dst) return std::nullopt;
    const bool sources =
        is_float(word_at<&Layout::a, TensorDtype>(e)) || is_float(word_at<&Layout::b, TensorDtype>(e));
    return is_float(dst) || sources ? 1 : 0;
}

template <int bit>
Value flag(const Executed& e) {
    const Value flags = word_at<&Layout::flags>(e);
    if (!flags) return std::nullopt;
    return *flags >> bit & 1;
}

// Bit 0 is set if the partitions begin within a core, bit 1 if they end within one.
Value edges(const Executed& e) {
    const Value first = word_at<&Layout::shape>(e), count = word_at<&Layout::shape, ShapePartitions>(e);
    if (!first || !count) return std::nullopt;
    constexpr std::int64_t Core = target::GpsimdPartitions;
    return (*first % Core != 0 ? 1 : 0) + ((*first + *count) % Core != 0 ? 2 : 0);
}

// Returns the number of cores that have some of the partitions.
Value span(const Executed& e) {
    const Value first = word_at<&Layout::shape>(e), count = word_at<&Layout::shape, ShapePartitions>(e);
    if (!first || !count) return std::nullopt;
    return (*first + *count - 1) / target::GpsimdPartitions - *first / target::GpsimdPartitions + 1;
}

Value command_dimensions(const Executed& e) {
    const Layout* layout = layout_of(e);
    if (layout == nullptr || layout->counts == 0) return std::nullopt;
    std::int64_t used = 1;
    for (int axis = 1; axis < layout->counts; ++axis) {
        const int word = layout->shape + ShapeCount + axis;
        if (e.arguments.at(static_cast<std::size_t>(word)) > 1) used = axis + 1;
    }
    return used;
}

// Returns the number of cores of a command or a start.
Value cores(const Executed& e) {
    const isa::Opcode opcode = e.instruction.opcode();
    if (opcode != isa::Opcode::GpsimdCommand && opcode != isa::Opcode::GpsimdStart) return std::nullopt;
    return std::popcount(e.instruction.get(field::CoreMask));
}

std::vector<isa::EnumValue> command_values() {
    std::vector<isa::EnumValue> values;
    values.reserve(std::size(firmware::CommandNames));
    for (const char* name : firmware::CommandNames)
        values.push_back({static_cast<std::uint8_t>(values.size()), name});
    return values;
}

}  // namespace

void add_gpsimd_measures(std::vector<Measure>& all) {
    const auto values_of = [&all](const char* name) {
        for (const Measure& measure : all) {
            if (measure.name == name) return measure.values;
        }
        return std::vector<isa::EnumValue>{};
    };
    const std::vector<isa::EnumValue> types = values_of("dst_dtype"), operations = values_of("op0");
    const auto add = [&all](const char* name, std::vector<isa::EnumValue> values,
                            std::function<Value(const Executed&)> of) {
        all.push_back({name, std::move(values), std::move(of)});
    };
    add("gpsimd_command", command_values(), [](const Executed& e) -> Value {
        if (layout_of(e) == nullptr) return std::nullopt;
        return static_cast<std::int64_t>(e.instruction.get(field::Operation));
    });
    add("gpsimd_dst_dtype", types, dst_dtype);
    add("gpsimd_a_dtype", types, word_at<&Layout::a, TensorDtype>);
    add("gpsimd_b_dtype", types, word_at<&Layout::b, TensorDtype>);
    add("gpsimd_numbers", {{0, "integers"}, {1, "floats"}}, floats);
    add("gpsimd_dst_step", {}, signed_at<&Layout::dst, TensorStep>);
    add("gpsimd_a_step", {}, signed_at<&Layout::a, TensorStep>);
    add("gpsimd_op", operations, word_at<&Layout::op>);
    add("gpsimd_second_op", operations, word_at<&Layout::second_op>);
    constexpr std::array FlagNames{"gpsimd_flag0", "gpsimd_flag1", "gpsimd_flag2", "gpsimd_flag3"};
    constexpr std::array Flags{flag<0>, flag<1>, flag<2>, flag<3>};
    for (std::size_t bit = 0; bit < Flags.size(); ++bit)
        add(FlagNames.at(bit), {{0, "no"}, {1, "yes"}}, Flags.at(bit));
    add("gpsimd_edges", {{0, "whole"}, {1, "begin"}, {2, "end"}, {3, "both"}}, edges);
    add("gpsimd_span", {}, span);
    add("gpsimd_dimensions", {}, command_dimensions);
    add("gpsimd_cores", {}, cores);
}

}  // namespace trnsim::coverage
