#include "compiler/kernels/layernorm_backward.hpp"

#include <algorithm>
#include <limits>

#include "compiler/kernels/column_sums.hpp"
#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"
#include "compiler/kernels/statistics.hpp"

namespace trnsim::kernels {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint32_t Shares = 2;  // of PSUM, for dgamma and dbeta

struct Tensors {
    TensorView x, gamma, dy, dx, dgamma, dbeta;
};

RowCut cut_for(const Kit& kit, const Tensors& t) {
    const target::Core& target = kit.builder.target();
    const std::uint32_t widest = ColumnSums::max_columns(target, Shares);
    RowCut cut =
        cut_rows(kit, t.x.axes[0].count, t.x.axes[1].count, [&](std::uint64_t width, std::uint64_t chunks) {
            if (width > widest) return std::numeric_limits<std::uint64_t>::max();
            return ring_bytes(width, t.x.dtype, 3 * Slots) + ring_bytes(width, Dtype::Fp32, 5 * Slots + 1) +
                   ring_bytes(2 + 2 * chunks, Dtype::Fp32, Slots) + ring_bytes(1, t.x.dtype, 1) +
                   ring_bytes(RowStatistics::FigureCount, Dtype::Fp32, Slots) +
                   RowStatistics::bytes(width, chunks);
        });
    cut.partitions = std::min(cut.partitions, ColumnSums::max_rows(target));
    return cut;
}

class LayernormBackward {
  public:
    LayernormBackward(Kit& kit, const Tensors& tensors, float eps)
        : kit_(kit),
          builder_(kit.builder),
          t_(tensors),
          cut_(cut_for(kit, tensors)),
          x_(kit, cut_.partitions, t_.x.dtype, cut_.width, Slots),
          dy_(kit, cut_.partitions, t_.x.dtype, cut_.width, Slots),
          gamma_(kit, cut_.partitions, Dtype::Fp32, cut_.width, chunks() == 1 ? 1 : Slots),
          weighted_(kit.builder, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          products_(kit.builder, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          differences_(kit.builder, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          means_(kit.builder, cut_.partitions, Dtype::Fp32, Sums + 2 * cut_.chunks(), Slots),
          copied_(builder_.sbuf(cut_.partitions, Dtype::Fp32, {cut_.width})),
          statistics_(kit, cut_, eps),
          ones_(ones(kit, cut_.partitions, t_.x.dtype)),
          gradients_(kit.builder, cut_.partitions, t_.x.dtype, cut_.width, Slots),
          sums_(kit.builder, 1, Dtype::Fp32, cut_.width, Slots),
          gamma_sums_(kit, 0, Shares),
          beta_sums_(kit, 1, Shares) {
        if (chunks() > 1) {
            stored_figures_ = builder_.tensor("statistics", neff::TensorKind::Scratch, Dtype::Fp32,
                                              {cut_.rows, RowStatistics::FigureCount});
        }
    }

    void emit() {
        for_blocks(
            cut_, [this](std::uint64_t block) { return statistics_.find(t_.x, block, x_); },
            [this](std::uint64_t block, const Figures& figures) { finish_block(block, figures); });
        if (chunks() == 1) {
            store_sums(0);
        } else {
            add_rows();
        }
    }

  private:
    using Figures = RowStatistics::Figures;

    // Columns of the means: mean(g), mean(g n) s; the sums of the chunks follow.
    static constexpr std::uint32_t MeanOfG = 0, Slope = 1, Sums = 2;

    std::uint32_t chunks() const { return static_cast<std::uint32_t>(cut_.chunks()); }

    void finish_block(std::uint64_t block, const Figures& figures) {
        emit_gradient(block, figures);
        if (chunks() == 1) {
            add_block(block, 0, figures);
        } else {
            kit_.store(stored_part(block), figures.tile.slice(0, 0, RowStatistics::FigureCount));
        }
    }

    TensorView stored_part(std::uint64_t block) const {
        return stored_figures_.slice(0, block * cut_.partitions, cut_.rows_in(block));
    }

    // Computes g = dy gamma.
    Tile weigh(std::uint64_t block, std::uint32_t chunk) {
        const Tile dy = dy_.get(cut_.part(t_.dy, block, chunk));
        const Tile gamma = gamma_.get(cut_.spread(t_.gamma, 0, chunk));
        const Tile g = weighted_.next(cut_.rows_in(block), cut_.columns_in(chunk));
        builder_.tensor_tensor(g, dy, AluOp::Multiply, gamma.partition_slice(0, cut_.rows_in(block)));
        return g;
    }

    // Multiplies (x - mean) by another tile.
    void multiply(const Tile& to, const Tile& x, const Figures& figures, const Tile& other) {
        builder_.scalar_tensor_tensor(to, x, {AluOp::Subtract, figures.mean()}, AluOp::Multiply, other);
    }

    // Adds up a tile's columns on Scalar.
    void add_columns(const Tile& to, const Tile& tile) {
        const Tile copy = copied_.partition_slice(0, tile.partitions).slice(0, 0, tile.axes[0].count);
        builder_.activation(copy, tile, isa::Activation::Copy, {.reduce = isa::ReduceCmd::ResetReduce});
        builder_.act_read_accumulator(to);
    }

    void emit_gradient(std::uint64_t block, const Figures& figures) {
        const std::uint32_t rows = cut_.rows_in(block);
        const Tile means = means_.next(rows, Sums + 2 * chunks());
        const auto mean = [&](std::uint32_t first, std::uint32_t count = 1) {
            return means.slice(0, first, count);
        };
        Tile g;
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            g = weigh(block, chunk);
            const Tile product = products_.next(rows, cut_.columns_in(chunk));
            multiply(product, x_.get(cut_.part(t_.x, block, chunk)), figures, g);
            add_columns(mean(Sums + chunk), g);
            add_columns(mean(Sums + chunks() + chunk), product);
        }
        const float share = 1.0f / static_cast<float>(cut_.columns);
        builder_.tensor_reduce(mean(MeanOfG), mean(Sums, chunks()), AluOp::Add);
        builder_.tensor_scalar(mean(MeanOfG), mean(MeanOfG), {AluOp::Multiply, share});
        builder_.tensor_reduce(mean(Slope), mean(Sums + chunks(), chunks()), AluOp::Add);
        builder_.tensor_scalar(mean(Slope), mean(Slope), {AluOp::Multiply, share},
                               {AluOp::Multiply, figures.scale()});
        builder_.tensor_scalar(mean(Slope), mean(Slope), {AluOp::Multiply, figures.scale()});
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            if (chunks() > 1) g = weigh(block, chunk);
            const Tile x = x_.get(cut_.part(t_.x, block, chunk));
            const Tile difference = differences_.next(rows, cut_.columns_in(chunk));
            builder_.tensor_scalar(difference, x, {AluOp::Subtract, figures.mean()},
                                   {AluOp::Multiply, mean(Slope)});
            builder_.scalar_tensor_tensor(difference, g, {AluOp::Subtract, mean(MeanOfG)}, AluOp::Subtract,
                                          difference);
            const Tile out = gradients_.next(rows, cut_.columns_in(chunk));
            builder_.tensor_scalar(out, difference, {AluOp::Multiply, figures.scale()}, {},
                                   {.engine = isa::Engine::Scalar});
            kit_.store(cut_.part(t_.dx, block, chunk), out);
        }
    }

    // Adds a block to the sums of a chunk.
    void add_block(std::uint64_t block, std::uint32_t chunk, const Figures& figures) {
        const Tile dy = dy_.get(cut_.part(t_.dy, block, chunk));
        const Tile product = products_.next(cut_.rows_in(block), cut_.columns_in(chunk));
        multiply(product, x_.get(cut_.part(t_.x, block, chunk)), figures, dy);
        beta_sums_.add(dy, ones_.partition_slice(0, dy.partitions));
        gamma_sums_.add(product, figures.scale());
    }

    // Adds all rows chunk by chunk, with the figures of each row from HBM.
    void add_rows() {
        InputRing loaded_figures(kit_, cut_.partitions, Dtype::Fp32, RowStatistics::FigureCount, Slots);
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            for (std::uint64_t block = 0; block < cut_.blocks(); ++block)
                add_block(block, chunk, {loaded_figures.get(stored_part(block))});
            store_sums(chunk);
        }
    }

