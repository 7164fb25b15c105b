// The GpSimd engine's part of KernelBuilder: images, commands of the microcode, custom operators.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "lib/base/files/files.hpp"
#include "lib/base/places/places.hpp"
#include "lib/builder/dtype.hpp"
#include "lib/builder/error.hpp"
#include "lib/builder/gpsimd_command.hpp"
#include "lib/builder/kernel_builder.hpp"
#include "lib/builder/rules.hpp"
#include "lib/firmware/image.hpp"
#include "lib/neff/images.hpp"

namespace trnsim::builder {

namespace field = isa::field;
using firmware::Command;
using isa::Instruction;
using isa::Opcode;

namespace {

constexpr std::string_view MicrocodeFile = "firmware/microcode.gpsimd";
constexpr std::array ArgumentFields{&field::W0, &field::W1, &field::W2, &field::W3, &field::W4,  &field::W5,
                                    &field::W6, &field::W7, &field::W8, &field::W9, &field::W10, &field::W11};

static_assert(static_cast<int>(firmware::AluOp::Relu) == static_cast<int>(isa::AluOp::Relu));
static_assert(static_cast<int>(firmware::Dtype::Fp32) == static_cast<int>(isa::Dtype::Fp32));

firmware::AluOp alu(isa::AluOp op) {
    return static_cast<firmware::AluOp>(op);
}

bool is_bit_operation(isa::AluOp op) {
    return op >= isa::AluOp::BitwiseAnd && op <= isa::AluOp::ShiftRight;
}

// Whether the microcode has the operation for floats, or for integers.
void check_operation(const GpsimdCommand& command, isa::AluOp op, bool floats) {
    using enum isa::AluOp;
    const bool has = floats ? !is_bit_operation(op) : op != Reciprocal && op != Rsqrt && op != Power;
    command.require(has,
                    fmt::format("GpSimd has no {} of {}", isa::name_of(op), floats ? "floats" : "integers"));
}

void check_comparison(const GpsimdCommand& command, isa::AluOp op) {
    command.require(op >= isa::AluOp::IsEqual && op <= isa::AluOp::LessEqual,
                    fmt::format("{} is no comparison", isa::name_of(op)));
}

// Sorts and selections.
void check_order(const GpsimdCommand& command, const Tile& tile) {
    command.require(bytes_of(tile.dtype) == 4, fmt::format("{}: has i32, u32 and fp32", tile.describe()));
}

void check_rounding(const GpsimdCommand& command, isa::Rounding rounding) {
    command.require(rounding != isa::Rounding::Stochastic, "GpSimd rounds to the nearest");
}

std::string file_name(const std::filesystem::path& path) {
    return path.stem().string();
}

}  // namespace

GpsimdImage KernelBuilder::gpsimd_image(const std::filesystem::path& file) {
    return gpsimd_image(file_name(file), files::read(file));
}

GpsimdImage KernelBuilder::gpsimd_image(const std::string& name, std::vector<std::uint8_t> bytes) {
    const auto same = std::ranges::find(package_.images, name, &neff::GpsimdImage::name);
    if (same != package_.images.end()) {
        if (same->bytes != bytes) throw Error(fmt::format("image '{}' is there with other contents", name));
        return {static_cast<std::uint32_t>(same - package_.images.begin())};
    }
    try {
        gpsimd_.operations.push_back(firmware::parse(bytes, fmt::format("image '{}'", name)).operations);
    } catch (const firmware::Error& error) {
        throw Error(error.what());
    }
    package_.images.push_back({name, std::move(bytes)});
    return {static_cast<std::uint32_t>(package_.images.size() - 1)};
}

GpsimdImage KernelBuilder::microcode() {
    for (const std::filesystem::path& folder : places::shipped_folders()) {
        std::error_code ignored;
        const std::filesystem::path file = folder / MicrocodeFile;
        if (std::filesystem::is_regular_file(file, ignored)) return gpsimd_image(file);
    }
    throw Error(
        fmt::format("GpSimd's microcode is not there: no {} beside the program; its target of the "
                    "build is 'microcode'",
                    MicrocodeFile));
}

Queue KernelBuilder::gpsimd_queue() {
    if (!gpsimd_.queue) gpsimd_.queue = queue("qGpsimd", Engine::Gpsimd);
    return *gpsimd_.queue;
}

Event KernelBuilder::gpsimd(GpsimdImage image, const After& after, Where where) {
    if (image.number >= package_.images.size())
        throw Error(fmt::format("gpsimd: there is no image {}", image.number));
    if (body_)
        throw Error(
            fmt::format("{}: loop: GpSimd's cores have another image; load it by gpsimd() before the loop",
                        place_name(where)));
    const neff::ImageContents contents = neff::contents_of(package_.images[image.number]);
    const std::uint32_t cores = neff::gpsimd_cores(target());
    neff::Transfer transfer;
    transfer.queue = gpsimd_queue().number;
    transfer.element_bytes = neff::ImageBeat;
    const auto beats = static_cast<std::uint32_t>(contents.bytes.size() / neff::ImageBeat);
    transfer.from.place = neff::Pattern::Place::Image;
    transfer.from.tensor = image.number;
    transfer.from.step = {neff::ImageBeat, 0, 0, 0};
    transfer.to.place = neff::Pattern::Place::Core;
    transfer.to.offset = neff::gpsimd_place(0, contents.address);
    transfer.to.step = {neff::ImageBeat, isa::window::GpsimdTcmStride, 0, 0};
    transfer.from.count = transfer.to.count = {beats, cores, 1, 1};
    transfer.name = fmt::format("load image {}", package_.images[image.number].name);
    package_.transfers.push_back(std::move(transfer));
    // Nothing that the cores do goes on meanwhile.
    After before = after;
    if (gpsimd_.last) before.push_back(*gpsimd_.last);
    count_instruction();
    const Event loaded = append_transfer(*gpsimd_.queue, before, where);
    Instruction start(Opcode::GpsimdStart);
    start.set(field::CoreMask, (1U << cores) - 1).set(field::Boot, contents.entry);
    gpsimd_.loaded = image;
    gpsimd_.last = append(Engine::Gpsimd, start, {loaded}, true, where);
    return *gpsimd_.last;
}

Event KernelBuilder::append_gpsimd(GpsimdImage image, std::uint32_t operation, const GpsimdCommand& command,
                                   const After& after, const Where& where) {
    if (gpsimd_.loaded != image) gpsimd(image, {}, where);
    const std::vector<std::uint32_t>& words = command.words();
    for (std::size_t first = 0; first < words.size(); first += ArgumentFields.size()) {
        Instruction arguments(Opcode::GpsimdArguments);
        const std::size_t count = std::min(words.size() - first, ArgumentFields.size());
        arguments.set(field::FirstWord, first).set(field::Words, count);
        for (std::size_t i = 0; i < count; ++i) arguments.set(*ArgumentFields[i], words[first + i]);
        append(Engine::Gpsimd, arguments, {}, true, where);
    }
    Dependences::Call call{program_.next(Engine::Gpsimd), true, after};
    if (waits_ == Waits::Derived) {
        for (const Tile& tile : command.writes()) dependences_.write(call, tile);
        for (const Tile& tile : command.reads()) dependences_.read(call, tile);
    }
    Instruction instruction(Opcode::GpsimdCommand);
    instruction.set(field::Operation, operation).set(field::CoreMask, command.core_mask());
    gpsimd_.last = append(Engine::Gpsimd, instruction, call.after, true, where);
    return *gpsimd_.last;
}

Event KernelBuilder::append_microcode(std::uint32_t operation, const GpsimdCommand& command,
                                      const After& after, const Where& where) {
    if (!gpsimd_.microcode) gpsimd_.microcode = microcode();
    return append_gpsimd(*gpsimd_.microcode, operation, command, after, where);
}

Event KernelBuilder::gpsimd_memset(const Tile& dst, const Scalar& value, const OnEngine& options,
                                   const Where& where) {
    GpsimdCommand command(target(), "memset");
    command.write(dst);
    check_rounding(command, options.rounding);
    const float* number = std::get_if<float>(&value);
    command.require(number != nullptr, "GpSimd sets a constant");
    command.set_arguments(firmware::MemsetArguments{command.shape(dst), command.tensor(dst),
                                                    command.immediate(*number, is_float(dst.dtype))});
    return append_microcode(static_cast<std::uint32_t>(Command::Memset), command, options.after, where);
}

Event KernelBuilder::gpsimd_copy(const Tile& dst, const Tile& source, const OnEngine& options,
                                 const Where& where) {
    GpsimdCommand command(target(), "tensor_copy");
    command.write(dst).read(source);
    check_rounding(command, options.rounding);
    check_same_shape(command.name(), dst, source);
    command.check_overlap(dst, source);
    command.set_arguments(
        firmware::TensorCopyArguments{command.shape(dst), command.tensor(dst), command.tensor(source)});
    return append_microcode(static_cast<std::uint32_t>(Command::TensorCopy), command, options.after, where);
}

Event KernelBuilder::gpsimd_binary(const Tile& dst, const Tile& a, const AluOrder& op, const Tile& b,
                                   const OnEngine& options, const Where& where) {
    GpsimdCommand command(target(), "tensor_tensor");
    command.write(dst).read(a).read(b);
    check_rounding(command, options.rounding);
    for (const Tile* source : {&a, &b}) {
        check_same_shape(command.name(), dst, *source);
        command.check_overlap(dst, *source);
    }
    check_operation(command, op.op, is_float(dst.dtype) || is_float(a.dtype) || is_float(b.dtype));
    command.set_arguments(firmware::TensorTensorArguments{command.shape(dst), command.tensor(dst),
                                                          command.tensor(op.reverse ? b : a),
                                                          command.tensor(op.reverse ? a : b), alu(op.op)});
    return append_microcode(static_cast<std::uint32_t>(Command::TensorTensor), command, options.after, where);
}

Event KernelBuilder::gpsimd_scalar(const Tile& dst, const Tile& a, const AluStep& first,
                                   const AluStep& second, const OnEngine& options, const Where& where) {
    using Arguments = firmware::TensorScalarArguments;
    GpsimdCommand command(target(), "tensor_scalar");
    command.write(dst).read(a);
    check_rounding(command, options.rounding);
    check_same_shape(command.name(), dst, a);
    command.check_overlap(dst, a);
    const bool floats = is_float(dst.dtype) || is_float(a.dtype);
    Arguments arguments{
        command.shape(dst), command.tensor(dst), command.tensor(a), alu(first.op), alu(second.op), 0, 0, 0};
    const auto operand = [&](const AluStep& step, std::uint32_t reverse, std::uint32_t vector,
                             std::uint32_t& immediate) {
        check_operation(command, step.op, floats);
        if (step.reverse) arguments.flags |= reverse;
        if (const float* value = std::get_if<float>(&step.operand)) {
            immediate = command.immediate(*value, floats);
            return;
        }
        const Tile& column = std::get<Tile>(step.operand);
        command.read(column);
        command.require(bytes_of(column.dtype) == 4 && is_float(column.dtype) == floats &&
                            column.elements() == 1 && column.partition == dst.partition &&
                            column.partitions == dst.partitions,
                        fmt::format("{} is not {} [{}, 1] of its partitions", column.describe(),
                                    floats ? "fp32" : "i32 or u32", dst.partitions));
        command.check_overlap(dst, column);
        arguments.flags |= vector;
        immediate = column.offset;
    };
    operand(first, Arguments::Reverse0, Arguments::Vector0, arguments.imm0);
    operand(second, Arguments::Reverse1, Arguments::Vector1, arguments.imm1);
    command.set_arguments(arguments);
    return append_microcode(static_cast<std::uint32_t>(Command::TensorScalar), command, options.after, where);
}

Event KernelBuilder::iota(const Tile& dst, const Affine& affine, const After& after, Where where) {
    GpsimdCommand command(target(), "iota");
    command.write(dst);
    command.set_arguments(
        firmware::IotaArguments{command.shape(dst), command.tensor(dst), command.affine(affine, dst)});
    return append_microcode(static_cast<std::uint32_t>(Command::Iota), command, after, where);
}

Event KernelBuilder::affine_select(const Tile& dst, const Tile& a, const Affine& affine, isa::AluOp compare,
                                   const Number& otherwise, const After& after, Where where) {
    GpsimdCommand command(target(), "affine_select");
    command.write(dst).read(a);
    check_same_shape(command.name(), dst, a);
    command.check_overlap(dst, a);
    check_comparison(command, compare);
    command.require(is_float(dst.dtype) == is_float(a.dtype), "takes floats to floats, integers to integers");
    command.set_arguments(firmware::AffineSelectArguments{
        command.shape(dst), command.tensor(dst), command.tensor(a), command.affine(affine, dst), alu(compare),
        command.immediate(otherwise, is_float(dst.dtype))});
    return append_microcode(static_cast<std::uint32_t>(Command::AffineSelect), command, after, where);
}

Event KernelBuilder::local_gather(const Tile& dst, const Tile& a, const Tile& index, const After& after,
                                  Where where) {
    constexpr std::uint32_t MostElements = 32, MostIndices = 4096;
    GpsimdCommand command(target(), "local_gather");
    command.write(dst).read(a).read(index);
    for (const Tile* tile : {&a, &index}) {
        command.require(tile->partition == dst.partition && tile->partitions == dst.partitions,
                        fmt::format("{} is not in the partitions of {}", tile->describe(), dst.describe()));
        command.check_overlap(dst, *tile);
    }
    command.require(
        dst.partition % GpsimdCommand::CorePartitions == 0 &&
            dst.partitions % GpsimdCommand::CorePartitions == 0,
        fmt::format("{}: takes whole cores of {} partitions", dst.describe(), GpsimdCommand::CorePartitions));
    command.require(dst.dtype == a.dtype && index.dtype == isa::Dtype::U16,
                    "dst and a are of one type, indices u16");
    command.require(dst.axes.size() == 2 && a.axes.size() == 2 && dst.axes[1].count == a.axes[1].count &&
                        std::has_single_bit(dst.axes[1].count) && dst.axes[1].count <= MostElements &&
                        dst.axes[0].count <= MostIndices,
                    fmt::format("{} and {}: are [indices, elements] and [groups, elements], 1, 2, 4 ... {} "
                                "elements, {} indices at most",
                                dst.describe(), a.describe(), MostElements, MostIndices));
    const std::uint32_t indices = dst.axes[0].count;
    const std::uint32_t columns =
        (indices + GpsimdCommand::CorePartitions - 1) / GpsimdCommand::CorePartitions;
    command.set_arguments(firmware::LocalGatherArguments{
        dst.partition, dst.partitions, command.row(dst, dst.elements()), command.row(a, a.elements()),
        command.row(index, columns), static_cast<firmware::Dtype>(dst.dtype), a.axes[0].count,
        dst.axes[1].count, indices});
    return append_microcode(static_cast<std::uint32_t>(Command::LocalGather), command, after, where);
}

Event KernelBuilder::partition_reduce(const Tile& dst, const Tile& a, isa::AluOp op,
                                      const PartitionReduced& options, Where where) {
    using enum isa::AluOp;
    GpsimdCommand command(target(), "partition_reduce");
    command.write(dst).read(a);
    const bool floats = is_float(a.dtype);
    command.require_row_of_cores(dst, a);
    command.require(dst.partition % GpsimdCommand::CorePartitions == 0,
                    fmt::format("{}: the result is in the first partition of a core", dst.describe()));
    Tile shaped = dst;
    shaped.partitions = a.partitions;
    check_same_shape(command.name(), shaped, a);
    command.check_overlap(dst, a);
    command.require(is_float(dst.dtype) == floats, "takes floats to floats, integers to integers");
    const bool has = op == Add || op == Max || op == Min || (!floats && op >= BitwiseAnd && op <= BitwiseXor);
    command.require(has, fmt::format("GpSimd does not reduce {} by {}", floats ? "floats" : "integers",
                                     isa::name_of(op)));
    command.require(options.divisor == 0 || floats, "the result of integers is not divided");
    command.set_arguments(firmware::PartitionReduceArguments{command.shape(a), command.tensor(dst),
                                                             command.tensor(a), alu(op), options.divisor});
    return append_microcode(static_cast<std::uint32_t>(Command::PartitionReduce), command, options.after,
                            where);
}

Event KernelBuilder::partition_broadcast(const Tile& dst, const Tile& a, const After& after, Where where) {
    GpsimdCommand command(target(), "partition_broadcast");
    command.write(dst).read(a);
    command.require_row_of_cores(a, dst);
    Tile shaped = a;
    shaped.partitions = dst.partitions;
    check_same_shape(command.name(), shaped, dst);
    command.check_overlap(dst, a);
    command.require(dst.dtype == a.dtype, "dst and a are of one type");
    command.set_arguments(firmware::PartitionBroadcastArguments{command.shape(dst), command.tensor(dst),
                                                                command.tensor(a),
                                                                a.partition % GpsimdCommand::CorePartitions});
    return append_microcode(static_cast<std::uint32_t>(Command::PartitionBroadcast), command, after, where);
}

// One row a core, `apart` partitions from one to the next on each side; the elements are dense.
Event KernelBuilder::move_rows(const Tile& to, std::uint32_t to_apart, const Tile& from,
                               std::uint32_t from_apart, std::uint32_t rows, const Where& where) {
    const std::uint32_t stride = partition_stride(target(), Memory::Sbuf);
    const auto elements = static_cast<std::uint32_t>(from.elements());
    neff::Transfer transfer;
    transfer.queue = gpsimd_queue().number;
    transfer.element_bytes = bytes_of(from.dtype);
    const auto side = [&](const Tile& tile, std::uint32_t apart) {
        neff::Pattern pattern;
        pattern.place = neff::Pattern::Place::Core;
        pattern.offset = address_of(target(), Memory::Sbuf, tile.partition, tile.offset);
        pattern.step = {bytes_of(tile.dtype), std::int64_t{apart} * stride, 0, 0};
        pattern.count = {elements, rows, 1, 1};
        return pattern;
    };
    transfer.from = side(from, from_apart);
    transfer.to = side(to, to_apart);
    transfer.name = fmt::format("move rows of {}", from.describe());
    package_.transfers.push_back(std::move(transfer));
    count_instruction();
    Dependences::Call call{program_.next_transfer(*gpsimd_.queue), false, {}};
    Tile written = to, read = from;
    written.partitions = to_apart * (rows - 1) + 1;
    read.partitions = from_apart * (rows - 1) + 1;
    if (waits_ == Waits::Derived) {
        dependences_.write(call, written);
        dependences_.read(call, read);
    }
    if (gpsimd_.last) call.after.push_back(*gpsimd_.last);
    return append_transfer(*gpsimd_.queue, call.after, where);
}

Event KernelBuilder::all_partition_reduce(const Tile& dst, const Tile& a, isa::AluOp op,
                                          const PartitionReduced& options, Where where) {
    constexpr std::uint32_t Apart = GpsimdCommand::CorePartitions;
    const GpsimdCommand checks(target(), "all_partition_reduce");
    checks.require(
        dst.partition == 0 && dst.partitions == 1 && a.partition == 0,
        fmt::format("{}, {}: both begin at partition 0, the result has one", dst.describe(), a.describe()));
    const std::uint32_t cores = checks.cores(a);
    if (cores == 1) return partition_reduce(dst, a, op, options, where);
    std::vector<std::uint32_t> counts;
    for (const Axis& axis : a.axes) counts.push_back(axis.count);
    isa::Dtype type = a.dtype == isa::Dtype::U32 ? isa::Dtype::U32 : isa::Dtype::I32;
    if (is_float(a.dtype)) type = isa::Dtype::Fp32;
    const std::uint64_t mark = sbuf_mark();
    Tile sums = sbuf(Apart * (cores - 1) + 1, type, counts);
    Tile rows = sbuf(cores, type, counts);
    partition_reduce(sums, a, op, {.divisor = 0, .after = options.after}, where);
    const Event moved = move_rows(rows, 1, sums, Apart, cores, where);
    const Event done = partition_reduce(dst, rows, op, {.divisor = options.divisor, .after = {moved}}, where);
    sbuf_release(mark);
    return done;
}

Event KernelBuilder::all_partition_broadcast(const Tile& dst, const Tile& a, const After& after,
                                             Where where) {
    constexpr std::uint32_t Apart = GpsimdCommand::CorePartitions;
    const GpsimdCommand checks(target(), "all_partition_broadcast");
    checks.require(a.partitions == 1 && dst.dtype == a.dtype,
                   fmt::format("{}: is one partition of the type of {}", a.describe(), dst.describe()));
    checks.row(a, a.elements());
    Tile shaped = a;
    shaped.partitions = dst.partitions;
    check_same_shape(checks.name(), shaped, dst);
    const std::uint32_t cores = checks.cores(dst);
    std::vector<std::uint32_t> counts;
    for (const Axis& axis : a.axes) counts.push_back(axis.count);
    const std::uint64_t mark = sbuf_mark();
    Tile rows = sbuf(Apart * (checks.first_core(dst) + cores - 1) + 1, a.dtype, counts);
    rows = rows.partition_slice(Apart * checks.first_core(dst), Apart * (cores - 1) + 1);
    if (!after.empty()) wait(Engine::Gpsimd, after, where);
    const Event moved = move_rows(rows, Apart, a, 0, cores, where);
    const Event done = partition_broadcast(dst, rows, {moved}, where);
    sbuf_release(mark);
    return done;
}

Event KernelBuilder::sequence_bounds(const Tile& first, const Tile& end, const Tile& ids, const After& after,
                                     Where where) {
    GpsimdCommand command(target(), "sequence_bounds");
    command.write(first).write(end).read(ids);
    for (const Tile* tile : {&first, &end, &ids}) {
        command.require(
            tile->partitions == 1 && tile->axes.size() == 1 && tile->partition == ids.partition,
            fmt::format("{}: is one row of the partition of {}", tile->describe(), ids.describe()));
        command.require(tile->dtype == isa::Dtype::I32 || tile->dtype == isa::Dtype::Fp32,
                        fmt::format("{}: is i32 or fp32", tile->describe()));
        check_same_shape(command.name(), *tile, ids);
    }
    for (const Tile* source : {&ids, &end}) {
        command.require(first.end_byte() <= source->first_byte() || source->end_byte() <= first.first_byte(),
                        fmt::format("{}: overlaps {}", first.describe(), source->describe()));
    }
    command.require(end.end_byte() <= ids.first_byte() || ids.end_byte() <= end.first_byte(),
                    fmt::format("{}: overlaps {}", end.describe(), ids.describe()));
    command.set_arguments(firmware::SequenceBoundsArguments{
        ids.partition, ids.axes[0].count, command.tensor(first), command.tensor(end), command.tensor(ids)});
    return append_microcode(static_cast<std::uint32_t>(Command::SequenceBounds), command, after, where);
}

Event KernelBuilder::sort(const Tile& dst, const Tile& a, const Sorted& options, Where where) {
    using Arguments = firmware::SortArguments;
    GpsimdCommand command(target(), "sort");
    command.write(dst).read(a);
    check_same_shape(command.name(), dst, a);
    command.check_overlap(dst, a);
    check_order(command, a);
    command.require(dst.dtype == a.dtype, "dst and a are of one type");
    Arguments arguments{a.partition,
                        a.partitions,
                        command.row(dst, dst.elements()),
                        command.row(a, a.elements()),
                        0,
                        static_cast<firmware::Dtype>(a.dtype),
                        static_cast<std::uint32_t>(a.elements()),
                        options.descending ? Arguments::Descending : 0};
    if (options.indices) {
        command.write(*options.indices);
        check_same_shape(command.name(), *options.indices, a);
        for (const Tile* other : {&dst, &a}) {
            command.require(options.indices->end_byte() <= other->first_byte() ||
                                other->end_byte() <= options.indices->first_byte(),
                            fmt::format("{}: overlaps {}", options.indices->describe(), other->describe()));
        }
        command.require(options.indices->dtype == isa::Dtype::U32, "indices are u32");
        arguments.indices = command.row(*options.indices, a.elements());
        arguments.flags |= Arguments::WithIndices;
    }
    command.set_arguments(arguments);
    return append_microcode(static_cast<std::uint32_t>(Command::Sort), command, options.after, where);
}

Event KernelBuilder::top_k(const Tile& dst, const Tile& indices, const Tile& a, const After& after,
                           Where where) {
    constexpr std::uint64_t Most = 64;
    GpsimdCommand command(target(), "top_k");
    command.write(dst).write(indices).read(a);
    check_order(command, a);
    command.require(dst.dtype == a.dtype && indices.dtype == isa::Dtype::U32,
                    "dst and a are of one type, indices u32");
    command.require(
        dst.elements() <= std::min(Most, a.elements()),
        fmt::format("{}: selects {} elements at most, and no more than there are", dst.describe(), Most));
    check_same_shape(command.name(), dst, indices);
    command.require(
        dst.partition == a.partition && dst.partitions == a.partitions && indices.partition == a.partition,
        fmt::format("{} is not in the partitions of {}", dst.describe(), a.describe()));
    for (const auto& [one, other] :
         {std::pair{&dst, &a}, std::pair{&indices, &a}, std::pair{&dst, &indices}}) {
        command.require(one->end_byte() <= other->first_byte() || other->end_byte() <= one->first_byte(),
                        fmt::format("{}: overlaps {}", one->describe(), other->describe()));
    }
    command.set_arguments(firmware::TopKArguments{
        a.partition, a.partitions, command.row(dst, dst.elements()), command.row(a, a.elements()),
        command.row(indices, dst.elements()), static_cast<firmware::Dtype>(a.dtype),
        static_cast<std::uint32_t>(a.elements()), static_cast<std::uint32_t>(dst.elements())});
    return append_microcode(static_cast<std::uint32_t>(Command::TopK), command, after, where);
}

Event KernelBuilder::custom_op(GpsimdImage image, const std::string& operation, std::span<const Tile> tensors,
                               std::span<const Number> scalars, const CustomOp& options, Where where) {
    GpsimdCommand command(target(), operation);
    command.require(image.number < gpsimd_.operations.size(), "there is no such image");
    const std::vector<std::string>& names = gpsimd_.operations[image.number];
    const auto found = std::ranges::find(names, operation);
    command.require(found != names.end(),
                    fmt::format("image '{}' has no such operator, there are: {}",
                                package_.images[image.number].name, fmt::join(names, ", ")));
    command.require(!tensors.empty() && tensors.size() <= firmware::MostTensors &&
                        scalars.size() <= firmware::MostScalars,
                    fmt::format("takes 1 to {} tensors and up to {} scalars", firmware::MostTensors,
                                firmware::MostScalars));
    command.require(options.results >= 1 && options.results <= tensors.size(),
                    fmt::format("{} results of {} tensors", options.results, tensors.size()));
    firmware::CustomOpArguments arguments{};
    arguments.tensors = static_cast<std::uint32_t>(tensors.size());
    arguments.scalars = static_cast<std::uint32_t>(scalars.size());
    std::ranges::transform(scalars, arguments.scalar, [](const Number& number) {
        return std::visit([](auto value) { return std::bit_cast<std::uint32_t>(value); }, number);
    });
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tile& tile = tensors[i];
        command.read(tile);
        if (i + options.results >= tensors.size()) command.write(tile);
        command.require(tile.axes.size() < firmware::MostAxes,
                        fmt::format("{}: an operator takes {} free axes at most", tile.describe(),
                                    firmware::MostAxes - 1));
        firmware::TensorDescriptor& descriptor = arguments.tensor[i];
        descriptor = {tile.partition,
                      tile.offset,
                      static_cast<firmware::Dtype>(tile.dtype),
                      static_cast<std::uint32_t>(tile.axes.size()) + 1,
                      {tile.partitions},
                      {}};
        for (std::size_t axis = 0; axis < tile.axes.size(); ++axis) {
            descriptor.shape[axis + 1] = tile.axes[axis].count;
            descriptor.strides[axis + 1] =
                static_cast<std::int32_t>(tile.axes[axis].step * bytes_of(tile.dtype));
        }
    }
    const std::size_t used =
        offsetof(firmware::CustomOpArguments, tensor) + tensors.size() * sizeof(firmware::TensorDescriptor);
    command.set_words({reinterpret_cast<const std::uint8_t*>(&arguments), used});
    return append_gpsimd(image, static_cast<std::uint32_t>(found - names.begin()), command, options.after,
                         where);
}

}  // namespace trnsim::builder
