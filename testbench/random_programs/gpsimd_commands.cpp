// The arguments of commands, as docs/firmware.md allows them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "arch/target/memory.hpp"
#include "compiler/neff/sizes.hpp"
#include "testbench/random_programs/gpsimd_generator.hpp"

namespace trnsim::random_programs {
namespace {

using firmware::Affine;
using firmware::AluOp;
using firmware::Command;
using firmware::Dtype;
using firmware::Shape;
using firmware::Tensor;
using Calls = std::vector<GpsimdCall>;

constexpr std::uint32_t CorePartitions = target::GpsimdPartitions;
constexpr std::array Integers{Dtype::I8, Dtype::U8, Dtype::I16, Dtype::U16, Dtype::I32, Dtype::U32};
constexpr std::array Floats{Dtype::Bf16, Dtype::Fp32};
constexpr std::array Ordered{Dtype::I32, Dtype::U32, Dtype::Fp32};
constexpr std::array Comparisons{AluOp::IsEqual,      AluOp::NotEqual, AluOp::Greater,
                                 AluOp::GreaterEqual, AluOp::Less,     AluOp::LessEqual};

std::uint32_t bytes_of(Dtype dtype) {
    return 1U << firmware::size_log2(dtype);
}

Dtype any_type(GpsimdGenerator& g) {
    return g.pick(8) < Floats.size() ? g.any(Floats) : g.any(Integers);
}
Dtype any_type(GpsimdGenerator& g, bool floats) {
    return floats ? g.any(Floats) : g.any(Integers);
}

AluOp any_operation(GpsimdGenerator& g, bool floats) {
    for (;;) {
        const auto op = static_cast<AluOp>(g.pick(static_cast<unsigned>(AluOp::Relu) + 1));
        const bool of_bits = op >= AluOp::BitwiseAnd && op <= AluOp::ShiftRight;
        const bool of_floats = op == AluOp::Reciprocal || op == AluOp::Rsqrt || op == AluOp::Power;
        if (floats ? !of_bits : !of_floats) return op;
    }
}

Touched reads(const Area& area) {
    return {area, false};
}
Touched writes(const Area& area) {
    return {area, true};
}

template <class Arguments>
GpsimdCall call(Command command, const Arguments& arguments, std::uint32_t partition,
                std::uint32_t partitions, std::vector<Touched> touched) {
    static_assert(std::is_trivially_copyable_v<Arguments> && sizeof(Arguments) % 4 == 0);
    GpsimdCall made{command, {}, std::move(touched), partition, partitions};
    made.words.resize(sizeof(Arguments) / 4);
    std::memcpy(made.words.data(), &arguments, sizeof arguments);
    return made;
}
template <class Arguments>
GpsimdCall call(Command command, const Arguments& arguments, std::vector<Touched> touched) {
    return call(command, arguments, arguments.shape.partition, arguments.shape.partitions,
                std::move(touched));
}

// A source: in a buffer of its own, or at the same place as the destination.
struct Source {
    Tensor tensor;
    Area area;
};
std::optional<Source> source(GpsimdGenerator& g, const Shape& shape, Dtype dtype, const Area& own,
                             const Tensor& dst, const Area& dst_area) {
    if (bytes_of(dtype) == bytes_of(dst.dtype) && g.chance(4)) {
        Tensor in_place = dst;
        in_place.dtype = dtype;
        return Source{in_place, dst_area};
    }
    const auto tensor = g.tensor(shape, dtype, own, true);
    if (!tensor) return std::nullopt;
    return Source{*tensor, own};
}

Affine any_affine(GpsimdGenerator& g) {
    const bool small = !g.chance(3);
    const auto value = [&](int around) {
        return small ? static_cast<std::int32_t>(g.pick(2 * static_cast<unsigned>(around) + 1)) - around
                     : static_cast<std::int32_t>(g.word());
    };
    return {value(12), value(2), {value(3), value(3), value(3), value(3)}};
}

Calls memset(GpsimdGenerator& g) {
    const Shape shape = g.shape();
    const Area to = g.buffers(1)[0];
    const auto dst = g.tensor(shape, any_type(g), to, false);
    if (!dst) return {};
    return {call(Command::Memset, firmware::MemsetArguments{shape, *dst, g.word()}, {writes(to)})};
}

Calls tensor_copy(GpsimdGenerator& g) {
    const Shape shape = g.shape();
    const auto areas = g.buffers(2);
    const auto dst = g.tensor(shape, any_type(g), areas[0], false);
    if (!dst) return {};
    const auto a = source(g, shape, any_type(g), areas[1], *dst, areas[0]);
    if (!a) return {};
    return {call(Command::TensorCopy, firmware::TensorCopyArguments{shape, *dst, a->tensor},
                 {writes(areas[0]), reads(a->area)})};
}

Calls tensor_tensor(GpsimdGenerator& g) {
    const Shape shape = g.shape();
    const auto areas = g.buffers(3);
    const bool floats = g.chance(2);
    std::array types{any_type(g, false), any_type(g, false), any_type(g, false)};
    if (floats) {
        for (Dtype& type : types) type = any_type(g);
        types[g.pick(3)] = g.any(Floats);
    }
    const auto dst = g.tensor(shape, types[0], areas[0], false);
    if (!dst) return {};
    const auto a = source(g, shape, types[1], areas[1], *dst, areas[0]);
    const auto b = source(g, shape, types[2], areas[2], *dst, areas[0]);
    if (!a || !b) return {};
    return {call(Command::TensorTensor,
                 firmware::TensorTensorArguments{shape, *dst, a->tensor, b->tensor, any_operation(g, floats)},
                 {writes(areas[0]), reads(a->area), reads(b->area)})};
}

Calls tensor_scalar(GpsimdGenerator& g) {
    using Arguments = firmware::TensorScalarArguments;
    const Shape shape = g.shape();
    const auto areas = g.buffers(4);
    const bool floats = g.chance(2);
    std::array types{any_type(g, false), any_type(g, false)};
    if (floats) {
        for (Dtype& type : types) type = any_type(g);
        types[g.pick(2)] = g.any(Floats);
    }
    const auto dst = g.tensor(shape, types[0], areas[0], false);
    if (!dst) return {};
    const auto a = source(g, shape, types[1], areas[1], *dst, areas[0]);
    if (!a) return {};
    Arguments arguments{shape,      *dst,     a->tensor, any_operation(g, floats), any_operation(g, floats),
                        g.pick(16), g.word(), g.word()};
    std::vector<Touched> touched{writes(areas[0]), reads(a->area)};
    const auto immediate = [&](std::uint32_t flag, const Area& area, std::uint32_t& value) {
        if ((arguments.flags & flag) == 0) return;
        value = *g.row(1, 4, area);
        touched.push_back(reads(area));
    };
    immediate(Arguments::Vector0, areas[2], arguments.imm0);
    immediate(Arguments::Vector1, areas[3], arguments.imm1);
    // Keeps shift amounts small enough to leave bits of the value.
    if (arguments.op0 == AluOp::ShiftLeft || arguments.op0 == AluOp::ShiftRight) {
        if ((arguments.flags & Arguments::Vector0) == 0) arguments.imm0 = g.pick(40);
    }
    return {call(Command::TensorScalar, arguments, touched)};
}

Calls iota(GpsimdGenerator& g) {
    const Shape shape = g.shape();
    const Area to = g.buffers(1)[0];
    const auto dst = g.tensor(shape, any_type(g), to, false);
    if (!dst) return {};
    return {call(Command::Iota, firmware::IotaArguments{shape, *dst, any_affine(g)}, {writes(to)})};
}

Calls affine_select(GpsimdGenerator& g) {
    const Shape shape = g.shape();
    const auto areas = g.buffers(2);
    const bool floats = g.chance(2);
    const auto dst = g.tensor(shape, any_type(g, floats), areas[0], false);
    if (!dst) return {};
    const auto a = source(g, shape, any_type(g, floats), areas[1], *dst, areas[0]);
    if (!a) return {};
    return {call(
        Command::AffineSelect,
        firmware::AffineSelectArguments{shape, *dst, a->tensor, any_affine(g), g.any(Comparisons), g.word()},
        {writes(areas[0]), reads(a->area)})};
}

// Comes after a command that brings random indices below the number of groups.
Calls local_gather(GpsimdGenerator& g) {
    if (g.lanes() % CorePartitions != 0) return {};
    const auto areas = g.buffers(3);
    const std::uint32_t cores = target::gpsimd_cores(g.target());
    const std::uint32_t first = g.pick(cores), count = 1 + g.pick(cores - first);
    const std::uint32_t partition = CorePartitions * first, partitions = CorePartitions * count;
    const Dtype dtype = any_type(g);
    const std::uint32_t elements = 1U << g.pick(4), groups = 1 + g.pick(9), indices = 1 + g.pick(20);
    const std::uint32_t columns = (indices + CorePartitions - 1) / CorePartitions;
    const auto dst = g.row(elements * indices, bytes_of(dtype), areas[0]);
    const auto a = g.row(elements * groups, bytes_of(dtype), areas[1]);
    if (!dst || !a) return {};
    const std::uint32_t index = *g.row(columns, bytes_of(Dtype::U16), areas[2]);
    const Tensor list{index, Dtype::U16, {1, 0, 0, 0}};
    const firmware::TensorScalarArguments below{{partition, partitions, {columns, 1, 1, 1}},
                                                list,
                                                list,
                                                AluOp::BitwiseAnd,
                                                AluOp::Min,
                                                0,
                                                std::bit_ceil(groups) - 1,
                                                groups - 1};
    return {call(Command::TensorScalar, below, {writes(areas[2]), reads(areas[2])}),
            call(Command::LocalGather,
                 firmware::LocalGatherArguments{partition, partitions, *dst, *a, index, dtype, groups,
                                                elements, indices},
                 partition, partitions, {writes(areas[0]), reads(areas[1]), reads(areas[2])})};
}

Calls partition_reduce(GpsimdGenerator& g) {
    static constexpr std::array Operations{AluOp::Add,        AluOp::Max,       AluOp::Min,
                                           AluOp::BitwiseAnd, AluOp::BitwiseOr, AluOp::BitwiseXor};
    constexpr unsigned OfFloats = 3;  // the first three are also for floats
    const Shape shape = g.shape();
    const auto areas = g.buffers(2);
    const bool floats = g.chance(2);
    const auto dst = g.tensor(shape, any_type(g, floats), areas[0], false);
    const auto a = g.tensor(shape, any_type(g, floats), areas[1], true);
    if (!dst || !a) return {};
    const AluOp op = Operations[g.pick(floats ? OfFloats : Operations.size())];
    const std::uint32_t divisor = floats && g.chance(2) ? 1 + g.pick(20) : 0;
    return {call(Command::PartitionReduce, firmware::PartitionReduceArguments{shape, *dst, *a, op, divisor},
                 {writes(areas[0]), reads(areas[1])})};
}

Calls partition_broadcast(GpsimdGenerator& g) {
    const Shape shape = g.shape();
    const auto areas = g.buffers(2);
    const Dtype dtype = any_type(g);
    const auto dst = g.tensor(shape, dtype, areas[0], false);
    const auto a = g.tensor(shape, dtype, areas[1], true);
    if (!dst || !a) return {};
    const std::uint32_t source = g.pick(std::min(CorePartitions, g.lanes()));
    return {call(Command::PartitionBroadcast, firmware::PartitionBroadcastArguments{shape, *dst, *a, source},
                 {writes(areas[0]), reads(areas[1])})};
}

// Comes mostly after a command that brings segments.
Calls sequence_bounds(GpsimdGenerator& g) {
    static constexpr std::array Types{Dtype::I32, Dtype::Fp32};
    const auto areas = g.buffers(3);
    const std::uint32_t partition = g.pick(g.lanes());
    const std::uint32_t length = 1 + g.pick(4), segments = 1 + g.pick(5), count = length * segments;
    const Shape shape{partition, 1, {count, 1, 1, 1}};
    const auto tensor = [&](const Area& area, bool repeats) {
        return g.tensor(shape, g.any(Types), area, repeats);
    };
    const auto first = tensor(areas[0], false), end = tensor(areas[1], false), ids = tensor(areas[2], true);
    if (!first || !end || !ids) return {};
    Calls calls;
    if (!g.chance(4)) {
        Tensor blocks = *ids;
        blocks.step[1] = static_cast<std::int32_t>(length) * ids->step[0];
        const auto steepness = static_cast<std::int32_t>(g.pick(3)) - 1;
        calls.push_back(
            call(Command::Iota,
                 firmware::IotaArguments{
                     {partition, 1, {length, segments, 1, 1}}, blocks, {2, 0, {0, steepness, 0, 0}}},
                 {writes(areas[2])}));
    }
    calls.push_back(call(Command::SequenceBounds,
                         firmware::SequenceBoundsArguments{partition, count, *first, *end, *ids}, partition,
                         1, {writes(areas[0]), writes(areas[1]), reads(areas[2])}));
    return calls;
}

Calls sort(GpsimdGenerator& g) {
    constexpr std::uint32_t Bytes = 4;
    const auto areas = g.buffers(3);
    const Shape shape = g.shape();
    const std::uint32_t count = 1 + g.pick(12);
    const bool in_place = g.chance(4);
    const std::uint32_t a = *g.row(count, Bytes, areas[1]),
                        dst = in_place ? a : *g.row(count, Bytes, areas[0]),
                        indices = *g.row(count, Bytes, areas[2]);
    return {call(Command::Sort,
                 firmware::SortArguments{shape.partition, shape.partitions, dst, a, indices, g.any(Ordered),
                                         count, g.pick(4)},
                 shape.partition, shape.partitions,
                 {writes(in_place ? areas[1] : areas[0]), reads(areas[1]), writes(areas[2])})};
}

Calls top_k(GpsimdGenerator& g) {
    constexpr std::uint32_t Bytes = 4;
    const auto areas = g.buffers(3);
    const Shape shape = g.shape();
    const std::uint32_t count = 1 + g.pick(12), k = 1 + g.pick(g.chance(8) ? count : std::min(count, 3U));
    return {call(Command::TopK,
                 firmware::TopKArguments{shape.partition, shape.partitions, *g.row(k, Bytes, areas[0]),
                                         *g.row(count, Bytes, areas[1]), *g.row(k, Bytes, areas[2]),
                                         g.any(Ordered), count, k},
                 shape.partition, shape.partitions, {writes(areas[0]), reads(areas[1]), writes(areas[2])})};
}

}  // namespace

std::vector<GpsimdCall> random_gpsimd_calls(GpsimdGenerator& generator) {
    using Make = Calls (*)(GpsimdGenerator&);
    static constexpr Make Commands[] = {
        memset, tensor_copy,   tensor_tensor, tensor_tensor,    tensor_scalar,       tensor_scalar,
        iota,   affine_select, local_gather,  partition_reduce, partition_broadcast, sequence_bounds,
        sort,   top_k};
    return generator.any(Commands)(generator);
}

}  // namespace trnsim::random_programs
