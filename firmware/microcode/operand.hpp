// Operands of elementwise commands, some columns at a time, as 32-bit numbers in columns that stand side by side: in their place
// if that is what the tensor has, else in a buffer.
#pragma once

#include "firmware/microcode/convert.hpp"
#include "firmware/microcode/moves.hpp"
#include "firmware/microcode/tensor.hpp"

namespace trnsim::firmware {

inline constexpr uint32_t BufferColumns = 64;
inline constexpr uint32_t AllColumns = ~0U;
using Buffer = uint32_t[BufferColumns * Partitions];

// Each operand of a command has one of its own. They are where other images have their heap.
inline constexpr uint32_t Buffers = 3;
static_assert(Buffers * sizeof(Buffer) <= TRNSIM_HEAP_BYTES);
extern "C" Buffer heap_begin[Buffers];
inline constexpr auto& buffers = heap_begin;

class Operand {
  public:
    // How many columns can come next.
    uint32_t most() const {
        const uint32_t run = in_place_ ? columns_.run() : BufferColumns;
        return in_place_ && (convert_ == nullptr || run < BufferColumns) ? run : BufferColumns;
    }

  protected:
    Operand(const Work& work, const Tensor& tensor, Convert convert, Buffer& buffer);

    uint32_t* place() const { return word_of(address_ + (columns_.at() << 2)); }
    // Takes the next run, of `columns` at most.
    Run next_run(uint32_t columns);

    Columns columns_;
    uint32_t address_, size_;
    Convert convert_;
    uint32_t* buffer_;
    bool in_place_;  // columns of words side by side, long runs of them
};

class Source : public Operand {
  public:
    Source(const Work& work, const Tensor& tensor, Convert convert, Buffer& buffer)
        : Operand(work, tensor, convert, buffer) {}

    // The next columns.
    const uint32_t* read(uint32_t columns) { return read(buffer_, columns); }
    // Those, with `to` as the buffer.
    const uint32_t* read(uint32_t* to, uint32_t columns);
};

class Destination : public Operand {
  public:
    Destination(const Work& work, const Tensor& tensor, Convert convert, Buffer& buffer)
        : Operand(work, tensor, convert, buffer), own_(work.own) {
        if (own_.count != Partitions) in_place_ = false;
    }

    // Where the next columns go; once they are there, write() takes them to the tensor.
    uint32_t* words() const { return in_place_ && convert_ == nullptr ? place() : buffer_; }
    void write(uint32_t columns);

  private:
    OwnPartitions own_;
};

// Calls body(columns) for all columns, each time for as many as all operands can give, and `most`.
template <class Body, class... Operands>
void for_columns(const Work& work, uint32_t most, Body&& body, const Operands&... operands) {
    for (uint32_t left = work.columns; left != 0;) {
        uint32_t columns = left < most ? left : most;
        ((columns = operands.most() < columns ? operands.most() : columns), ...);
        body(columns);
        left -= columns;
    }
}

// Whether each row of the tensor begins with a word and has its elements side by side.
bool fills_words(const Tensor& tensor, uint32_t elements);
void as_words(Tensor& tensor, uint32_t elements);

// Elements side by side that fill words become words, where that is so in all rows of all tensors, which have one type.
template <class... Tensors>
void widen(Work& work, Dtype dtype, Tensors&... tensors) {
    const uint32_t elements = 4U >> size_log2(dtype);  // of a word
    if (elements == 1 || work.count[0] % elements != 0 || !(fills_words(tensors, elements) && ...)) return;
    work.count[0] /= elements;
    work.columns /= elements;
    (as_words(tensors, elements), ...);
}

}  // namespace trnsim::firmware
