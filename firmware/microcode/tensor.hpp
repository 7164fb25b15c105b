// Tensors in the slice: their checks, and the order of their columns. A column is one element of every
// partition of the core.
#pragma once

#include "firmware/runtime/operation.hpp"
#include "trnsim/microcode.hpp"
#include "trnsim/slice.hpp"

namespace trnsim::firmware {

// The partitions of a command that belong to this core.
struct OwnPartitions {
    uint32_t first;  // number of the first one in the core
    uint32_t count;
    uint32_t skipped;  // number of partitions of the command that belong to lower cores
};

inline OwnPartitions own_partitions(uint32_t partition, uint32_t partitions) {
    const uint32_t begin = mailbox.core * Partitions, end = begin + Partitions;
    const uint32_t from = partition > begin ? partition : begin;
    const uint32_t to = partition + partitions < end ? partition + partitions : end;
    if (from >= to) return {0, 0, 0};
    return {from - begin, to - from, from - partition};
}

inline bool is_float(Dtype dtype) {
    return dtype == Dtype::Fp32 || dtype == Dtype::Bf16;
}

// Types of one size, a bit for each code.
struct Types {
    uint32_t codes;
    uint32_t size_log2;
};
constexpr uint32_t bit(Dtype dtype) {
    return 1U << static_cast<uint32_t>(dtype);
}
inline constexpr Types Words{bit(Dtype::I32) | bit(Dtype::U32) | bit(Dtype::Fp32), 2};

// Returns the types that operands may have beside this result without being converted.
inline Types alike(Dtype dtype) {
    switch (dtype) {
        case Dtype::Fp32:
            return {bit(Dtype::Fp32), 2};
        case Dtype::I32:
        case Dtype::U32:
            return {bit(Dtype::I32) | bit(Dtype::U32), 2};
        case Dtype::Bf16:
            return {bit(Dtype::Bf16), 1};
        default:
            return {};
    }
}

// The largest number of columns of a command, so that their words, 16 each, can be counted. Steps of 0 would
// allow more.
inline constexpr uint32_t MostColumns = 1U << 28;

// A shape, and the core's part of it.
struct Work {
    uint32_t count[4];
    uint32_t axes;     // all further axes have one element
    uint32_t columns;  // MostColumns + 1 if there are more
    OwnPartitions own;
};

Status check_shape(const Shape& shape, Work& work);
Status check_tensor(const Work& work, const Tensor& tensor);

// Checks a shape and the tensors that have it. Even if all is right there may be nothing to do for this core.
template <class... Tensors>
Status prepare(Work& work, const Shape& shape, const Tensors&... tensors) {
    Status status = check_shape(shape, work);
    ((status = status == Status::Ok ? check_tensor(work, tensors) : status), ...);
    return status == Status::Ok && work.columns > MostColumns ? Status::BadShape : status;
}

// The largest number of elements of an axis.
inline constexpr uint32_t MostCount = 65536;

// Returns the words of a command whose tensors are flat, or 0 if they are not: a row of adjacent elements of these
// types that fill words, in all of the core's partitions. Then nothing of them is left to be checked, and a tensor is
// these words from word_of(address) on. A command that is not flat must be prepared. The conditions are computed
// without branches: one that is taken costs as much as three operations.
template <class... Tensors>
[[gnu::noinline]] size_t flat_words(Types types, const Shape& shape, const Tensors&... tensors) {
    const auto& [partition, partitions, count] = shape;
    const uint32_t begin = mailbox.core * Partitions, there = mailbox.partitions,
                   bytes = mailbox.partition_bytes, length = count[0] << types.size_log2;
    const auto is_flat = [&](const Tensor& tensor) {
        const auto code = static_cast<uint32_t>(tensor.dtype);
        return ((types.codes >> code % 32) & (code < 32)) & (tensor.step[0] == 1) &
               (tensor.address % 4 == 0) & (tensor.address <= bytes) & (length <= bytes - tensor.address);
    };
    const bool one_row = (((count[1] ^ 1) | (count[2] ^ 1) | (count[3] ^ 1)) == 0) &
                         (count[0] - 1 < MostCount) & (length % 4 == 0);
    const bool exist = (partitions <= there) & (partition <= there - partitions);
    const bool all_own = (partition <= begin) & (partition + partitions >= begin + Partitions);
    return (one_row & exist & all_own & (is_flat(tensors) & ...)) ? length / 4 * Partitions : 0;
}

// Returns the word that holds a byte of a partition of the core; the same word of all partitions is a column
// of words.
inline uint32_t* word_of(uint32_t byte, uint32_t partition = 0) {
    return reinterpret_cast<uint32_t*>(slice_address(partition, byte / 4 * 4));
}

// Returns the byte offset of an element in its partition.
inline uint32_t byte_of(const Tensor& tensor, uint32_t element) {
    return tensor.address + (element << size_log2(tensor.dtype));
}

// Walks the columns of a tensor, or the values of an affine function, in the order of a shape. Axes that
// continue each other are merged into one.
class Columns {
  public:
    Columns(const Work& work, const int32_t (&step)[4]);

    uint32_t at() const { return at_; }      // element, or value, here; modulo 2^32 like all steps
    uint32_t step() const { return step_; }  // step to the next one
    uint32_t run() const { return left_; }   // number that follow each other with that step
    uint32_t row() const { return row_; }    // number that do so from the start of a row on
    bool one_run() const { return outer_ == 0; }

    // Moves on by `columns` columns of the run. There is nothing after the last column.
    void advance(uint32_t columns) {
        left_ -= columns;
        at_ += columns * step_;
        if (left_ == 0 && outer_ != 0) next_row();
    }

  private:
    struct Axis {
        uint32_t count, step, index;
    };

    void next_row();

    uint32_t at_ = 0, left_;
    uint32_t row_, step_;  // the innermost axis
    uint32_t outer_ = 0;   // number of outer axes
    Axis axes_[3];
};

}  // namespace trnsim::firmware
