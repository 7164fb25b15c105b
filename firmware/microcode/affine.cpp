// The commands iota and affine_select.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/columns.hpp"
#include "firmware/microcode/commands.hpp"
#include "firmware/microcode/operand.hpp"

namespace trnsim::firmware {

namespace {

// Values that grow by a step from a column to the next, and by another one from a partition to the next.
struct Line {
    uint32_t first;  // in the first column, partition 0 of the core
    uint32_t partition_step, step;

    void advance(uint32_t columns) { first += columns * step; }
    // Returns the values of the first group of columns. Each value of the following group is larger by group_step().
    Ints group() const {
        const Column of_partitions =
            __riscv_vadd(__riscv_vmul(partition_numbers(), partition_step, Partitions), first, Partitions);
        return as_ints(firmware::group(
            [&]<uint32_t Index> { return __riscv_vadd(of_partitions, Index * step, Partitions); }));
    }
    int32_t group_step() const { return static_cast<int32_t>(step * GroupColumns); }
};

// The value of an affine function on partition 0 of the core, in the first column.
uint32_t first_value(const Affine& affine, uint32_t partitions_before) {
    return static_cast<uint32_t>(affine.base) +
           static_cast<uint32_t>(affine.partition_step) * partitions_before;
}

// The values of a flat command.
Line flat_line(const Shape& shape, const Affine& affine) {
    return {first_value(affine, mailbox.core * Partitions - shape.partition),
            static_cast<uint32_t>(affine.partition_step), static_cast<uint32_t>(affine.step[0])};
}

// The values of an affine function on the core's partitions, in the order of the columns.
class Values {
  public:
    Values(const Work& work, const Affine& affine)
        : columns_(work, affine.step),
          partition_step_(static_cast<uint32_t>(affine.partition_step)),
          first_(first_value(affine, work.own.skipped - work.own.first)) {}

    uint32_t most() const { return columns_.run(); }
    void advance(uint32_t columns) { columns_.advance(columns); }
    Line line() const { return {first_ + columns_.at(), partition_step_, columns_.step()}; }

