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

[[gnu::noinline]] Status memset_rows(const MemsetArguments& args) {
    Tensor dst = args.dst;
    uint32_t value = args.value;
    Work work;
    if (const Status status = prepare(work, args.shape, dst); status != Status::Ok) return status;
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

// Whether fp32 becomes bf16, all flat.
bool packs(const TensorCopyArguments& args) {
    const auto& [shape, dst, a] = args;
    return dst.dtype == Dtype::Bf16 && flat_words(alike(Dtype::Bf16), shape, dst) != 0 &&
           flat_words(alike(Dtype::Fp32), shape, a) != 0;
}

[[gnu::noinline]] Status copy_rows(const TensorCopyArguments& args) {
    if (packs(args)) {
        const size_t words = args.shape.count[0] * Partitions;
        pack_bf16(word_of(args.dst.address), word_of(args.a.address), words);
        return Status::Ok;
    }
    Tensor dst = args.dst, a = args.a;
    Work work;
    if (const Status status = prepare(work, args.shape, dst, a); status != Status::Ok) return status;
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

}  // namespace

Status memset_command(const void* arguments) {
    const auto& args = *static_cast<const MemsetArguments*>(arguments);
    const size_t words = flat_words(Words, args.shape, args.dst);
    if (words == 0) return memset_rows(args);
    fill(word_of(args.dst.address), args.value, words);
    return Status::Ok;
}

Status tensor_copy(const void* arguments) {
    const auto& args = *static_cast<const TensorCopyArguments*>(arguments);
    const auto& [shape, dst, a] = args;
    const uint32_t size = size_log2(dst.dtype);
    const size_t words = size == NoSize ? 0 : flat_words({bit(dst.dtype), size}, shape, dst, a);
    if (words == 0) return copy_rows(args);
    if (dst.address != a.address) copy(word_of(dst.address), word_of(a.address), words);
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

template <class... Tensors>
bool are_bf16(const Tensors&... tensors) {
    return ((tensors.dtype == Dtype::Bf16) && ...);
}

// Turns tensors of bf16 into words with two elements each, if the operation has a loop for these; returns the
// loop, or null.
template <class... Tensors>
AluLoop pairs_of(AluOp op, Work& work, Tensors&... tensors) {
    const AluLoop loop = are_bf16(tensors...) ? pair_loop(op) : nullptr;
    return loop != nullptr && widen(work, Dtype::Bf16, tensors...) ? loop : nullptr;
}

[[gnu::noinline]] Status tensor_rows(const TensorTensorArguments& args) {
    Tensor dst = args.dst, a = args.a, b = args.b;
    const AluOp op = args.op;
    Work work;
    if (const Status status = prepare(work, args.shape, dst, a, b); status != Status::Ok) return status;
    const bool floats = is_float(dst.dtype) || is_float(a.dtype) || is_float(b.dtype);
    const AluLoop loop = loop_of(op, floats, a.dtype == Dtype::U32 || b.dtype == Dtype::U32);
    if (loop == nullptr) return Status::BadOperation;
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

}  // namespace

Status tensor_tensor(const void* arguments) {
    const auto& args = *static_cast<const TensorTensorArguments*>(arguments);
    const auto& [shape, dst, a, b, op] = args;
    const size_t words = flat_words(alike(dst.dtype), shape, dst, a, b);
    if (words == 0) return tensor_rows(args);
    const bool is_bf16 = dst.dtype == Dtype::Bf16,
               is_unsigned = a.dtype == Dtype::U32 || b.dtype == Dtype::U32;
    const AluLoop loop = is_bf16 ? pair_loop(op) : loop_of(op, dst.dtype == Dtype::Fp32, is_unsigned);
    if (loop == nullptr) return tensor_rows(args);
    const Stream x{word_of(a.address), GroupWords}, y{word_of(b.address), GroupWords};
    run(loop, is_bf16 ? HalfWords : GroupWords, word_of(dst.address), x, y, words);
    return Status::Ok;
}

namespace {

// One of the two operations of tensor_scalar; a group of columns holds the immediate in every word.
struct Step {
    AluOp op;
    AluLoop loop;
    size_t group;  // words that the loop processes at once
    bool reverse;
    bool copies;  // the result is the operand
    alignas(64) uint32_t immediate[GroupWords];

    void prepare(AluOp operation, bool is_reverse, bool floats, bool is_unsigned) {
        op = operation;
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
static_assert(sizeof(buffers) + 2 * sizeof(Step) <= TRNSIM_LEAST_HEAP_BYTES &&
              sizeof(Buffer) % alignof(Step) == 0);
Step* steps() {
    return reinterpret_cast<Step*>(buffers + Buffers);
}

Status check_immediate(uint32_t place) {
    if (place % 4 != 0) return Status::Misaligned;
    return place > mailbox.partition_bytes - 4 ? Status::OutOfBounds : Status::Ok;
}

// The two operations of a command.
struct Steps {
    Step &first, &second;
    bool both;   // neither copies
    Step& only;  // the one that does not copy, if the other one does

    // Returns the loop over pairs of bf16, or null if the operations have none.
    AluLoop pairs() const { return both || only.reverse ? nullptr : pair_loop(only.op); }
    void take(AluLoop pairs) const {
        only.loop = pairs;
        only.group = HalfWords;
    }
    void apply(uint32_t* to, const uint32_t* from, size_t words) const {
        if (!both) return only.apply(to, from, words);
        first.apply(to, from, words);
        second.apply(to, to, words);
    }
};

// Prepares the two operations; `status` is not Ok where there is no such operation or immediate.
Steps prepare_steps(const TensorScalarArguments& args, bool floats, Status& status) {
    using Args = TensorScalarArguments;
    Step &first = steps()[0], &second = steps()[1];
    const bool vector0 = (args.flags & Args::Vector0) != 0, vector1 = (args.flags & Args::Vector1) != 0;
    const bool is_unsigned = args.a.dtype == Dtype::U32;
    if (vector0) status = check_immediate(args.imm0);
    if (status == Status::Ok && vector1) status = check_immediate(args.imm1);
    first.prepare(args.op0, (args.flags & Args::Reverse0) != 0, floats, is_unsigned);
    second.prepare(args.op1, (args.flags & Args::Reverse1) != 0, floats, is_unsigned);
    if (status == Status::Ok && (first.loop == nullptr || second.loop == nullptr))
        status = Status::BadOperation;
    if (status == Status::Ok) {
        // An operation that copies has no use for its immediate.
        if (!first.copies) first.load_immediate(vector0, args.imm0);
        if (!second.copies) second.load_immediate(vector1, args.imm1);
    }
    return {first, second, !first.copies && !second.copies, first.copies ? second : first};
}

[[gnu::noinline]] Status scalar_rows(const TensorScalarArguments& args) {
    Tensor dst = args.dst, a = args.a;
    Work work;
    Status status = prepare(work, args.shape, dst, a);
    if (status != Status::Ok) return status;
    const bool floats = is_float(dst.dtype) || is_float(a.dtype);
    const Steps steps = prepare_steps(args, floats, status);
    if (status != Status::Ok || work.own.count == 0) return status;
    const AluLoop loop = are_bf16(dst, a) ? steps.pairs() : nullptr;
    const bool pairs = loop != nullptr && widen(work, Dtype::Bf16, dst, a);
    if (pairs) steps.take(loop);
    const bool shifts_right = args.op0 == AluOp::ShiftRight && !steps.first.reverse;
    const Convert from = pairs ? nullptr : number_of(a.dtype, floats, shifts_right);
    Destination destination(work, dst, pairs ? nullptr : result_of(dst.dtype, floats), buffers[0]);
    Source source(work, a, from, buffers[1]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            const uint32_t* from = source.read(columns);
            steps.apply(destination.words(), from, columns * Partitions);
            destination.write(columns);
        },
        destination, source);
    return Status::Ok;
}

}  // namespace

Status tensor_scalar(const void* arguments) {
    const auto& args = *static_cast<const TensorScalarArguments*>(arguments);
    const auto& dst = args.dst;
    const size_t words = flat_words(alike(dst.dtype), args.shape, dst, args.a);
    if (words == 0) return scalar_rows(args);
    Status status = Status::Ok;
    const Steps steps = prepare_steps(args, is_float(dst.dtype), status);
    if (status != Status::Ok) return status;
    if (dst.dtype == Dtype::Bf16) {
        const AluLoop pairs = steps.pairs();
        if (pairs == nullptr) return scalar_rows(args);
        steps.take(pairs);
    }
    steps.apply(word_of(dst.address), word_of(args.a.address), words);
    return Status::Ok;
}

}  // namespace trnsim::firmware
