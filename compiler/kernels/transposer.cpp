#include "compiler/kernels/transposer.hpp"

namespace trnsim::kernels {

using builder::Tile;
using isa::AluOp;
using isa::Dtype;

Transposer::Transposer(Kit& kit, Dtype dtype)
    : kit_(&kit),
      columns_(kit.builder.sbuf(kit.block(), Dtype::Fp32, {kit.block()})),
      rows_(kit.builder.sbuf(kit.block(), Dtype::Fp32, {1})),
      identity_(kit.builder.sbuf(kit.block(), dtype, {kit.block()})) {
    builder::KernelBuilder& builder = kit.builder;
    const Tile one = builder.sbuf(1, Dtype::Fp32, {1});
    builder.memset(one, 1.0f);
    builder.memset(columns_, 1.0f);
    builder.tensor_scalar_cumulative(columns_, columns_, {}, AluOp::Add);
    const Tile psum = builder.psum(builder::Bank{0}, kit.block(), 1);
    builder.load_stationary(columns_.partition_slice(0, 1));
    builder.multiply_moving(psum, one);
    builder.tensor_copy(rows_, psum);
    builder.tensor_scalar(identity_, columns_, {AluOp::IsEqual, rows_});
}

std::uint64_t Transposer::bytes(const Kit& kit, Dtype dtype) {
    return ring_bytes(kit.block(), Dtype::Fp32, 1) + ring_bytes(1, Dtype::Fp32, 2) +
           ring_bytes(kit.block(), dtype, 1);
}

void Transposer::operator()(const Tile& result, const Tile& source) {
    kit_->builder.load_stationary(source);
    const std::uint32_t rows = source.partitions;
    kit_->builder.multiply_moving(result, identity_.partition_slice(0, rows).slice(0, 0, rows),
                                  {.onezero = true});
}

Tile Transposer::up_to_diagonal() {
    const Tile tile = kit_->builder.sbuf(kit_->block(), Dtype::U8, {kit_->block()});
    kit_->builder.tensor_scalar(tile, columns_, {AluOp::LessEqual, rows_});
    return tile;
}

}  // namespace trnsim::kernels
