#include "firmware/microcode/tensor.hpp"

namespace trnsim::firmware {

Status check_shape(const Shape& shape, Work& work) {
    const uint32_t there = mailbox.partitions;
    if (shape.partitions == 0 || shape.partitions > there || shape.partition > there - shape.partitions)
        return Status::BadShape;
    uint64_t columns = 1;
    work.axes = 1;
    for (uint32_t axis = 0; axis < 4; ++axis) {
        const uint32_t count = shape.count[axis];
        work.count[axis] = count;
        if (count == 1) continue;
        if (count == 0 || count > MostCount) return Status::BadShape;
        work.axes = axis + 1;
        columns *= count;
        if (columns > MostColumns) columns = MostColumns + 1;
    }
    work.columns = static_cast<uint32_t>(columns);
    work.own = own_partitions(shape.partition, shape.partitions);
    return Status::Ok;
}

Status check_tensor(const Work& work, const Tensor& tensor) {
    const uint32_t size = size_log2(tensor.dtype), bytes = mailbox.partition_bytes;
    if (size > 2) return Status::BadDtype;
    if ((tensor.address & ((1U << size) - 1)) != 0) return Status::Misaligned;
    uint32_t before = 0, behind = 1;  // elements before and after the first one
    for (uint32_t axis = 0; axis < work.axes; ++axis) {
        const int32_t step = tensor.step[axis];
        const uint32_t distance = step < 0 ? 0 - static_cast<uint32_t>(step) : static_cast<uint32_t>(step);
        const uint64_t extent = static_cast<uint64_t>(work.count[axis] - 1) * distance;
        if (extent > PartitionBytes) return Status::OutOfBounds;
        (step < 0 ? before : behind) += static_cast<uint32_t>(extent);
    }
    if (tensor.address > bytes || before << size > tensor.address) return Status::OutOfBounds;
    return behind << size > bytes - tensor.address ? Status::OutOfBounds : Status::Ok;
}

Columns::Columns(const Work& work, const int32_t (&step)[4])
    : row_(work.count[0]), step_(static_cast<uint32_t>(step[0])) {
    for (uint32_t axis = 1; axis < work.axes; ++axis) {
        const uint32_t count = work.count[axis], to_next = static_cast<uint32_t>(step[axis]);
        if (count == 1) continue;
        if (row_ == 1) {
            row_ = count;
            step_ = to_next;
        } else if (outer_ == 0 && to_next == row_ * step_) {
            row_ *= count;
        } else if (outer_ != 0 && to_next == axes_[outer_ - 1].count * axes_[outer_ - 1].step) {
            axes_[outer_ - 1].count *= count;
        } else {
            axes_[outer_++] = {count, to_next, 0};
        }
    }
    left_ = row_;
}

void Columns::next_row() {
    left_ = row_;
    at_ -= row_ * step_;
    for (uint32_t axis = 0; axis < outer_; ++axis) {
        Axis& outer = axes_[axis];
        at_ += outer.step;
        if (++outer.index < outer.count) return;
        at_ -= outer.count * outer.step;
        outer.index = 0;
    }
}

}  // namespace trnsim::firmware
