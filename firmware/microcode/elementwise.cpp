// The commands memset, tensor_copy, tensor_tensor and tensor_scalar.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/columns.hpp"
#include "firmware/microcode/commands.hpp"
#include "firmware/microcode/moves.hpp"
#include "firmware/microcode/operand.hpp"

namespace trnsim::firmware {

namespace {

// Repeats the lower bits of a value in all elements of a word.
uint32_t repeated(Dtype dtype, uint32_t value) {
    const uint32_t size = size_log2(dtype);
    if (size == 0) return (value & 0xff) * 0x01010101U;
    return size == 1 ? (value & 0xffff) * 0x00010001U : value;
}

}  // namespace

Status memset_command(const void* arguments) {
    auto [shape, dst, value] = *static_cast<const MemsetArguments*>(arguments);
    Work work;
    if (flat(work, shape, dst)) {
        fill(word_of(dst.address), value, work.columns * Partitions);
        return Status::Ok;
    }
    if (const Status status = prepare(work, shape, dst); status != Status::Ok) return status;
    if (work.own.count == 0) return Status::Ok;
    if (const Convert conversion = conversions(dst.dtype).from_float;
        is_float(dst.dtype) && conversion != nullptr) {
        convert(conversion, &value, &value, 1);
    }
    value = repeated(dst.dtype, value);
    widen(work, dst.dtype, dst);
    Destination to(work, dst, nullptr, buffers[0]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            fill(to.words(), value, columns * Partitions);
            to.write(columns);
        },
        to);
    return Status::Ok;
}

Status tensor_copy(const void* arguments) {
    auto [shape, dst, a] = *static_cast<const TensorCopyArguments*>(arguments);
    Work work;
    if (dst.dtype == a.dtype && flat(work, shape, dst, a)) {
        if (dst.address != a.address)
            copy(word_of(dst.address), word_of(a.address), work.columns * Partitions);
        return Status::Ok;
    }
    if (const Status status = prepare(work, shape, dst, a); status != Status::Ok) return status;
    if (work.own.count == 0) return Status::Ok;
    Convert from = nullptr, to = nullptr;
    if (dst.dtype == a.dtype) {
        widen(work, a.dtype, dst, a);
        from = conversions(a.dtype).to_bits;
    } else if (is_float(a.dtype)) {
        from = conversions(a.dtype).to_float;
        to = conversions(dst.dtype).from_float;
    } else {
        from = conversions(a.dtype).to_integer;
        to =
            a.dtype == Dtype::U32 ? conversions(dst.dtype).from_unsigned : conversions(dst.dtype).from_signed;
    }
    Destination destination(work, dst, to, buffers[0]);
    Source source(work, a, from, buffers[1]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            uint32_t* to = destination.words();
            const uint32_t* from = source.read(to, columns);
            if (from != to) copy(to, from, columns * Partitions);
            destination.write(columns);
        },
        destination, source);
    return Status::Ok;
}

namespace {

// Returns the conversion that an operation needs for a source. A logical right shift takes the bits of the
// element, zero-extended.
Convert number_of(Dtype dtype, bool floats, bool shifted_right) {
    const Conversions& row = conversions(dtype);
    return floats ? row.to_float : shifted_right ? row.to_bits : row.to_integer;
}

Convert result_of(Dtype dtype, bool floats) {
    return floats ? conversions(dtype).from_float : nullptr;
}

AluLoop loop_of(AluOp op, bool floats, bool is_unsigned) {
    return floats ? float_loop(op) : is_unsigned ? unsigned_loop(op) : signed_loop(op);
}

// Turns tensors of bf16 into words with two elements each, if the operation has a loop for these; returns the
// loop, or null.
template <class... Tensors>
AluLoop pairs_of(AluOp op, Work& work, Tensors&... tensors) {
    const AluLoop loop = ((tensors.dtype == Dtype::Bf16) && ...) ? pair_loop(op) : nullptr;
    return loop != nullptr && widen(work, Dtype::Bf16, tensors...) ? loop : nullptr;
}

}  // namespace

Status tensor_tensor(const void* arguments) {
    auto [shape, dst, a, b, op] = *static_cast<const TensorTensorArguments*>(arguments);
    Work work;
    const bool floats = is_float(dst.dtype) || is_float(a.dtype) || is_float(b.dtype);
    const bool direct = is_float(dst.dtype) == floats && is_float(a.dtype) == floats &&
                        is_float(b.dtype) == floats && flat(work, shape, dst, a, b);
    const Status status = direct ? Status::Ok : prepare(work, shape, dst, a, b);
    if (status != Status::Ok) return status;
    const AluLoop loop = loop_of(op, floats, a.dtype == Dtype::U32 || b.dtype == Dtype::U32);
    if (loop == nullptr) return Status::BadOperation;
    if (direct) {
        const Stream x{word_of(a.address), GroupWords}, y{word_of(b.address), GroupWords};
        run(loop, GroupWords, word_of(dst.address), x, y, work.columns * Partitions);
        return Status::Ok;
    }
    if (work.own.count == 0) return Status::Ok;
    const AluLoop pairs = pairs_of(op, work, dst, a, b);
    const auto number = [&](Dtype dtype, bool shifted_right) {
        return pairs != nullptr ? nullptr : number_of(dtype, floats, shifted_right);
    };
    Destination destination(work, dst, pairs != nullptr ? nullptr : result_of(dst.dtype, floats), buffers[0]);
    Source first(work, a, number(a.dtype, op == AluOp::ShiftRight), buffers[1]);
    Source second(work, b, number(b.dtype, false), buffers[2]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            const Stream x{first.read(columns), GroupWords}, y{second.read(columns), GroupWords};
            uint32_t* to = destination.words();
            if (pairs != nullptr)
                run(pairs, HalfWords, to, x, y, columns * Partitions);
            else
                run(loop, GroupWords, to, x, y, columns * Partitions);
            destination.write(columns);
        },
        destination, first, second);
    return Status::Ok;
}

