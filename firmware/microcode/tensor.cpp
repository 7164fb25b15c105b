#include "firmware/microcode/tensor.hpp"

namespace trnsim::firmware {

Status check_shape(const Shape& shape) {
    const uint32_t there = mailbox.partitions;
    if (shape.partitions == 0 || shape.partitions > there || shape.partition > there - shape.partitions)
        return Status::BadShape;
    for (const uint32_t count : shape.count) {
        if (count == 0 || count > 65536) return Status::BadShape;
    }
    return Status::Ok;
}

Status check_tensor(const Shape& shape, const Tensor& tensor) {
    const uint32_t size = size_log2(tensor.dtype);
    if (size > 2) return Status::BadDtype;
    if ((tensor.address & ((1U << size) - 1)) != 0) return Status::Misaligned;
    int64_t first = 0, last = 0;
    for (uint32_t axis = 0; axis < 4; ++axis) {
        const int64_t extent =
            static_cast<int64_t>(static_cast<int32_t>(shape.count[axis] - 1)) * tensor.step[axis];
        (extent < 0 ? first : last) += extent;
    }
    const int64_t from = tensor.address + first * (1 << size), to = tensor.address + (last + 1) * (1 << size);
    return from < 0 || to > mailbox.partition_bytes ? Status::OutOfBounds : Status::Ok;
}

}  // namespace trnsim::firmware
