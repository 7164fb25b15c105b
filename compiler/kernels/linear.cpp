#include "compiler/kernels/linear.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/target/memory.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/kernels/operand.hpp"
#include "compiler/kernels/rings.hpp"

namespace trnsim::kernels {
namespace {

using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

struct Plan {
    std::uint32_t block = 1;  // rows of x, and rows of a K tile
    std::uint32_t width = 1;  // columns of y at a time
    std::uint64_t weights = Slots;

    std::uint64_t k_tiles(const Linear& layer) const { return div_up(layer.x.axes[1].count, block); }
    std::uint64_t columns(const Linear& layer) const { return div_up(layer.w.axes[1].count, width); }
};

std::uint64_t bytes_of(const Kit& kit, const Linear& layer, const Plan& plan) {
    const Dtype dtype = layer.x.dtype;
    const Dtype residual = layer.residual ? layer.residual->dtype : Dtype::Fp32;
    return Transposer::bytes(kit, dtype) + ring_bytes(plan.block, dtype, Slots) +
           ring_bytes(plan.k_tiles(layer) * plan.block, dtype, Slots) +
           ring_bytes(plan.width, dtype, plan.weights) + ring_bytes(plan.width, Dtype::Fp32, Slots) +
           ring_bytes(plan.width, residual, Slots) + ring_bytes(plan.width, Dtype::Fp32, Slots) +
           ring_bytes(plan.width, layer.y.dtype, Slots);
}

Plan plan_linear(const Kit& kit, const Linear& layer) {
    Plan plan;
    plan.block = kit.block();
    for (plan.width = static_cast<std::uint32_t>(
             std::min<std::uint64_t>(target::bank_columns(kit.builder.target()), layer.w.axes[1].count));
         plan.width > 0; plan.width /= 2) {
        for (const std::uint64_t held : {plan.k_tiles(layer) * plan.columns(layer), Slots}) {
            plan.weights = held;
            if (bytes_of(kit, layer, plan) <= kit.builder.sbuf_left()) return plan;
        }
    }
    throw builder::Error(fmt::format("a layer of {} inputs does not fit {} bytes a partition",
                                     layer.x.axes[1].count, kit.builder.sbuf_left()));
}

class LinearLayer {
  public:
    LinearLayer(Kit& kit, const Linear& layer)
        : kit_(kit),
          builder_(kit.builder),
          layer_(layer),
          plan_(plan_linear(kit, layer)),
          banks_(kit.builder, 0, kit.banks()),
          transposer_(kit, layer.x.dtype),
          inputs_(kit, plan_.block, layer.x.dtype, plan_.block, Slots),
          turned_(kit.builder, plan_.block, layer.x.dtype, plan_.k_tiles(layer) * plan_.block, Slots),
          weights_(kit, plan_.block, layer.x.dtype, plan_.width, plan_.weights),
          biases_(kit, plan_.block, Dtype::Fp32, plan_.width, Slots),
          residuals_(kit, plan_.block, layer.residual ? layer.residual->dtype : Dtype::Fp32, plan_.width,
                     Slots),
          sums_(kit.builder, plan_.block, Dtype::Fp32, plan_.width, Slots),
          outputs_(kit.builder, plan_.block, layer.y.dtype, plan_.width, Slots) {}

    void emit(const Linear& layer) {
        layer_ = layer;
        for (std::uint64_t first = 0; first < layer_.x.axes[0].count; first += plan_.block) {
            const Tile turned = turn(first);
            for (std::uint64_t column = 0; column < layer_.w.axes[1].count; column += plan_.width)
                multiply(first, column, turned);
        }
    }

  private:
    std::uint32_t rows_from(std::uint64_t first) const {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(plan_.block, layer_.x.axes[0].count - first));
    }
    std::uint32_t k_from(std::uint64_t first) const {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(plan_.block, layer_.x.axes[1].count - first));
    }
    Tile part(const Tile& turned, std::uint64_t tile, std::uint32_t k, std::uint32_t rows) const {
        return turned.partition_slice(0, k).slice(0, static_cast<std::uint32_t>(tile) * plan_.block, rows);
    }

    // Returns a transposed block of rows of x: K tiles side by side.
    Tile turn(std::uint64_t first) {
        const std::uint32_t rows = rows_from(first);
        const auto tiles = static_cast<std::uint32_t>(plan_.k_tiles(layer_));
        const Tile turned = turned_.next(plan_.block, tiles * plan_.block);
        for (std::uint32_t tile = 0; tile < tiles; ++tile) {
            const std::uint64_t k_first = std::uint64_t{tile} * plan_.block;
            const std::uint32_t k = k_from(k_first);
            const Tile bank = banks_.next(k, rows);
            transposer_(bank, inputs_.get(layer_.x.slice(0, first, rows).slice(1, k_first, k)));
            builder_.tensor_copy(part(turned, tile, k, rows), bank);
        }
        return turned;
    }

    void multiply(std::uint64_t first, std::uint64_t column, const Tile& turned) {
        const std::uint32_t rows = rows_from(first);
        const auto width =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.width, layer_.w.axes[1].count - column));
        const Tile bank = banks_.next(rows, width);
        for (std::uint64_t tile = 0; tile < plan_.k_tiles(layer_); ++tile) {
            const std::uint64_t k_first = tile * plan_.block;
            const std::uint32_t k = k_from(k_first);
            const Tile weight = weights_.get(layer_.w.slice(0, k_first, k).slice(1, column, width));
            builder_.load_stationary(part(turned, tile, k, rows));
            builder_.multiply_moving(bank, weight, {.accumulate = tile > 0});
        }
        finish(first, column, bank);
    }

    // Applies bias, function and residual, each to the output of the step before.
    void finish(std::uint64_t first, std::uint64_t column, const Tile& bank) {
        const std::uint32_t rows = bank.partitions, width = bank.axes[0].count;
        const Tile out = outputs_.next(rows, width), sum = sums_.next(rows, width);
        Tile value = bank;
        if (layer_.bias) {
            TensorView view = layer_.bias->slice(0, column, width);
            view.axes.insert(view.axes.begin(), {plan_.block, 0});
            const Tile to = layer_.gelu || layer_.residual ? sum : out;
            builder_.tensor_tensor(to, value, AluOp::Add, biases_.get(view).partition_slice(0, rows));
            value = to;
        }
        if (layer_.gelu) {
            const Tile to = layer_.residual ? sum : out;
            builder_.activation(to, value, isa::Activation::Gelu);
            value = to;
        }
        if (layer_.residual) {
            builder_.tensor_tensor(
                out, value, AluOp::Add,
                residuals_.get(layer_.residual->slice(0, first, rows).slice(1, column, width)));
        } else if (!layer_.bias && !layer_.gelu) {
            builder_.tensor_copy(out, value);
        }
        kit_.store(layer_.y.slice(0, first, rows).slice(1, column, width), out);
    }

    Kit& kit_;
    builder::KernelBuilder& builder_;
    Linear layer_;
    Plan plan_;
    BankRing banks_;
    Transposer transposer_;
    InputRing inputs_;
    TileRing turned_;
    InputRing weights_, biases_, residuals_;
    TileRing sums_, outputs_;
};

}  // namespace

void emit_linear(Kit& kit, const Linear& layer) {
    emit_linear(kit, {&layer, 1});
}

void emit_linear(Kit& kit, std::span<const Linear> layers) {
    LinearLayer emitter(kit, layers.front());
    for (const Linear& layer : layers) emitter.emit(layer);
}

}  // namespace trnsim::kernels
