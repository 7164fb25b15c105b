#include "firmware/microcode/operand.hpp"

namespace trnsim::firmware {

namespace {

constexpr uint32_t LongRun = 16;  // columns; shorter runs are gathered

}  // namespace

ColumnStream::ColumnStream(const Work& work, const Tensor& tensor, Convert convert, Buffer& buffer)
    : columns_(work, tensor.step),
      address_(tensor.address),
      size_(size_log2(tensor.dtype)),
      convert_(convert),
      buffer_(buffer),
      in_place_(size_ == 2 && columns_.step() == 1 && (columns_.one_run() || columns_.row() >= LongRun)) {}

Run ColumnStream::next_run(uint32_t columns) {
    const Run run{address_ + (columns_.at() << size_), columns_.step() << size_,
                  columns_.run() < columns ? columns_.run() : columns};
    columns_.advance(run.columns);
    return run;
}

const uint32_t* Source::read(uint32_t* to, uint32_t columns) {
    const uint32_t* words = to;
    if (in_place_) {
        words = place();
        columns_.advance(columns);
    } else {
        for (uint32_t done = 0; done < columns;) {
            const Run run = next_run(columns - done);
            gather(to + done * Partitions, size_, run);
            done += run.columns;
        }
    }
    if (convert_ == nullptr) return words;
    convert(convert_, to, words, columns * Partitions);
    return to;
}

void Destination::write(uint32_t columns) {
    if (convert_ != nullptr) convert(convert_, words(), words(), columns * Partitions);
    if (in_place_) return columns_.advance(columns);
    for (uint32_t done = 0; done < columns;) {
        const Run run = next_run(columns - done);
        scatter(own_, size_, run, buffer_ + done * Partitions);
        done += run.columns;
    }
}

bool fills_words(const Tensor& tensor, uint32_t log2) {
    const auto steps = static_cast<uint32_t>(tensor.step[1]) | static_cast<uint32_t>(tensor.step[2]) |
                       static_cast<uint32_t>(tensor.step[3]);
    return tensor.step[0] == 1 && tensor.address % 4 == 0 && (steps & ((1U << log2) - 1)) == 0;
}

void as_words(Tensor& tensor, uint32_t log2) {
    tensor.dtype = Dtype::U32;
    for (uint32_t axis = 1; axis < 4; ++axis) tensor.step[axis] >>= log2;
}

}  // namespace trnsim::firmware
