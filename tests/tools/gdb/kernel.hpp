// A kernel of two commands of the microcode: y[p, i] = (3 i)^2 + 0.5.
#pragma once

#include "arch/config/config.hpp"
#include "arch/target/target.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim {

constexpr std::uint32_t Rows = 16, Columns = 37;

inline neff::Package squares(const config::Config& config) {
    builder::KernelBuilder k("squares", "", target::of(config));
    const auto tile = [&k] { return k.sbuf(Rows, isa::Dtype::Fp32, {Columns}); };
    const builder::Tile a = tile(), b = tile(), c = tile();
    k.iota(a, {.steps = {3}});
    k.tensor_tensor(b, a, isa::AluOp::Multiply, a, {.engine = isa::Engine::Gpsimd});
    k.tensor_scalar(c, b, {isa::AluOp::Add, 0.5f}, {}, {.engine = isa::Engine::Gpsimd});
    k.store(k.queue("out"), k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {Rows, Columns}), c);
    return k.finish();
}

}  // namespace trnsim
