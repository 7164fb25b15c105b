#include "compiler/kernels/sum.hpp"

#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {

using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

namespace {}  // namespace

void emit_sum(Kit& kit, const TensorView& a, const TensorView& b, const std::optional<TensorView>& bias,
              const TensorView& y) {
    const RowCut cut =
        cut_rows(kit, a.axes[0].count, a.axes[1].count, [&](std::uint64_t width, std::uint64_t) {
            return ring_bytes(width, a.dtype, Slots) + ring_bytes(width, b.dtype, Slots) +
                   ring_bytes(width, Dtype::Fp32, (bias ? 2 : 0) * Slots) + ring_bytes(width, y.dtype, Slots);
        });
    InputRing as(kit, cut.partitions, a.dtype, cut.width, Slots);
    InputRing bs(kit, cut.partitions, b.dtype, cut.width, Slots);
    std::optional<InputRing> biases;
    std::optional<TileRing> sums;
    if (bias) {
        biases.emplace(kit, cut.partitions, Dtype::Fp32, cut.width, Slots);
        sums.emplace(kit.builder, cut.partitions, Dtype::Fp32, cut.width, Slots);
    }
    TileRing outputs(kit.builder, cut.partitions, y.dtype, cut.width, Slots);
    for (std::uint64_t block = 0; block < cut.blocks(); ++block) {
        for (std::uint64_t chunk = 0; chunk < cut.chunks(); ++chunk) {
            const std::uint32_t rows = cut.rows_in(block), columns = cut.columns_in(chunk);
            const Tile out = outputs.next(rows, columns);
            const Tile sum = bias ? sums->next(rows, columns) : out;
            kit.builder.tensor_tensor(sum, as.get(cut.part(a, block, chunk)), AluOp::Add,
                                      bs.get(cut.part(b, block, chunk)));
            if (bias)
                kit.builder.tensor_tensor(out, sum, AluOp::Add, biases->get(cut.spread(*bias, block, chunk)));
            kit.store(cut.part(y, block, chunk), out);
        }
    }
}

}  // namespace trnsim::kernels