    void store_sums(std::uint32_t chunk) {
        const std::uint32_t columns = cut_.columns_in(chunk);
        const auto store = [&](ColumnSums& sums, const TensorView& to) {
            const Tile out = sums_.next(1, columns);
            sums.take(out);
            kit_.store(to.slice(0, std::uint64_t{chunk} * cut_.width, columns).split(0, columns), out);
        };
        store(gamma_sums_, t_.dgamma);
        store(beta_sums_, t_.dbeta);
    }

    Kit& kit_;
    KernelBuilder& builder_;
    Tensors t_;
    RowCut cut_;
    InputRing x_, dy_, gamma_;
    TileRing weighted_, products_, differences_, means_;
    Tile copied_;
    RowStatistics statistics_;
    Tile ones_;
    TileRing gradients_, sums_;
    ColumnSums gamma_sums_, beta_sums_;
    TensorView stored_figures_;  // figures of all rows if there are several chunks
};

neff::Package build_layernorm_backward(const Arguments& arguments, const target::Chip& target) {
    using Kind = neff::TensorKind;
    KernelBuilder builder("layernorm_backward", arguments.text(), target);
    const Dtype dtype = arguments.dtype("dtype");
    const std::uint64_t rows = arguments.count("rows"), columns = arguments.count("cols");
    const Tensors tensors{builder.tensor("x", Kind::Input, dtype, {rows, columns}),
                          builder.tensor("gamma", Kind::Input, Dtype::Fp32, {columns}),
                          builder.tensor("dy", Kind::Input, dtype, {rows, columns}),
                          builder.tensor("dx", Kind::Output, dtype, {rows, columns}),
                          builder.tensor("dgamma", Kind::Output, Dtype::Fp32, {columns}),
                          builder.tensor("dbeta", Kind::Output, Dtype::Fp32, {columns})};
    Kit kit(builder);
    LayernormBackward(kit, tensors, static_cast<float>(arguments.number("eps"))).emit();
    return builder.finish();
}

constexpr std::array LayernormBackwardInputs{MatrixIn, GammaIn,
                                             TensorInfo{"dy", "[rows, cols] dtype: gradient at y"}};
constexpr std::array LayernormBackwardOutputs{TensorInfo{"dx", "[rows, cols] dtype: gradient at x"},
                                              TensorInfo{"dgamma", "[cols] fp32"},
                                              TensorInfo{"dbeta", "[cols] fp32"}};

}  // namespace

constinit const Kernel LayernormBackwardKernel{"layernorm_backward",
                                               "gradients of layernorm at x, gamma and beta",
                                               NormArguments,
                                               LayernormBackwardInputs,
                                               LayernormBackwardOutputs,
                                               build_layernorm_backward};

}  // namespace trnsim::kernels
