// Operands of elementwise commands, some columns at a time, as 32-bit numbers in contiguous columns. The
// columns are used in place if the tensor has that form, else in a buffer.
#pragma once

#include "firmware/microcode/convert.hpp"
#include "firmware/microcode/moves.hpp"
#include "firmware/microcode/tensor.hpp"

namespace trnsim::firmware {

inline constexpr uint32_t BufferColumns = 64;
inline constexpr uint32_t AllColumns = ~0U;
using Buffer = uint32_t[BufferColumns * Partitions];

// One buffer for each operand of a command. They lie where other images have their heap.
inline constexpr uint32_t Buffers = 3;
static_assert(Buffers * sizeof(Buffer) <= TRNSIM_LEAST_HEAP_BYTES);
extern "C" Buffer heap_begin[Buffers];
inline constexpr auto& buffers = heap_begin;

class ColumnStream {
  public:
    // Returns the number of columns that can come next.
    uint32_t most() const {
        const uint32_t run = in_place_ ? columns_.run() : BufferColumns;
        return in_place_ && (convert_ == nullptr || run < BufferColumns) ? run : BufferColumns;
    }

  protected:
    ColumnStream(const Work& work, const Tensor& tensor, Convert convert, Buffer& buffer);

    uint32_t* place() const { return word_of(address_ + (columns_.at() << 2)); }
    // Takes the next run, at most `columns` columns.
    Run next_run(uint32_t columns);

    Columns columns_;
    uint32_t address_, size_;
    Convert convert_;
    uint32_t* buffer_;
    bool in_place_;  // the columns are contiguous words, in long runs
};

class Source : public ColumnStream {
  public:
    Source(const Work& work, const Tensor& tensor, Convert convert, Buffer& buffer)
        : ColumnStream(work, tensor, convert, buffer) {}

    // Reads the next columns.
    const uint32_t* read(uint32_t columns) { return read(buffer_, columns); }
    // Reads the next columns with `to` as the buffer.
    const uint32_t* read(uint32_t* to, uint32_t columns);
};

class Destination : public ColumnStream {
  public:
    Destination(const Work& work, const Tensor& tensor, Convert convert, Buffer& buffer)
        : ColumnStream(work, tensor, convert, buffer), own_(work.own) {
        if (own_.count != Partitions) in_place_ = false;
    }

    uint32_t most() const { return in_place_ ? columns_.run() : BufferColumns; }

    // Returns the place for the next columns; once they are there, write() converts them and moves them to the
    // tensor.
    uint32_t* words() const { return in_place_ ? place() : buffer_; }
    void write(uint32_t columns);

  private:
    OwnPartitions own_;
};

// Calls body(columns) until all columns are done, each time with as many as all operands can give, at most
// `most`.
template <class Body, class... Operands>
void for_columns(const Work& work, uint32_t most, Body&& body, const Operands&... operands) {
    for (uint32_t left = work.columns; left != 0;) {
        uint32_t columns = left < most ? left : most;
        ((columns = operands.most() < columns ? operands.most() : columns), ...);
        body(columns);
        left -= columns;
    }
}

// Returns whether each row of the tensor begins at a word and has contiguous elements, 2^`log2` of them in a word.
bool fills_words(const Tensor& tensor, uint32_t log2);
void as_words(Tensor& tensor, uint32_t log2);

// Turns contiguous elements into words if they fill words in all rows of all tensors, which have the same
// type; returns whether they do. Shifts, because a division takes 32 cycles.
template <class... Tensors>
bool widen(Work& work, Dtype dtype, Tensors&... tensors) {
    const uint32_t log2 = 2 - size_log2(dtype);
    if (log2 == 0 || (work.count[0] & ((1U << log2) - 1)) != 0 || !(fills_words(tensors, log2) && ...))
        return false;
    work.count[0] >>= log2;
    work.columns >>= log2;
    (as_words(tensors, log2), ...);
    return true;
}

}  // namespace trnsim::firmware