  private:
    Columns columns_;
    uint32_t partition_step_, first_;
};

// Columns grouped by the sign of their values.
struct Signs {
    uint32_t before;  // columns with values of one sign in all partitions
    uint32_t both;    // columns of any sign that follow; all columns after them have the other sign
    bool falls;       // the first ones are positive
};

// Steps of 1 are frequent and need no division.
uint32_t quotient(uint32_t distance, uint32_t step) {
    if (step == 1) return distance;
    asm("" : "+r"(step));  // or the compiler divides by 1 as well
    return distance / step;
}

// Returns the signs in `columns` columns from the line's first one on, on `own` partitions.
Signs signs(const Line& line, const OwnPartitions& own, uint32_t columns) {
    const int64_t first = static_cast<int32_t>(line.first + line.partition_step * own.first);
    const int64_t last =
        first + int64_t{static_cast<int32_t>(own.count - 1)} * static_cast<int32_t>(line.partition_step);
    const int64_t low = first < last ? first : last, high = first < last ? last : first;
    const int64_t step = static_cast<int32_t>(line.step), way = step * (columns - 1);
    const bool falls = step < 0;
    const int64_t least = falls ? low + way : low, most = falls ? high : high + way;
    if (least < INT32_MIN || most > INT32_MAX) return {0, columns, false};  // the values wrap around
    // The distance to 0 from the value that reaches 0 first, and from the value that reaches it last.
    const int64_t none = falls ? low : -high, all = falls ? high : -low;
    const auto by = static_cast<uint32_t>(falls ? -step : step);
    const auto at_most = [columns](uint32_t count) { return count < columns ? count : columns; };
    uint32_t before = 0, until = 0;
    if (none > 0) before = by == 0 ? columns : at_most(quotient(static_cast<uint32_t>(none) + by - 1, by));
    if (all >= 0) until = by == 0 ? columns : at_most(quotient(static_cast<uint32_t>(all), by) + 1);
    return {before, until - before, falls};
}

[[gnu::noinline]] void store_values(uint32_t* to, const Line& line, size_t words) {
    const int32_t step = line.group_step();
    Ints value = line.group();
    for (; words > GroupWords; words -= GroupWords) {
        store(to, value, GroupWords);
        to += GroupWords;
        value = __riscv_vadd(value, step, GroupWords);
    }
    store(to, value, lanes(words));
}

// Keeps each word if its value is less than `bound`, else writes the constant.
using SelectLoop = void (*)(uint32_t* to, const uint32_t* from, uint32_t otherwise, const Line& line,
                            int32_t bound, size_t words);

template <auto IsLess>
void select(uint32_t* to, const uint32_t* from, uint32_t otherwise, const Line& line, int32_t bound,
            size_t words) {
    const int32_t step = line.group_step();
    Ints value = line.group();
    const Bits constant = splat(otherwise, GroupWords);
    for (;;) {
        const size_t vl = lanes(words);
        Bits kept = load(from, vl);
        asm("" : "+vr"(kept));  // or the load gets a mask, and a load with a mask has nothing beside it
        store(to, __riscv_vmerge(constant, kept, IsLess(value, bound, vl), vl), vl);
        if (words <= GroupWords) return;
        value = __riscv_vadd(value, step, vl);
        words -= GroupWords;
        to += GroupWords;
        from += GroupWords;
    }
}

constexpr SelectLoop SignedLess =
    select<[](Ints v, int32_t bound, size_t vl) { return __riscv_vmslt(v, bound, vl); }>;
constexpr SelectLoop UnsignedLess = select<[](Ints v, int32_t bound, size_t vl) {
    return __riscv_vmsltu(as_bits(v), static_cast<uint32_t>(bound), vl);
}>;

// A value compares true with 0 if it, or its complement ~v = -v - 1, is less than a bound.
struct Comparison {
    SelectLoop select;
    bool of_complement;
    int32_t bound;
    bool of_positive, of_negative;  // the results for values of one sign
};

// In the order of AluOp
constexpr Comparison Comparisons[] = {
    {UnsignedLess, false, 1, false, false},  // IsEqual
    {UnsignedLess, true, -1, true, true},    // NotEqual
    {SignedLess, true, -1, true, false},     // Greater
    {SignedLess, true, 0, true, false},      // GreaterEqual
    {SignedLess, false, 0, false, true},     // Less
    {SignedLess, false, 1, false, true},     // LessEqual
};

// Copies or fills columns that are kept or dropped as a whole.
[[gnu::noinline]] void select_columns(const Comparison& comparison, uint32_t* to, const uint32_t* from,
                                      uint32_t otherwise, Line line, const OwnPartitions& own,
                                      uint32_t columns) {
    const auto [before, both, falls] = signs(line, own, columns);
    const auto uniform = [&](bool keeps, uint32_t count) {
        if (count == 0) return;
        const size_t words = count * Partitions;
        if (!keeps) fill(to, otherwise, words);
        if (keeps && to != from) copy(to, from, words);
        to += words;
        from += words;
    };
    uniform(falls ? comparison.of_positive : comparison.of_negative, before);
    if (both != 0) {
        line.advance(before);
        if (comparison.of_complement) line = {~line.first, 0 - line.partition_step, 0 - line.step};
        comparison.select(to, from, otherwise, line, comparison.bound, both * Partitions);
        to += both * Partitions;
        from += both * Partitions;
    }
    uniform(falls ? comparison.of_negative : comparison.of_positive, columns - before - both);
}

[[gnu::noinline]] Status iota_of_rows(const IotaArguments& args) {
    const auto& [shape, dst, affine] = args;
    Work work;
    if (const Status status = prepare(work, shape, dst); status != Status::Ok) return status;
    if (work.own.count == 0) return Status::Ok;
    Values values(work, affine);
    Destination destination(work, dst, conversions(dst.dtype).from_signed, buffers[0]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            store_values(destination.words(), values.line(), columns * Partitions);
            values.advance(columns);
            destination.write(columns);
        },
        destination, values);
    return Status::Ok;
}

// Returns null where there is no such comparison.
const Comparison* comparison(AluOp op) {
    const uint32_t code = static_cast<uint32_t>(op) - static_cast<uint32_t>(AluOp::IsEqual);
    return code < sizeof(Comparisons) / sizeof(Comparisons[0]) ? &Comparisons[code] : nullptr;
}

[[gnu::noinline]] Status select_of_rows(const AffineSelectArguments& args) {
    const auto& [shape, dst, a, affine, compare, otherwise] = args;
    const bool floats = is_float(dst.dtype);
    Work work;
    if (const Status status = prepare(work, shape, dst, a); status != Status::Ok) return status;
    const Comparison* row = comparison(compare);
    if (row == nullptr) return Status::BadOperation;
    if (floats != is_float(a.dtype)) return Status::BadDtype;
    if (work.own.count == 0) return Status::Ok;
    Values values(work, affine);
    const Conversions &from = conversions(a.dtype), &to = conversions(dst.dtype);
    Destination destination(work, dst, floats ? to.from_float : nullptr, buffers[0]);
    Source source(work, a, floats ? from.to_float : from.to_integer, buffers[1]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            const uint32_t* from = source.read(columns);
            select_columns(*row, destination.words(), from, otherwise, values.line(), work.own, columns);
            values.advance(columns);
            destination.write(columns);
        },
        destination, source, values);
    return Status::Ok;
}

}  // namespace

Status iota(const void* arguments) {
    const auto& args = *static_cast<const IotaArguments*>(arguments);
    const size_t words = flat_words(Words, args.shape, args.dst);
    if (words == 0) return iota_of_rows(args);
    uint32_t* to = word_of(args.dst.address);
    store_values(to, flat_line(args.shape, args.affine), words);
    if (args.dst.dtype == Dtype::Fp32) convert(conversions(Dtype::Fp32).from_signed, to, to, words);
    return Status::Ok;
}

Status affine_select(const void* arguments) {
    const auto& args = *static_cast<const AffineSelectArguments*>(arguments);
    const Comparison* row = comparison(args.compare);
    const Types types = alike(args.dst.dtype);
    const size_t words = types.size_log2 == 2 ? flat_words(types, args.shape, args.dst, args.a) : 0;
    if (words == 0 || row == nullptr) return select_of_rows(args);
    const OwnPartitions all{0, Partitions, 0};
    select_columns(*row, word_of(args.dst.address), word_of(args.a.address), args.otherwise,
                   flat_line(args.shape, args.affine), all, words / Partitions);
    return Status::Ok;
}

}  // namespace trnsim::firmware
