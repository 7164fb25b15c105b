// The commands iota and affine_select.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/commands.hpp"
#include "firmware/microcode/operand.hpp"
#include "firmware/microcode/vectors.hpp"

namespace trnsim::firmware {

namespace {

// The values of an affine function on the core's partitions, in the order of the columns.
class Values {
  public:
    Values(const Work& work, const Affine& affine)
        : columns_(work, affine.step),
          own_(work.own),
          partition_step_(static_cast<uint32_t>(affine.partition_step)),
          base_(static_cast<uint32_t>(affine.base) + partition_step_ * (work.own.skipped - work.own.first)) {}

    uint32_t most() const { return columns_.run(); }
    void advance(uint32_t columns) { columns_.advance(columns); }

    // The next columns, grouped by the sign of their values.
    struct Signs {
        uint32_t before;  // columns with values of one sign in all partitions
        uint32_t both;    // columns of any sign that follow; all columns after them have the other sign
        bool falls;       // the first ones are positive
    };
    Signs signs(uint32_t columns) const;

    // Returns the values of the next group of columns. Each value of the following group is larger by
    // group_step().
    Ints group(size_t vl) const {
        const Bits lane = __riscv_vid_v_u32m8(vl);
        const Bits column = __riscv_vsrl(lane, PartitionsLog2, vl);
        const Bits partition = __riscv_vand(lane, Partitions - 1, vl);
        const Bits of_columns = __riscv_vmadd(column, columns_.step(), splat(base_ + columns_.at(), vl), vl);
        return as_ints(__riscv_vmacc(of_columns, partition_step_, partition, vl));
    }
    int32_t group_step() const { return static_cast<int32_t>(columns_.step() * GroupColumns); }

