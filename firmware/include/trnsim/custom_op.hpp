// Device library of custom operators. An operator is a function of tensors and scalars:
//
//     void relu(trnsim::Tensor in) { trnsim::Tensor out = trnsim::get_dst_tensor(); ... }
//     TRNSIM_CUSTOM_OP(relu)
//
// Every core that has partitions of its tensors runs it, each on its own; there is no order between the
// cores. See docs/firmware.md.
#pragma once

#include <stddef.h>

#include "firmware/runtime/operation.hpp"
#include "trnsim/custom_op_arguments.hpp"
#include "trnsim/heap.hpp"
#include "trnsim/print.hpp"
#include "trnsim/slice.hpp"

// The functions of C. The compiler generates calls to them, too.
extern "C" {
void* memcpy(void* to, const void* from, size_t count);
void* memmove(void* to, const void* from, size_t count);
void* memset(void* to, int value, size_t count);
int memcmp(const void* a, const void* b, size_t count);
size_t strlen(const char* text);
}

namespace trnsim {

using firmware::Dtype;

// The number of this core in the NeuronCore, and the number of cores that run the operator, which are those
// with partitions of its tensors. The first of them need not be core 0.
inline uint32_t get_cpu_id() {
    return firmware::mailbox.core;
}
inline uint32_t get_cpu_count() {
    return firmware::mailbox.cores;
}

// Stops the core unless the condition holds; the trap names the place. The compiler merges several
// __builtin_trap() into one, but keeps each assembler statement in its place.
[[gnu::always_inline]] inline void require(bool holds) {
    if (holds) return;
    asm volatile("unimp");
    __builtin_unreachable();
}

// Makes the operator end with an error when it returns.
void fail();

template <class T, uint32_t Axes>
class Accessor;
template <class T>
class ReadStream;
template <class T>
class WriteStream;
class TcmAccessor;

// The partitions of a tensor that belong to this core. Each is a row, counted from 0.
class Tensor {
  public:
    explicit Tensor(const firmware::TensorDescriptor& descriptor);

    Dtype dtype() const { return descriptor_->dtype; }
    uint32_t axes() const { return descriptor_->axes; }
    // Returns the number of elements of an axis. Axis 0 counts the partitions of all cores together.
    uint32_t size(uint32_t axis) const { return descriptor_->shape[axis]; }
    uint32_t rows() const { return rows_; }
    // Returns the tensor's row that is the first one of this core.
    uint32_t first_row() const { return first_row_; }
    uint32_t row_elements() const;
    uint32_t elements() const { return rows_ * row_elements(); }
    uint32_t element_bytes() const { return 1U << size_log2_; }

    // Returns the address of an element, given its number within the row.
    uint32_t address(uint32_t row, uint32_t element) const;
    uint32_t address(uint32_t row, const uint32_t (&index)[firmware::MostAxes]) const;
    // Returns whether the elements of a row are contiguous.
    bool is_contiguous() const;

    // These accessors and their results are inlined, so the trap of a require() in them names a place in the
    // caller.
    template <class T, uint32_t Axes>
    Accessor<T, Axes> accessor() const;
    template <class T>
    ReadStream<T> read_stream_accessor() const;
    template <class T>
    WriteStream<T> write_stream_accessor() const;
    TcmAccessor tcm_accessor() const;

  private:
    const firmware::TensorDescriptor* descriptor_;
    uint32_t partition_;  // the core's partition that holds row 0
    uint32_t rows_;
    uint32_t first_row_;
    uint32_t size_log2_;
};

Tensor get_dst_tensor();

// Accesses any element, tensor.accessor<float, 2>()(row, column). This is the slowest way.
template <class T, uint32_t Axes>
class Accessor {
  public:
    [[gnu::always_inline]] explicit Accessor(const Tensor& tensor) : tensor_(tensor) {
        require(sizeof(T) == tensor.element_bytes() && Axes == tensor.axes());
    }

    template <class... Indices>
    [[gnu::always_inline]] volatile T& operator()(Indices... indices) const {
        static_assert(sizeof...(Indices) == Axes);
        const uint32_t given[] = {static_cast<uint32_t>(indices)...};
        uint32_t index[firmware::MostAxes] = {};
        require(given[0] < tensor_.rows());
        for (uint32_t axis = 1; axis < Axes; ++axis) {
            require(given[axis] < tensor_.size(axis));
            index[axis] = given[axis];
        }
        return *reinterpret_cast<volatile T*>(tensor_.address(given[0], index));
    }

  private:
    Tensor tensor_;
};

// Copies blocks of elements between a tensor and TCM. Elements are counted row by row; offset 0 is the first
// element of this core.
class TcmAccessor {
  public:
    explicit TcmAccessor(const Tensor& tensor) : tensor_(tensor) {}

    template <class T>
    [[gnu::always_inline]] void tensor_to_tcm(T* tcm, uint32_t offset, uint32_t count) const {
        check(sizeof(T), offset, count);
        copy(reinterpret_cast<uintptr_t>(tcm), offset, count, true);
    }
    template <class T>
    [[gnu::always_inline]] void tcm_to_tensor(const T* tcm, uint32_t offset, uint32_t count) const {
        check(sizeof(T), offset, count);
        copy(reinterpret_cast<uintptr_t>(tcm), offset, count, false);
    }

