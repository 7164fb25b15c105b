// Tensors in the slice: checks, and the order of their columns. A column is one element of every partition of
// the core.
#pragma once

#include "firmware/runtime/operation.hpp"
#include "trnsim/microcode.hpp"
#include "trnsim/slice.hpp"

namespace trnsim::firmware {

// Those partitions of a command that are this core's.
struct OwnPartitions {
    uint32_t first;  // of the core
    uint32_t count;
    uint32_t skipped;  // partitions of the command that are those of cores before
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

// Columns of a command, which steps of 0 allow more of: their words, 16 each, can be counted.
inline constexpr uint32_t MostColumns = 1U << 28;

// A shape, and the core's part of it.
struct Work {
    uint32_t count[4];
    uint32_t axes;     // those behind them have one element
    uint32_t columns;  // MostColumns + 1 if there are more
    OwnPartitions own;
};

Status check_shape(const Shape& shape, Work& work);
Status check_tensor(const Work& work, const Tensor& tensor);

// Checks a shape and tensors that have it; then there may be nothing to do for this core.
template <class... Tensors>
Status prepare(Work& work, const Shape& shape, const Tensors&... tensors) {
    Status status = check_shape(shape, work);
    ((status = status == Status::Ok ? check_tensor(work, tensors) : status), ...);
    return status == Status::Ok && work.columns > MostColumns ? Status::BadShape : status;
}

// The word of a byte of a partition of the core; the same word of all of them is a column of words.
inline uint32_t* word_of(uint32_t byte, uint32_t partition = 0) {
    return reinterpret_cast<uint32_t*>(slice_address(partition, byte / 4 * 4));
}

// Where an element of a tensor is in its partition.
inline uint32_t byte_of(const Tensor& tensor, uint32_t element) {
    return tensor.address + (element << size_log2(tensor.dtype));
}

// The columns of a tensor, or the values of an affine function, in the order of a shape. Axes that go on where the one
// within them ends are one axis.
class Columns {
  public:
    Columns(const Work& work, const int32_t (&step)[4]);

    uint32_t at() const { return at_; }      // element, or value, here; modulo 2^32, as all steps
    uint32_t step() const { return step_; }  // to the next one
    uint32_t run() const { return left_; }   // how many follow each other with that step
    uint32_t row() const { return row_; }    // how many do from the start of a row on
    bool one_run() const { return outer_ == 0; }

    // By `columns` of the run. Nothing is behind the last column.
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
    uint32_t outer_ = 0;   // axes around it
    Axis axes_[3];
};

}  // namespace trnsim::firmware
