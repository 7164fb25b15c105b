#include "testbench/functional/combine.hpp"

#include <fmt/format.h>

#include <cstring>

#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

float apply(isa::AluOp op, float moved, float there) {
    switch (op) {
        case isa::AluOp::Add:
            return numerics::add(moved, there);
        case isa::AluOp::Multiply:
            return numerics::multiply(moved, there);
        case isa::AluOp::Min:
            return numerics::minimum(moved, there);
        case isa::AluOp::Max:
            return numerics::maximum(moved, there);
        default:
            throw Error(fmt::format("DMA engines do not combine by {}", isa::name_of(op)));
    }
}

}  // namespace

void combine(const neff::Combination& combination, std::span<std::uint8_t> moved,
             std::span<const std::uint8_t> there) {
    const isa::Dtype dtype = combination.dtype;
    const std::size_t bytes = isa::element_size(dtype);
    for (std::size_t at = 0; at + bytes <= moved.size(); at += bytes) {
        std::uint32_t x = 0, y = 0;
        std::memcpy(&x, &moved[at], bytes);
        std::memcpy(&y, &there[at], bytes);
        const float result = apply(combination.op, numerics::to_fp32(x, dtype), numerics::to_fp32(y, dtype));
        const std::uint32_t bits = numerics::from_fp32(result, dtype);
        std::memcpy(&moved[at], &bits, bytes);
    }
}

}  // namespace trnsim::functional