  private:
    [[gnu::always_inline]] void check(uint32_t bytes, uint32_t offset, uint32_t count) const {
        const uint32_t elements = tensor_.elements();
        require(bytes == tensor_.element_bytes() && offset <= elements && count <= elements - offset);
    }
    void copy(uintptr_t tcm, uint32_t offset, uint32_t count, bool to_tcm) const;

    Tensor tensor_;
};

namespace internal {
inline constexpr uint32_t StreamBytes = 256;
}

// Reads every element once, in order. It reads ahead, so it may miss what is written to the tensor meanwhile.
template <class T>
class ReadStream {
  public:
    explicit ReadStream(const Tensor& tensor) : tcm_(tensor), left_(tensor.elements()) {}

    [[gnu::always_inline]] T read() {
        if (at_ == filled_) fill();
        return buffer_[at_++];
    }

  private:
    static constexpr uint32_t Elements = internal::StreamBytes / sizeof(T);

    [[gnu::always_inline]] void fill() {
        require(left_ != 0);
        filled_ = left_ < Elements ? left_ : Elements;
        tcm_.tensor_to_tcm(buffer_, offset_, filled_);
        offset_ += filled_;
        left_ -= filled_;
        at_ = 0;
    }

    TcmAccessor tcm_;
    uint32_t left_;
    uint32_t offset_ = 0, filled_ = 0, at_ = 0;
    alignas(64) T buffer_[Elements];
};

// Writes every element once, in order. They are in the tensor after close().
template <class T>
class WriteStream {
  public:
    explicit WriteStream(const Tensor& tensor) : tcm_(tensor), left_(tensor.elements()) {}

    [[gnu::always_inline]] void write(T value) {
        require(left_ != 0);
        --left_;
        buffer_[at_++] = value;
        if (at_ == Elements) close();
    }
    [[gnu::always_inline]] void close() {
        tcm_.tcm_to_tensor(buffer_, offset_, at_);
        offset_ += at_;
        at_ = 0;
    }

  private:
    static constexpr uint32_t Elements = internal::StreamBytes / sizeof(T);

    TcmAccessor tcm_;
    uint32_t left_;
    uint32_t offset_ = 0, at_ = 0;
    alignas(64) T buffer_[Elements];
};

template <class T, uint32_t Axes>
[[gnu::always_inline]] inline Accessor<T, Axes> Tensor::accessor() const {
    return Accessor<T, Axes>(*this);
}
template <class T>
ReadStream<T> Tensor::read_stream_accessor() const {
    return ReadStream<T>(*this);
}
template <class T>
WriteStream<T> Tensor::write_stream_accessor() const {
    return WriteStream<T>(*this);
}
inline TcmAccessor Tensor::tcm_accessor() const {
    return TcmAccessor(*this);
}

namespace internal {

// Hands the arguments out one after the other, tensors and scalars each in their order.
class Arguments {
  public:
    explicit Arguments(const firmware::CustomOpArguments& arguments);

    template <class T>
    T take() {
        if constexpr (__is_same(T, Tensor)) {
            return Tensor(arguments_.tensor[tensor_++]);
        } else {
            static_assert(sizeof(T) == 4 && (__is_integral(T) || __is_same(T, float)),
                          "an operator takes Tensor, int32_t, uint32_t and float");
            return __builtin_bit_cast(T, arguments_.scalar[scalar_++]);
        }
    }

  private:
    const firmware::CustomOpArguments& arguments_;
    uint32_t tensor_ = 0, scalar_ = 0;
};

template <class T>
struct Identity {
    using Type = T;
};

// Calls the function. Its arguments stand in braces because braces evaluate in order.
struct Call {
    template <class... Taken>
    Call(void (*function)(Taken...), typename Identity<Taken>::Type... arguments) {
        function(arguments...);
    }
};

bool fits(const firmware::CustomOpArguments& arguments, uint32_t tensors, uint32_t scalars);
firmware::Status take_status();

template <class... Taken>
firmware::Status run(void (*function)(Taken...), const void* pointer) {
    const auto& given = *static_cast<const firmware::CustomOpArguments*>(pointer);
    constexpr uint32_t Tensors = (uint32_t{__is_same(Taken, Tensor)} + ... + 1);  // includes the destination
    constexpr uint32_t Scalars = sizeof...(Taken) + 1 - Tensors;
    static_assert(Tensors <= firmware::MostTensors,
                  "an operator has 8 tensors at most, the destination among them");
    static_assert(Scalars <= firmware::MostScalars, "an operator has 16 scalars at most");
    if (!fits(given, Tensors, Scalars)) return firmware::Status::BadArguments;
    Arguments arguments(given);
    Call{function, arguments.take<Taken>()...};
    return take_status();
}

}  // namespace internal
}  // namespace trnsim

// Makes a function an operator of the image, under its own name.
#define TRNSIM_CUSTOM_OP(function)                                          \
    static trnsim::firmware::Status run_##function(const void* arguments) { \
        return trnsim::internal::run(function, arguments);                  \
    }                                                                       \
    TRNSIM_OPERATION("50", function, run_##function);
