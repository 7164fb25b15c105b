// The opcodes of XLA (hlo_opcode.h), with their operands and what this tree does with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trnsim::hlo {

// X(enumerator, name, fewest operands, most operands (-1: any number), family)
#define TRNSIM_HLO_OPCODES(X)                                                 \
    X(Abs, "abs", 1, 1, Elementwise)                                          \
    X(Acos, "acos", 1, 1, Elementwise)                                        \
    X(Acosh, "acosh", 1, 1, Elementwise)                                      \
    X(Add, "add", 2, 2, Elementwise)                                          \
    X(AddDependency, "add-dependency", 2, 2, Other)                           \
    X(AfterAll, "after-all", 0, -1, Other)                                    \
    X(AllGather, "all-gather", 1, -1, Collective)                             \
    X(AllGatherDone, "all-gather-done", 1, 1, Asynchronous)                   \
    X(AllGatherStart, "all-gather-start", 1, -1, Asynchronous)                \
    X(AllReduce, "all-reduce", 1, -1, Collective)                             \
    X(AllReduceDone, "all-reduce-done", 1, 1, Asynchronous)                   \
    X(AllReduceStart, "all-reduce-start", 1, -1, Asynchronous)                \
    X(AllToAll, "all-to-all", 1, -1, Collective)                              \
    X(And, "and", 2, 2, Elementwise)                                          \
    X(Asin, "asin", 1, 1, Elementwise)                                        \
    X(Asinh, "asinh", 1, 1, Elementwise)                                      \
    X(AsyncDone, "async-done", 1, 1, Asynchronous)                            \
    X(AsyncStart, "async-start", 0, -1, Asynchronous)                         \
    X(AsyncUpdate, "async-update", 1, 1, Asynchronous)                        \
    X(Atan2, "atan2", 2, 2, Elementwise)                                      \
    X(Atanh, "atanh", 1, 1, Elementwise)                                      \
    X(BatchNormGrad, "batch-norm-grad", 5, 5, Other)                          \
    X(BatchNormInference, "batch-norm-inference", 5, 5, Other)                \
    X(BatchNormTraining, "batch-norm-training", 3, 3, Other)                  \
    X(Bitcast, "bitcast", 1, 1, Other)                                        \
    X(BitcastConvert, "bitcast-convert", 1, 1, Other)                         \
    X(Broadcast, "broadcast", 1, 1, Movement)                                 \
    X(Call, "call", 0, -1, Other)                                             \
    X(Cbrt, "cbrt", 1, 1, Elementwise)                                        \
    X(Ceil, "ceil", 1, 1, Elementwise)                                        \
    X(Cholesky, "cholesky", 1, 1, Other)                                      \
    X(Clamp, "clamp", 3, 3, Elementwise)                                      \
    X(CollectiveBroadcast, "collective-broadcast", 1, -1, Collective)         \
    X(CollectivePermute, "collective-permute", 1, 1, Collective)              \
    X(CollectivePermuteDone, "collective-permute-done", 1, 1, Asynchronous)   \
    X(CollectivePermuteStart, "collective-permute-start", 1, 4, Asynchronous) \
    X(Compare, "compare", 2, 2, Elementwise)                                  \
    X(Complex, "complex", 2, 2, ComplexNumbers)                               \
    X(Concatenate, "concatenate", 1, -1, Movement)                            \
    X(Conditional, "conditional", 2, -1, Other)                               \
    X(Constant, "constant", 0, 0, Other)                                      \
    X(Convert, "convert", 1, 1, Elementwise)                                  \
    X(Convolution, "convolution", 2, 2, Other)                                \
    X(Copy, "copy", 1, 1, Other)                                              \
    X(CopyDone, "copy-done", 1, 1, Asynchronous)                              \
    X(CopyStart, "copy-start", 1, 1, Asynchronous)                            \
    X(Cosh, "cosh", 1, 1, Elementwise)                                        \
    X(Cosine, "cosine", 1, 1, Elementwise)                                    \
    X(CountLeadingZeros, "count-leading-zeros", 1, 1, Elementwise)            \
    X(CustomCall, "custom-call", 0, -1, Other)                                \
    X(Divide, "divide", 2, 2, Elementwise)                                    \
    X(Domain, "domain", 1, 1, Other)                                          \
    X(Dot, "dot", 2, 2, Other)                                                \
    X(DynamicReshape, "dynamic-reshape", 1, -1, DynamicShapes)                \
    X(DynamicSlice, "dynamic-slice", 1, -1, Movement)                         \
    X(DynamicUpdateSlice, "dynamic-update-slice", 2, -1, Movement)            \
    X(Erf, "erf", 1, 1, Elementwise)                                          \
    X(Exponential, "exponential", 1, 1, Elementwise)                          \
    X(ExponentialMinusOne, "exponential-minus-one", 1, 1, Elementwise)        \
    X(Fft, "fft", 1, 1, ComplexNumbers)                                       \
    X(Floor, "floor", 1, 1, Elementwise)                                      \
    X(Fusion, "fusion", 0, -1, Other)                                         \
    X(Gather, "gather", 2, 2, Movement)                                       \
    X(GetDimensionSize, "get-dimension-size", 1, 1, DynamicShapes)            \
    X(GetTupleElement, "get-tuple-element", 1, 1, Other)                      \
    X(Imag, "imag", 1, 1, ComplexNumbers)                                     \
    X(Infeed, "infeed", 1, 1, Host)                                           \
    X(Iota, "iota", 0, 0, Other)                                              \
    X(IsFinite, "is-finite", 1, 1, Elementwise)                               \
    X(Log, "log", 1, 1, Elementwise)                                          \
    X(LogPlusOne, "log-plus-one", 1, 1, Elementwise)                          \
    X(Logistic, "logistic", 1, 1, Elementwise)                                \
    X(Map, "map", 1, -1, Other)                                               \
    X(Maximum, "maximum", 2, 2, Elementwise)                                  \
    X(Minimum, "minimum", 2, 2, Elementwise)                                  \
    X(Mulhi, "mulhi", 2, 2, Elementwise)                                      \
    X(Multiply, "multiply", 2, 2, Elementwise)                                \
    X(Negate, "negate", 1, 1, Elementwise)                                    \
    X(Not, "not", 1, 1, Elementwise)                                          \
    X(OptimizationBarrier, "opt-barrier", 1, 1, Other)                        \
    X(Or, "or", 2, 2, Elementwise)                                            \
    X(Outfeed, "outfeed", 2, 2, Host)                                         \
    X(Pad, "pad", 2, 2, Movement)                                             \
    X(Parameter, "parameter", 0, 0, Other)                                    \
    X(PartitionId, "partition-id", 0, 0, Other)                               \
    X(Popcnt, "popcnt", 1, 1, Elementwise)                                    \
    X(Power, "power", 2, 2, Elementwise)                                      \
    X(RaggedAllToAll, "ragged-all-to-all", 6, 6, DynamicShapes)               \
    X(RaggedDot, "ragged-dot", 3, 3, Other)                                   \
    X(Real, "real", 1, 1, ComplexNumbers)                                     \
    X(Recv, "recv", 1, 1, Host)                                               \
    X(RecvDone, "recv-done", 1, 1, Host)                                      \
    X(Reduce, "reduce", 2, -1, Other)                                         \
    X(ReducePrecision, "reduce-precision", 1, 1, Elementwise)                 \
    X(ReduceScatter, "reduce-scatter", 1, -1, Collective)                     \
    X(ReduceWindow, "reduce-window", 2, -1, Other)                            \
    X(Remainder, "remainder", 2, 2, Elementwise)                              \
    X(ReplicaId, "replica-id", 0, 0, Other)                                   \
    X(Reshape, "reshape", 1, 1, Movement)                                     \
    X(Reverse, "reverse", 1, 1, Movement)                                     \
    X(Rng, "rng", 2, 2, Random)                                               \
    X(RngBitGenerator, "rng-bit-generator", 1, 1, Other)                      \
    X(RngGetAndUpdateState, "rng-get-and-update-state", 0, 0, Random)         \
    X(RoundNearestAfz, "round-nearest-afz", 1, 1, Elementwise)                \
    X(RoundNearestEven, "round-nearest-even", 1, 1, Elementwise)              \
    X(Rsqrt, "rsqrt", 1, 1, Elementwise)                                      \
    X(Scan, "scan", 1, -1, Other)                                             \
    X(Scatter, "scatter", 3, -1, Movement)                                    \
    X(Select, "select", 3, 3, Elementwise)                                    \
    X(SelectAndScatter, "select-and-scatter", 3, 3, Other)                    \
    X(Send, "send", 2, 2, Host)                                               \
    X(SendDone, "send-done", 1, 1, Host)                                      \
    X(SetDimensionSize, "set-dimension-size", 2, 2, DynamicShapes)            \
    X(ShiftLeft, "shift-left", 2, 2, Elementwise)                             \
    X(ShiftRightArithmetic, "shift-right-arithmetic", 2, 2, Elementwise)      \
    X(ShiftRightLogical, "shift-right-logical", 2, 2, Elementwise)            \
    X(Sign, "sign", 1, 1, Elementwise)                                        \
    X(Sine, "sine", 1, 1, Elementwise)                                        \
    X(Sinh, "sinh", 1, 1, Elementwise)                                        \
    X(Slice, "slice", 1, 1, Movement)                                         \
    X(Sort, "sort", 1, -1, Other)                                             \
    X(Sqrt, "sqrt", 1, 1, Elementwise)                                        \
    X(StochasticConvert, "stochastic-convert", 2, 2, Elementwise)             \
    X(Subtract, "subtract", 2, 2, Elementwise)                                \
    X(Tan, "tan", 1, 1, Elementwise)                                          \
    X(Tanh, "tanh", 1, 1, Elementwise)                                        \
    X(TopK, "topk", 1, 1, Other)                                              \
    X(Transpose, "transpose", 1, 1, Movement)                                 \
    X(TriangularSolve, "triangular-solve", 2, 2, Other)                       \
    X(Tuple, "tuple", 0, -1, Other)                                           \
    X(While, "while", 1, 1, Other)                                            \
    X(Xor, "xor", 2, 2, Elementwise)

enum class Opcode : std::uint8_t {
#define TRNSIM_HLO_ENUMERATOR(enumerator, ...) enumerator,
    TRNSIM_HLO_OPCODES(TRNSIM_HLO_ENUMERATOR)
#undef TRNSIM_HLO_ENUMERATOR
};

// Families from Asynchronous on are refused; refusal() says why.
enum class Family : std::uint8_t {
    Elementwise,
    Movement,  // elements are copied, none is computed
    Collective,
    Other,
    Asynchronous,
    ComplexNumbers,
    DynamicShapes,
    Host,
    Random,
};

struct OpcodeInfo {
    std::string_view name;
    int fewest, most;  // operands; most is -1 for any number
    Family family;
};

const OpcodeInfo& info(Opcode opcode);
std::optional<Opcode> find_opcode(std::string_view name);
// Why a family is refused; empty for the others.
std::string_view refusal(Family family);

inline std::string_view name(Opcode opcode) {
    return info(opcode).name;
}

}  // namespace trnsim::hlo
