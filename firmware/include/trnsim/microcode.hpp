// Commands of the microcode image and their arguments, as they are laid out in the mailbox. Every core gets
// the same arguments and works on those partitions that belong to it. docs/firmware.md says what each command
// computes.
#pragma once

#include <stdint.h>

#include "trnsim/dtype.hpp"
#include "trnsim/mailbox.hpp"

namespace trnsim::firmware {

enum class AluOp : uint32_t {
    Bypass,
    Add,
    Subtract,
    Multiply,
    Max,
    Min,
    IsEqual,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    LogicalNot,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    BitwiseNot,
    ShiftLeft,
    ShiftRight,
    Abs,
    Reciprocal,
    Rsqrt,
    Power,
    AbsMax,
    AbsMin,
    Square,
    Relu
};

// Indices in the image's table of operations.
enum class Command : uint32_t {
    Memset,
    TensorCopy,
    TensorTensor,
    TensorScalar,
    Iota,
    AffineSelect,
    LocalGather,
    PartitionReduce,
    PartitionBroadcast,
    SequenceBounds,
    Sort,
    TopK,
    Count
};
inline constexpr const char* CommandNames[] = {
    "memset",       "tensor_copy",      "tensor_tensor",       "tensor_scalar",   "iota", "affine_select",
    "local_gather", "partition_reduce", "partition_broadcast", "sequence_bounds", "sort", "top_k"};
static_assert(sizeof CommandNames / sizeof *CommandNames == static_cast<uint32_t>(Command::Count));

// Partitions of the NeuronCore, and the elements in each; count[0] is the innermost dimension.
struct Shape {
    uint32_t partition;
    uint32_t partitions;
    uint32_t count[4];
};

// The same place in every partition; steps are in elements.
struct Tensor {
    uint32_t address;
    Dtype dtype;
    int32_t step[4];
};

// The value base + partition_step p + sum of step[d] i[d], modulo 2^32; p counts from the shape's first
// partition.
struct Affine {
    int32_t base;
    int32_t partition_step;
    int32_t step[4];
};

struct MemsetArguments {
    Shape shape;
    Tensor dst;
    uint32_t value;  // bits of fp32 for float tensors, else an integer
};

struct TensorCopyArguments {
    Shape shape;
    Tensor dst, a;
};

struct TensorTensorArguments {
    Shape shape;
    Tensor dst, a, b;
    AluOp op;
};

// Computes (a op0 imm0) op1 imm1.
struct TensorScalarArguments {
    static constexpr uint32_t Reverse0 = 1, Reverse1 = 2, Vector0 = 4, Vector1 = 8;

    Shape shape;
    Tensor dst, a;
    AluOp op0, op1;
    uint32_t flags;
    uint32_t imm0, imm1;  // bits, or with Vector the address of a 32-bit word in every partition
};

struct IotaArguments {
    Shape shape;
    Tensor dst;
    Affine affine;
};

struct AffineSelectArguments {
    Shape shape;
    Tensor dst, a;
    Affine affine;
    AluOp compare;       // compares the affine value with 0
    uint32_t otherwise;  // see MemsetArguments::value
};

// For i < indices: dst[i * elements + e] = a[index_i * elements + e]; index i lies in partition i % 16,
// column i / 16.
struct LocalGatherArguments {
    uint32_t partition, partitions;  // multiples of 16
    uint32_t dst, a, index;          // addresses
    Dtype dtype;                     // type of dst and a; indices are u16
    uint32_t groups;                 // number of groups of `elements` that a has
    uint32_t elements;
    uint32_t indices;
};

struct PartitionReduceArguments {
    Shape shape;
    Tensor dst, a;
    AluOp op;
    uint32_t divisor;  // divides the result if it is not 0; fp32 only
};

struct PartitionBroadcastArguments {
    Shape shape;
    Tensor dst, a;
    uint32_t source;  // partition of the core that is copied to the others
};

struct SequenceBoundsArguments {
    uint32_t partition;
    uint32_t count;
    Tensor first, end, a;  // only step[0] is used
};

// Sorts `count` elements of each partition. Elements have 32 bits and are contiguous.
struct SortArguments {
    static constexpr uint32_t Descending = 1, WithIndices = 2;

    uint32_t partition, partitions;
    uint32_t dst, a, indices;  // addresses; indices are u32
    Dtype dtype;
    uint32_t count;
    uint32_t flags;
};

// Finds the k largest of `count` elements, largest first, and their indices.
struct TopKArguments {
    uint32_t partition, partitions;
    uint32_t dst, a, indices;
    Dtype dtype;
    uint32_t count;
    uint32_t k;
};

}  // namespace trnsim::firmware
