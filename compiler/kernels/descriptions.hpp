// Arguments and tensors that descriptions of several kernels have.
#pragma once

#include <array>

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

inline constexpr ArgumentInfo DtypeArgument{"dtype", "element type of the operands", ArgumentKind::Dtype,
                                            "bf16"};
inline constexpr ArgumentInfo RowsArgument{"rows", "rows of x"};
inline constexpr ArgumentInfo ColsArgument{"cols", "columns of x"};
inline constexpr ArgumentInfo EpsArgument{"eps", "added to the variance", ArgumentKind::Number, "1e-5"};
inline constexpr std::array MatrixArguments{RowsArgument, ColsArgument, DtypeArgument};
inline constexpr std::array NormArguments{RowsArgument, ColsArgument, DtypeArgument, EpsArgument};
inline constexpr TensorInfo MatrixIn{"x", "[rows, cols] dtype"};
inline constexpr TensorInfo GammaIn{"gamma", "[cols] fp32"};
inline constexpr std::array MatrixInputs{MatrixIn};
inline constexpr std::array CastInputs{TensorInfo{"x", "[rows, cols] fp32"}};
inline constexpr std::array MatrixOutputs{TensorInfo{"y", "[rows, cols] dtype"}};
inline constexpr ArgumentInfo CausalArgument{"causal", "1: query i sees keys up to i", ArgumentKind::Choice,
                                             "0", "0 1"};

}  // namespace trnsim::kernels