namespace {

// One of the two operations of tensor_scalar; a group of columns holds the immediate in every word.
struct Step {
    AluLoop loop;
    size_t group;  // words that the loop processes at once
    bool reverse;
    bool copies;  // the result is the operand
    alignas(64) uint32_t immediate[GroupWords];

    void prepare(AluOp op, bool is_reverse, bool floats, bool is_unsigned) {
        loop = loop_of(op, floats, is_unsigned);
        group = GroupWords;
        reverse = is_reverse;
        copies = op == AluOp::Bypass && !reverse;
    }
    // Loads a constant, or with `vector` a column of the slice.
    void load_immediate(bool vector, uint32_t value) {
        uint32_t* column = immediate;
        if (!vector) return fill(immediate, value, GroupWords);
        const Column words = load_column(word_of(value));
        for (; column != immediate + GroupWords; column += Partitions)
            __riscv_vse32(column, words, Partitions);
    }
    void apply(uint32_t* to, const uint32_t* from, size_t words) const {
        const Stream x{from, GroupWords}, y{immediate, 0};
        reverse ? run(loop, group, to, y, x, words) : run(loop, group, to, x, y, words);
    }
};

// They lie after the buffers.
static_assert(sizeof(buffers) + 2 * sizeof(Step) <= TRNSIM_HEAP_BYTES && sizeof(Buffer) % alignof(Step) == 0);
Step* steps() {
    return reinterpret_cast<Step*>(buffers + Buffers);
}

Status check_immediate(uint32_t place) {
    if (place % 4 != 0) return Status::Misaligned;
    return place > mailbox.partition_bytes - 4 ? Status::OutOfBounds : Status::Ok;
}

}  // namespace

Status tensor_scalar(const void* arguments) {
    using Args = TensorScalarArguments;
    auto [shape, dst, a, op0, op1, flags, imm0, imm1] = *static_cast<const Args*>(arguments);
    const bool vector0 = (flags & Args::Vector0) != 0, vector1 = (flags & Args::Vector1) != 0;
    const bool floats = is_float(dst.dtype) || is_float(a.dtype), is_unsigned = a.dtype == Dtype::U32;
    Work work;
    const bool direct = is_float(dst.dtype) == is_float(a.dtype) && flat(work, shape, dst, a);
    Status status = direct ? Status::Ok : prepare(work, shape, dst, a);
    if (status == Status::Ok && vector0) status = check_immediate(imm0);
    if (status == Status::Ok && vector1) status = check_immediate(imm1);
    if (status != Status::Ok) return status;
    Step &first = steps()[0], &second = steps()[1];
    first.prepare(op0, (flags & Args::Reverse0) != 0, floats, is_unsigned);
    second.prepare(op1, (flags & Args::Reverse1) != 0, floats, is_unsigned);
    if (first.loop == nullptr || second.loop == nullptr) return Status::BadOperation;
    if (work.own.count == 0) return Status::Ok;
    first.load_immediate(vector0, imm0);
    second.load_immediate(vector1, imm1);

    const bool both = !first.copies && !second.copies;
    Step& only = first.copies ? second : first;
    const auto apply = [&](uint32_t* to, const uint32_t* from, uint32_t columns) {
        const size_t words = columns * Partitions;
        if (!both) return only.apply(to, from, words);
        first.apply(to, from, words);
        second.apply(to, to, words);
    };
    if (direct) {
        apply(word_of(dst.address), word_of(a.address), work.columns);
        return Status::Ok;
    }
    const AluLoop pairs = both || only.reverse ? nullptr : pairs_of(first.copies ? op1 : op0, work, dst, a);
    if (pairs != nullptr) {
        only.loop = pairs;
        only.group = HalfWords;
    }
    const Convert from =
        pairs != nullptr ? nullptr : number_of(a.dtype, floats, op0 == AluOp::ShiftRight && !first.reverse);
    Destination destination(work, dst, pairs != nullptr ? nullptr : result_of(dst.dtype, floats), buffers[0]);
    Source source(work, a, from, buffers[1]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            const uint32_t* from = source.read(columns);
            apply(destination.words(), from, columns);
            destination.write(columns);
        },
        destination, source);
    return Status::Ok;
}

}  // namespace trnsim::firmware
