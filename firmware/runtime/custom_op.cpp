#include "trnsim/custom_op.hpp"

#include <riscv_vector.h>

namespace trnsim {

using firmware::Partitions;
using firmware::size_log2;
using firmware::slice_address;
using firmware::TensorDescriptor;
using firmware::WordStride;

namespace {

bool has_failed = false;

// Returns whether the tensor lies within its partitions, is aligned, and has a supported type.
bool is_right(const TensorDescriptor& t) {
    const uint32_t partitions = firmware::mailbox.partitions,
                   partition_bytes = firmware::mailbox.partition_bytes;
    if (size_log2(t.dtype) == firmware::NoSize || t.axes == 0 || t.axes > firmware::MostAxes ||
        t.shape[0] == 0 || t.shape[0] > partitions || t.partition > partitions - t.shape[0]) {
        return false;
    }
    const int32_t bytes = 1 << size_log2(t.dtype);
    int64_t first = t.address, end = static_cast<int64_t>(t.address) + bytes;
    bool aligned = t.address % static_cast<uint32_t>(bytes) == 0;
    for (uint32_t axis = 1; axis < t.axes; ++axis) {
        if (t.shape[axis] == 0 || t.shape[axis] > partition_bytes) return false;
        const int64_t extent =
            static_cast<int64_t>(static_cast<int32_t>(t.shape[axis] - 1)) * t.strides[axis];
        (extent < 0 ? first : end) += extent;
        aligned = aligned && t.strides[axis] % bytes == 0;
    }
    return aligned && first >= 0 && end <= static_cast<int64_t>(partition_bytes);
}

// Copies contiguous bytes of a partition to or from TCM: words by strided vector accesses, the rest by bytes.
void copy_bytes(uintptr_t tcm, uint32_t partition, uint32_t byte, uint32_t count, bool to_tcm) {
    const auto copy_byte = [&] {
        auto* there = reinterpret_cast<uint8_t*>(slice_address(partition, byte));
        auto* here = reinterpret_cast<uint8_t*>(tcm);
        to_tcm ? * here = *there : * there = *here;
        ++tcm, ++byte, --count;
    };
    while (count != 0 && (byte % 4 != 0 || tcm % 4 != 0 || count < 4)) copy_byte();
    while (count >= 4) {
        const size_t vl = __riscv_vsetvl_e32m8(count / 4);
        auto* there = reinterpret_cast<uint32_t*>(slice_address(partition, byte));
        auto* here = reinterpret_cast<uint32_t*>(tcm);
        if (to_tcm) {
            __riscv_vse32(here, __riscv_vlse32_v_u32m8(there, WordStride, vl), vl);
        } else {
            __riscv_vsse32(there, WordStride, __riscv_vle32_v_u32m8(here, vl), vl);
        }
        tcm += 4 * vl;
        byte += 4 * static_cast<uint32_t>(vl);
        count -= 4 * static_cast<uint32_t>(vl);
    }
    while (count != 0) copy_byte();
}

const firmware::CustomOpArguments& given() {
    return *reinterpret_cast<const firmware::CustomOpArguments*>(
        const_cast<const uint32_t*>(firmware::mailbox.arguments));
}

}  // namespace

void fail() {
    has_failed = true;
}

Tensor::Tensor(const TensorDescriptor& descriptor)
    : descriptor_(&descriptor), size_log2_(size_log2(descriptor.dtype)) {
    const uint32_t begin = get_cpu_id() * Partitions, end = begin + Partitions;
    const uint32_t last = descriptor.partition + descriptor.shape[0];
    const uint32_t from = descriptor.partition > begin ? descriptor.partition : begin;
    const uint32_t to = last < end ? last : end;
    rows_ = from < to ? to - from : 0;
    partition_ = from - begin;
    first_row_ = from - descriptor.partition;
}

uint32_t Tensor::row_elements() const {
    uint32_t count = 1;
    for (uint32_t axis = 1; axis < axes(); ++axis) count *= size(axis);
    return count;
}

bool Tensor::is_contiguous() const {
    int32_t stride = static_cast<int32_t>(element_bytes());
    for (uint32_t axis = axes() - 1; axis != 0; --axis) {
        if (descriptor_->strides[axis] != stride) return false;
        stride *= static_cast<int32_t>(size(axis));
    }
    return true;
}

uint32_t Tensor::address(uint32_t row, const uint32_t (&index)[firmware::MostAxes]) const {
    uint32_t byte = descriptor_->address;
    for (uint32_t axis = 1; axis < axes(); ++axis)
        byte += index[axis] * static_cast<uint32_t>(descriptor_->strides[axis]);
    return slice_address(partition_ + row, byte);
}

uint32_t Tensor::address(uint32_t row, uint32_t element) const {
    uint32_t index[firmware::MostAxes] = {};
    for (uint32_t axis = axes() - 1; axis != 0; --axis) {
        index[axis] = element % size(axis);
        element /= size(axis);
    }
    return address(row, index);
}

Tensor get_dst_tensor() {
    return Tensor(given().tensor[given().tensors - 1]);
}

void TcmAccessor::copy(uintptr_t tcm, uint32_t offset, uint32_t count, bool to_tcm) const {
    const uint32_t in_row = tensor_.row_elements(), bytes = tensor_.element_bytes();
    const bool whole = tensor_.is_contiguous();
    while (count != 0) {
        const uint32_t row = offset / in_row, element = offset % in_row;
        const uint32_t run = !whole ? 1 : in_row - element < count ? in_row - element : count;
        // Turns the address back into partition and byte, because the run continues in the same partition.
        const uint32_t place = tensor_.address(row, element) - TRNSIM_SLICE_BASE;
        copy_bytes(tcm, place % WordStride / 4, place / WordStride * 4 + place % 4, run * bytes, to_tcm);
        tcm += run * bytes;
        offset += run;
        count -= run;
    }
}

namespace internal {

Arguments::Arguments(const firmware::CustomOpArguments& arguments) : arguments_(arguments) {}

bool fits(const firmware::CustomOpArguments& arguments, uint32_t tensors, uint32_t scalars) {
    firmware::mailbox.taken_tensors = tensors;
    firmware::mailbox.taken_scalars = scalars;
    if (arguments.tensors != tensors || arguments.scalars != scalars) return false;
    for (uint32_t k = 0; k < tensors; ++k) {
        if (!is_right(arguments.tensor[k])) return false;
    }
    return true;
}

firmware::Status take_status() {
    const bool failed = has_failed;
    has_failed = false;
    return failed ? firmware::Status::Failed : firmware::Status::Ok;
}

}  // namespace internal
}  // namespace trnsim
