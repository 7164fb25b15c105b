// The command local_gather.
#include "firmware/microcode/commands.hpp"
#include "firmware/microcode/moves.hpp"
#include "firmware/microcode/operand.hpp"

namespace trnsim::firmware {

namespace {

constexpr uint32_t MostIndices = 4096;

Tensor row(uint32_t address, Dtype dtype) {
    return {address, dtype, {1, 0, 0, 0}};
}

// Writes groups of elements one after the other, a buffer at a time.
class Writer {
  public:
    explicit Writer(const LocalGatherArguments& args)
        : from_(args.a),
          to_(args.dst),
          size_(size_log2(args.dtype)),
          convert_(conversions(args.dtype).to_bits),
          elements_(args.elements) {}

    void add(uint32_t group) {
        gather(buffers[0] + columns_ * Partitions, size_,
               {from_ + ((group * elements_) << size_), 1U << size_, elements_});
        columns_ += elements_;
        if (columns_ + elements_ > BufferColumns) write();
    }
    void write() {
        if (convert_ != nullptr) convert(convert_, buffers[0], buffers[0], columns_ * Partitions);
        scatter({0, Partitions, 0}, size_, {to_, 1U << size_, columns_}, buffers[0]);
        to_ += columns_ << size_;
        columns_ = 0;
    }

  private:
    uint32_t from_, to_, size_;
    Convert convert_;
    uint32_t elements_;
    uint32_t columns_ = 0;  // number of columns in the buffer
};

}  // namespace

Status local_gather(const void* arguments) {
    const auto& args = *static_cast<const LocalGatherArguments*>(arguments);
    const bool power_of_two = args.elements != 0 && (args.elements & (args.elements - 1)) == 0;
    if (args.partition % Partitions != 0 || args.partitions % Partitions != 0 || !power_of_two ||
        args.elements > 32 || args.indices == 0 || args.indices > MostIndices || args.groups == 0 ||
        args.groups > 65536) {
        return Status::BadShape;
    }
    const Tensor dst = row(args.dst, args.dtype), a = row(args.a, args.dtype),
                 index = row(args.index, Dtype::U16);
    Work work;
    const auto shape_of = [&](uint32_t count, uint32_t groups) {
        return Shape{args.partition, args.partitions, {count, groups, 1, 1}};
    };
    const auto check_row = [&](const Tensor& tensor, uint32_t groups, uint32_t elements) {
        Tensor grouped = tensor;
        grouped.step[1] = static_cast<int32_t>(elements);
        return prepare(work, shape_of(elements, groups), grouped);
    };
    Status status = check_row(dst, args.indices, args.elements);
    if (status == Status::Ok) status = check_row(a, args.groups, args.elements);
    if (status == Status::Ok) status = check_row(index, (args.indices + Partitions - 1) / Partitions, 1);
    if (status != Status::Ok) return status;
    if (work.own.count == 0) return Status::Ok;

    // The first pass checks all indices, so that nothing is written when one is bad.
    constexpr bool Passes[] = {false, true};
    Writer writer(args);
    for (const bool copies : Passes) {
        for (uint32_t i = 0; i < args.indices; ++i) {
            if (i % Partitions == 0) {
                const uint32_t column = args.index + i / Partitions * 2;
                gather(buffers[1], 1, {column, 2, 1});
            }
            const uint32_t group = buffers[1][i % Partitions] >> 16;
            if (group >= args.groups) return Status::BadIndex;
            if (copies) writer.add(group);
        }
    }
    writer.write();
    return Status::Ok;
}

}  // namespace trnsim::firmware
