#include "lib/kernels/linear.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/builder/error.hpp"
#include "lib/builder/memory.hpp"
#include "lib/kernels/operand.hpp"
#include "lib/kernels/outputs.hpp"

namespace trnsim::kernels {
namespace {

using builder::After;
using builder::Event;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint64_t Slots = 2;

struct Plan {
    std::uint32_t block = 1;  // rows of x, and of a K tile
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
             std::min<std::uint64_t>(builder::bank_columns(kit.builder.target()), layer.w.axes[1].count));
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
        : builder_(kit.builder),
          layer_(layer),
          plan_(plan_linear(kit, layer)),
          banks_(kit, 0, kit.banks()),
          transposer_(kit, layer.x.dtype),
          inputs_(kit, plan_.block, layer.x.dtype, plan_.block, Slots),
          turned_(kit, plan_.block, layer.x.dtype, plan_.k_tiles(layer) * plan_.block, Slots),
          weights_(kit, plan_.block, layer.x.dtype, plan_.width, plan_.weights),
          biases_(kit, plan_.block, Dtype::Fp32, plan_.width, Slots),
          residuals_(kit, plan_.block, layer.residual ? layer.residual->dtype : Dtype::Fp32, plan_.width,
                     Slots),
          sums_(kit, plan_.block, Dtype::Fp32, plan_.width, Slots),
          outputs_(builder_, kit.queues.stores, plan_.block, layer.y.dtype, plan_.width, Slots) {}

    Event emit() {
        for (std::uint64_t first = 0; first < layer_.x.axes[0].count; first += plan_.block) {
            const TileRing::Slot turned = turn(first);
            for (std::uint64_t column = 0; column < layer_.w.axes[1].count; column += plan_.width)
                multiply(first, column, turned);
        }
        return stored_;
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
    Tile part(const TileRing::Slot& turned, std::uint64_t tile, std::uint32_t k, std::uint32_t rows) const {
        return turned.tile.partition_slice(0, k).slice(0, static_cast<std::uint32_t>(tile) * plan_.block,
                                                       rows);
    }

    // A block of rows of x, turned: K tiles side by side.
    TileRing::Slot turn(std::uint64_t first) {
        const std::uint32_t rows = rows_from(first);
        const auto tiles = static_cast<std::uint32_t>(plan_.k_tiles(layer_));
        const TileRing::Slot turned = turned_.next(plan_.block, tiles * plan_.block);
        for (std::uint32_t tile = 0; tile < tiles; ++tile) {
            const std::uint64_t k_first = std::uint64_t{tile} * plan_.block;
            const std::uint32_t k = k_from(k_first);
            const InputRing::Loaded in = inputs_.get(layer_.x.slice(0, first, rows).slice(1, k_first, k));
            const BankRing::Slot bank = banks_.next(k, rows);
            const Event there = transposer_(bank.tile, in.tile, join(in.ready, bank.free));
            inputs_.used(in, there);
            turned_there_ =
                builder_.tensor_copy(part(turned, tile, k, rows), bank.tile, join(there, turned.free));
            banks_.used(bank, turned_there_);
        }
        return turned;
    }

    void multiply(std::uint64_t first, std::uint64_t column, const TileRing::Slot& turned) {
        const std::uint32_t rows = rows_from(first);
        const auto width =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.width, layer_.w.axes[1].count - column));
        const BankRing::Slot bank = banks_.next(rows, width);
        Event multiplied;
        for (std::uint64_t tile = 0; tile < plan_.k_tiles(layer_); ++tile) {
            const std::uint64_t k_first = tile * plan_.block;
            const std::uint32_t k = k_from(k_first);
            const InputRing::Loaded weight =
                weights_.get(layer_.w.slice(0, k_first, k).slice(1, column, width));
            builder_.load_stationary(part(turned, tile, k, rows),
                                     join(turned_there_, weight.ready, bank.free));
            multiplied = builder_.multiply_moving(bank.tile, weight.tile, tile > 0);
            weights_.used(weight, multiplied);
        }
        turned_.used(turned, multiplied);
        finish(first, column, bank, multiplied);
    }

    // Bias, function and residual, each on the way out of the step before.
    void finish(std::uint64_t first, std::uint64_t column, const BankRing::Slot& bank, Event multiplied) {
        const std::uint32_t rows = bank.tile.partitions, width = bank.tile.axes[0].count;
        const OutputRing::Slot out = outputs_.next(rows, width);
        const TileRing::Slot sum = sums_.next(rows, width);
        const bool more = layer_.gelu || layer_.residual;
        Event done = multiplied;
        Tile value = bank.tile;
        if (layer_.bias) {
            TensorView view = layer_.bias->slice(0, column, width);
            view.axes.insert(view.axes.begin(), {plan_.block, 0});
            const InputRing::Loaded bias = biases_.get(view);
            const Tile to = more ? sum.tile : out.tile;
            done = builder_.tensor_tensor(to, value, AluOp::Add, bias.tile.partition_slice(0, rows),
                                          join(done, bias.ready, sum.free, out.writable));
            biases_.used(bias, done);
            banks_.used(bank, done);
            value = to;
        }
        if (layer_.gelu) {
            const Tile to = layer_.residual ? sum.tile : out.tile;
            done =
                builder_.activation(to, value, isa::Activation::Gelu, {}, join(done, sum.free, out.writable));
            if (!layer_.bias) banks_.used(bank, done);
            sums_.used(sum, done);
            value = to;
        }
        if (layer_.residual) {
            const InputRing::Loaded residual =
                residuals_.get(layer_.residual->slice(0, first, rows).slice(1, column, width));
            done = builder_.tensor_tensor(out.tile, value, AluOp::Add, residual.tile,
                                          join(done, residual.ready, out.writable));
            residuals_.used(residual, done);
            if (!layer_.bias && !layer_.gelu) banks_.used(bank, done);
        }
        if (!layer_.bias && !more) {
            done = builder_.tensor_copy(out.tile, value, join(done, out.writable));
            banks_.used(bank, done);
        }
        sums_.used(sum, done);
        stored_ = outputs_.store(layer_.y.slice(0, first, rows).slice(1, column, width), out, done);
    }

    builder::KernelBuilder& builder_;
    Linear layer_;
    Plan plan_;
    BankRing banks_;
    Transposer transposer_;
    InputRing inputs_;
    TileRing turned_;
    InputRing weights_, biases_, residuals_;
    TileRing sums_;
    OutputRing outputs_;
    Event turned_there_, stored_;
};

}  // namespace

Event emit_linear(Kit& kit, const Linear& layer) {
    return LinearLayer(kit, layer).emit();
}

}  // namespace trnsim::kernels