  private:
    Columns columns_;
    OwnPartitions own_;
    uint32_t partition_step_, base_;
};

Values::Signs Values::signs(uint32_t columns) const {
    const int64_t first = static_cast<int32_t>(base_ + columns_.at() + partition_step_ * own_.first);
    const int64_t last =
        first + int64_t{static_cast<int32_t>(own_.count - 1)} * static_cast<int32_t>(partition_step_);
    const int64_t low = first < last ? first : last, high = first < last ? last : first;
    const int64_t step = static_cast<int32_t>(columns_.step()), way = step * (columns - 1);
    const bool falls = step < 0;
    const int64_t least = falls ? low + way : low, most = falls ? high : high + way;
    if (least < INT32_MIN || most > INT32_MAX) return {0, columns, false};  // the values wrap around
    // The distance to 0 from the value that reaches 0 first, and from the value that reaches it last.
    const int64_t none = falls ? low : -high, all = falls ? high : -low;
    const auto by = static_cast<uint32_t>(falls ? -step : step);
    const auto at_most = [columns](uint32_t count) { return count < columns ? count : columns; };
    uint32_t before = 0, until = 0;
    if (none > 0) before = by == 0 ? columns : at_most((static_cast<uint32_t>(none) + by - 1) / by);
    if (all >= 0) until = by == 0 ? columns : at_most(static_cast<uint32_t>(all) / by + 1);
    return {before, until - before, falls};
}

[[gnu::noinline]] void store_values(uint32_t* to, const Values& values, size_t words) {
    const int32_t step = values.group_step();
    Ints value = values.group(GroupWords);
    for (; words > GroupWords; words -= GroupWords) {
        store(to, value, GroupWords);
        to += GroupWords;
        value = __riscv_vadd(value, step, GroupWords);
    }
    store(to, value, lanes(words));
}

// Keeps each word if its value compares true with 0, else writes the constant.
using SelectLoop = void (*)(uint32_t* to, const uint32_t* from, uint32_t otherwise, const Values& values,
                            size_t words);

template <auto Compares>
void select(uint32_t* to, const uint32_t* from, uint32_t otherwise, const Values& values, size_t words) {
    const int32_t step = values.group_step();
    Ints value = values.group(GroupWords);
    const Bits constant = splat(otherwise, GroupWords);
    for (;;) {
        const size_t vl = lanes(words);
        Bits kept = load(from, vl);
        asm("" : "+vr"(kept));  // or the load gets a mask, and a load with a mask has nothing beside it
        store(to, __riscv_vmerge(constant, kept, Compares(value, vl), vl), vl);
        if (words <= GroupWords) return;
        value = __riscv_vadd(value, step, vl);
        words -= GroupWords;
        to += GroupWords;
        from += GroupWords;
    }
}

using N = size_t;

struct Comparison {
    SelectLoop select;
    bool of_positive, of_negative;
};

// In the order of AluOp
constexpr Comparison Comparisons[] = {
    {select<[](Ints v, N vl) { return __riscv_vmseq(v, 0, vl); }>, false, false},
    {select<[](Ints v, N vl) { return __riscv_vmsne(v, 0, vl); }>, true, true},
    {select<[](Ints v, N vl) { return __riscv_vmsgt(v, 0, vl); }>, true, false},
    {select<[](Ints v, N vl) { return __riscv_vmsge(v, 0, vl); }>, true, false},
    {select<[](Ints v, N vl) { return __riscv_vmslt(v, 0, vl); }>, false, true},
    {select<[](Ints v, N vl) { return __riscv_vmsle(v, 0, vl); }>, false, true},
};

// Copies or fills columns that are kept or dropped as a whole.
[[gnu::noinline]] void select_columns(const Comparison& comparison, uint32_t* to, const uint32_t* from,
                                      uint32_t otherwise, Values& values, uint32_t columns) {
    const auto uniform = [&](bool keeps, uint32_t count) {
        if (count == 0) return;
        const size_t words = count * Partitions;
        if (!keeps) fill(to, otherwise, words);
        if (keeps && to != from) copy(to, from, words);
    };
    const auto [before, both, falls] = values.signs(columns);
    const auto advance = [&](uint32_t count) {
        to += count * Partitions;
        from += count * Partitions;
        values.advance(count);
    };
    uniform(falls ? comparison.of_positive : comparison.of_negative, before);
    advance(before);
    if (both != 0) comparison.select(to, from, otherwise, values, both * Partitions);
    advance(both);
    uniform(falls ? comparison.of_negative : comparison.of_positive, columns - before - both);
    advance(columns - before - both);
}

}  // namespace

Status iota(const void* arguments) {
    const auto& args = *static_cast<const IotaArguments*>(arguments);
    const auto& [shape, dst, affine] = args;
    Work work;
    const bool direct = flat(work, shape, dst);
    const Status status = direct ? Status::Ok : prepare(work, shape, dst);
    if (status != Status::Ok) return status;
    if (work.own.count == 0) return Status::Ok;
    Values values(work, affine);
    const Convert conversion = conversions(dst.dtype).from_signed;
    if (direct) {
        uint32_t* to = word_of(dst.address);
        store_values(to, values, work.columns * Partitions);
        if (conversion != nullptr) convert(conversion, to, to, work.columns * Partitions);
        return Status::Ok;
    }
    Destination destination(work, dst, conversion, buffers[0]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            store_values(destination.words(), values, columns * Partitions);
            values.advance(columns);
            destination.write(columns);
        },
        destination, values);
    return Status::Ok;
}

Status affine_select(const void* arguments) {
    const auto& args = *static_cast<const AffineSelectArguments*>(arguments);
    const auto& [shape, dst, a, affine, compare, otherwise] = args;
    const bool floats = is_float(dst.dtype);
    Work work;
    const bool direct = floats == is_float(a.dtype) && flat(work, shape, dst, a);
    const Status status = direct ? Status::Ok : prepare(work, shape, dst, a);
    if (status != Status::Ok) return status;
    const uint32_t code = static_cast<uint32_t>(compare) - static_cast<uint32_t>(AluOp::IsEqual);
    if (code >= sizeof(Comparisons) / sizeof(Comparisons[0])) return Status::BadOperation;
    if (floats != is_float(a.dtype)) return Status::BadDtype;
    if (work.own.count == 0) return Status::Ok;
    Values values(work, affine);
    if (direct) {
        select_columns(Comparisons[code], word_of(dst.address), word_of(a.address), otherwise, values,
                       work.columns);
        return Status::Ok;
    }
    const Conversions &from = conversions(a.dtype), &to = conversions(dst.dtype);
    Destination destination(work, dst, floats ? to.from_float : nullptr, buffers[0]);
    Source source(work, a, floats ? from.to_float : from.to_integer, buffers[1]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            const uint32_t* from = source.read(columns);
            select_columns(Comparisons[code], destination.words(), from, otherwise, values, columns);
            destination.write(columns);
        },
        destination, source, values);
    return Status::Ok;
}

}  // namespace trnsim::firmware
