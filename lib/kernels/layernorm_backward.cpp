#include "lib/kernels/layernorm_backward.hpp"

#include <algorithm>
#include <limits>

#include "lib/kernels/column_sums.hpp"
#include "lib/kernels/descriptions.hpp"
#include "lib/kernels/outputs.hpp"
#include "lib/kernels/rings.hpp"
#include "lib/kernels/rows.hpp"
#include "lib/kernels/statistics.hpp"

namespace trnsim::kernels {
namespace {

using builder::After;
using builder::Event;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint64_t Slots = 2;
constexpr std::uint32_t Shares = 2;  // of PSUM, for dgamma and dbeta

struct Tensors {
    TensorView x, gamma, dy, dx, dgamma, dbeta;
};

RowCut cut_for(const Kit& kit, const Tensors& t) {
    const neff::Target& target = kit.builder.target();
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
          weighted_(kit, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          products_(kit, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          differences_(kit, cut_.partitions, Dtype::Fp32, cut_.width, Slots),
          means_(kit, cut_.partitions, Dtype::Fp32, Sums + 2 * cut_.chunks(), Slots),
          copied_(builder_.sbuf(cut_.partitions, Dtype::Fp32, {cut_.width})),
          statistics_(kit, cut_, eps),
          ones_(kit, cut_.partitions, t_.x.dtype),
          gradients_(builder_, kit.queues.stores, cut_.partitions, t_.x.dtype, cut_.width, Slots),
          sums_(builder_, kit.queues.stores, 1, Dtype::Fp32, cut_.width, Slots),
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

    // Columns of the means: mean(g), mean(g n) s; then the sums of the chunks.
    static constexpr std::uint32_t MeanOfG = 0, Slope = 1, Sums = 2;

    std::uint32_t chunks() const { return static_cast<std::uint32_t>(cut_.chunks()); }

    void finish_block(std::uint64_t block, const Figures& figures) {
        emit_gradient(block, figures);
        if (chunks() == 1) {
            statistics_.used(figures, add_block(block, 0, figures, {figures.there}));
            return;
        }
        figures_stored_ =
            builder_.store(kit_.queues.stores, stored_part(block),
                           figures.slot.tile.slice(0, 0, RowStatistics::FigureCount), {figures.there});
        statistics_.used(figures, figures_stored_);
    }

    TensorView stored_part(std::uint64_t block) const {
        return stored_figures_.slice(0, block * cut_.partitions, cut_.rows_in(block));
    }

    // g = dy gamma.
    TileRing::Slot weigh(std::uint64_t block, std::uint32_t chunk) {
        const InputRing::Loaded dy = dy_.get(cut_.part(t_.dy, block, chunk));
        const InputRing::Loaded gamma = gamma_.get(cut_.spread(t_.gamma, 0, chunk));
        const TileRing::Slot g = weighted_.next(cut_.rows_in(block), cut_.columns_in(chunk));
        const Event done = builder_.tensor_tensor(g.tile, dy.tile, AluOp::Multiply,
                                                  gamma.tile.partition_slice(0, cut_.rows_in(block)),
                                                  join(dy.ready, gamma.ready, g.free));
        dy_.used(dy, done);
        gamma_.used(gamma, done);
        return g;
    }

    // (x - mean) times another tile. Returns when it is there.
    Event multiply(const Tile& to, const InputRing::Loaded& x, const Figures& figures, const Tile& other,
                   const After& after) {
        const Event done = builder_.scalar_tensor_tensor(to, x.tile, {AluOp::Subtract, figures.mean()},
                                                         AluOp::Multiply, other, join(x.ready, after));
        x_.used(x, done);
        return done;
    }

    // The sum of a tile's columns, by Scalar. Returns when the tile has been read.
    Event add_columns(const Tile& to, const Tile& tile, const After& after) {
        const Tile copy = copied_.partition_slice(0, tile.partitions).slice(0, 0, tile.axes[0].count);
        const Event read = builder_.activation(copy, tile, isa::Activation::Copy,
                                               {.reduce = isa::ReduceCmd::ResetReduce}, after);
        added_ = builder_.act_read_accumulator(to);
        return read;
    }

    void emit_gradient(std::uint64_t block, const Figures& figures) {
        const std::uint32_t rows = cut_.rows_in(block);
        const TileRing::Slot means = means_.next(rows, Sums + 2 * chunks());
        const auto mean = [&](std::uint32_t first, std::uint32_t count = 1) {
            return means.tile.slice(0, first, count);
        };
        TileRing::Slot g;
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            g = weigh(block, chunk);
            const TileRing::Slot product = products_.next(rows, cut_.columns_in(chunk));
            const Event there =
                multiply(product.tile, x_.get(cut_.part(t_.x, block, chunk)), figures, g.tile, product.free);
            weighted_.used(g, add_columns(mean(Sums + chunk), g.tile, join(there, means.free)));
            products_.used(product, add_columns(mean(Sums + chunks() + chunk), product.tile, {there}));
        }
        const float share = 1.0f / static_cast<float>(cut_.columns);
        builder_.tensor_reduce(mean(MeanOfG), mean(Sums, chunks()), AluOp::Add, 1, {added_});
        builder_.tensor_scalar(mean(MeanOfG), mean(MeanOfG), {AluOp::Multiply, share});
        builder_.tensor_reduce(mean(Slope), mean(Sums + chunks(), chunks()), AluOp::Add);
        builder_.tensor_scalar(mean(Slope), mean(Slope), {AluOp::Multiply, share},
                               {AluOp::Multiply, figures.scale()}, {figures.there});
        builder_.tensor_scalar(mean(Slope), mean(Slope), {AluOp::Multiply, figures.scale()});
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            if (chunks() > 1) g = weigh(block, chunk);
            const InputRing::Loaded x = x_.get(cut_.part(t_.x, block, chunk));
            const TileRing::Slot difference = differences_.next(rows, cut_.columns_in(chunk));
            x_.used(x,
                    builder_.tensor_scalar(difference.tile, x.tile, {AluOp::Subtract, figures.mean()},
                                           {AluOp::Multiply, mean(Slope)}, join(x.ready, difference.free)));
            const Event there = builder_.scalar_tensor_tensor(
                difference.tile, g.tile, {AluOp::Subtract, mean(MeanOfG)}, AluOp::Subtract, difference.tile);
            weighted_.used(g, there);
            means_.used(means, there);
            const OutputRing::Slot out = gradients_.next(rows, cut_.columns_in(chunk));
            const Event scaled =
                builder_.tensor_scalar(out.tile, difference.tile, {AluOp::Multiply, figures.scale()}, {},
                                       join(there, out.writable), isa::Rounding::Core, isa::Engine::Scalar);
            differences_.used(difference, scaled);
            statistics_.used(figures, there);
            statistics_.used(figures, scaled);
            gradients_.store(cut_.part(t_.dx, block, chunk), out, scaled);
        }
    }

    // Adds a block to the sums of a chunk. Returns when the figures have been read.
    Event add_block(std::uint64_t block, std::uint32_t chunk, const Figures& figures, const After& after) {
        const InputRing::Loaded dy = dy_.get(cut_.part(t_.dy, block, chunk));
        const TileRing::Slot product = products_.next(cut_.rows_in(block), cut_.columns_in(chunk));
        const Event there = multiply(product.tile, x_.get(cut_.part(t_.x, block, chunk)), figures, dy.tile,
                                     join(dy.ready, product.free, after));
        dy_.used(dy, beta_sums_.add(dy.tile, ones_.tile.partition_slice(0, dy.tile.partitions), {there}));
        const Event added = gamma_sums_.add(product.tile, figures.scale(), {there});
        products_.used(product, added);
        return added;
    }

    // Chunk by chunk, with the figures of each row from HBM.
    void add_rows() {
        builder_.wait(isa::Engine::Sync, {figures_stored_});
        InputRing loaded_figures(kit_, cut_.partitions, Dtype::Fp32, RowStatistics::FigureCount, Slots);
        for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
            for (std::uint64_t block = 0; block < cut_.blocks(); ++block) {
                const InputRing::Loaded loaded = loaded_figures.get(stored_part(block));
                loaded_figures.used(loaded,
                                    add_block(block, chunk, {{loaded.tile, {}, 0}, {}}, loaded.ready));
            }
            store_sums(chunk);
        }
    }

    void store_sums(std::uint32_t chunk) {
        const std::uint32_t columns = cut_.columns_in(chunk);
        const auto store = [&](ColumnSums& sums, const TensorView& to) {
            const OutputRing::Slot out = sums_.next(1, columns);
            sums_.store(to.slice(0, std::uint64_t{chunk} * cut_.width, columns).split(0, columns), out,
                        sums.take(out.tile, out.writable));
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
    Ones ones_;
    OutputRing gradients_, sums_;
    ColumnSums gamma_sums_, beta_sums_;
    TensorView stored_figures_;  // of all rows, when there are several chunks
    Event added_, figures_stored_;
};

neff::Package build_layernorm_backward(const Arguments& arguments, const builder::Target& target) {
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
