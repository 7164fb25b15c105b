#include "compiler/kernels/mlp.hpp"

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/mlp_plan.hpp"
#include "compiler/kernels/queues.hpp"
#include "compiler/kernels/rings.hpp"

namespace trnsim::kernels {
namespace {

using builder::AluStep;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;

// A bias vector as [tile, tiles] fp32: column t belongs to output tile t.
class Bias {
  public:
    Bias(KernelBuilder& builder, builder::Queue queue, const TensorView& vector, std::uint32_t tile)
        : tile_(tile) {
        const std::uint64_t size = vector.axes[0].count;
        const auto whole = static_cast<std::uint32_t>(size / tile);
        const auto rest = static_cast<std::uint32_t>(size % tile);
        columns_ = builder.sbuf(tile, isa::Dtype::Fp32, {whole + (rest != 0 ? 1 : 0)});
        if (whole > 0) {
            const TensorView from =
                vector.slice(0, 0, std::uint64_t{whole} * tile).split(0, tile).swapped(0, 1);
            builder.load(queue, columns_.slice(0, 0, whole), from);
        }
        if (rest > 0) {
            const TensorView from =
                vector.slice(0, std::uint64_t{whole} * tile, rest).split(0, rest).swapped(0, 1);
            builder.load(queue, columns_.slice(0, whole, 1).partition_slice(0, rest), from);
        }
    }

    // Returns the step for the `count` units from `first`, the beginning of an output tile.
    AluStep add(std::uint64_t first, std::uint32_t count) const {
        const Tile column = columns_.slice(0, static_cast<std::uint32_t>(first / tile_), 1);
        return {isa::AluOp::Add, column.partition_slice(0, count)};
    }

  private:
    std::uint32_t tile_;
    Tile columns_;
};

// The hidden layer of two batch tiles in SBUF: the second layer reads one while the first layer writes the
// other.
class HiddenLayer : public ChunkSource {
  public:
    HiddenLayer(KernelBuilder& builder, isa::Dtype dtype, const KCut& cut, std::uint32_t batch_tile,
                std::uint64_t buffers)
        : cut_(cut), buffers_(buffers) {
        const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(cut.tile, cut.rows));
        for (Buffer& buffer : buffers_) {
            buffer.tile = builder.sbuf(rows, dtype, {static_cast<std::uint32_t>(cut.tiles()), batch_tile});
        }
    }

    // Returns the place of hidden tile `index` of batch tile `panel`.
    Tile slot(std::uint64_t index, std::uint64_t panel, const TileGroup::Part& samples) {
        Buffer& buffer = of(panel);
        buffer.samples = samples.count;
        return buffer.tile.at(0, static_cast<std::uint32_t>(index))
            .partition_slice(0, cut_.rows_in(index))
            .slice(0, 0, samples.count);
    }

    Chunk get(std::uint64_t chunk, std::uint64_t panel) override {
        const Buffer& buffer = of(panel);
        const auto first = static_cast<std::uint32_t>(chunk * cut_.chunk);
        return {buffer.tile.slice(0, first, cut_.tiles_in(chunk)).slice(1, 0, buffer.samples), {}};
    }

  private:
    struct Buffer {
        Tile tile;
        std::uint32_t samples = 0;
    };
    Buffer& of(std::uint64_t panel) { return buffers_[panel % buffers_.size()]; }

    KCut cut_;
    std::vector<Buffer> buffers_;
};

std::vector<TileGroup> layer_groups(const Blocking& blocking, std::uint64_t units, std::uint64_t panel,
                                    const TileGroup::Part& samples) {
    std::vector<TileGroup> groups;
    for (std::uint64_t s = 0; s * blocking.stationary_width < units; ++s) {
        const TileGroup::Part part = part_of(s * blocking.stationary_width, blocking.stationary_width, units);
        append_groups(groups, blocking, s, part.count, panel, samples);
    }
    return groups;
}

neff::Package build_mlp(const Arguments& arguments, const target::Chip& target) {
    const MlpShape shape{arguments.count("batch"), arguments.count("inputs"), arguments.count("hidden"),
                         arguments.count("outputs"), arguments.dtype("dtype")};
    using Kind = neff::TensorKind;
    KernelBuilder builder("mlp", arguments.text(), target);
    const TensorView x = builder.tensor("x", Kind::Input, shape.dtype, {shape.inputs, shape.batch});
    const TensorView w1 = builder.tensor("w1", Kind::Input, shape.dtype, {shape.inputs, shape.hidden});
    const TensorView b1 = builder.tensor("b1", Kind::Input, isa::Dtype::Fp32, {shape.hidden});
    const TensorView w2 = builder.tensor("w2", Kind::Input, shape.dtype, {shape.hidden, shape.outputs});
    const TensorView b2 = builder.tensor("b2", Kind::Input, isa::Dtype::Fp32, {shape.outputs});
    const TensorView y = builder.tensor("y", Kind::Output, isa::Dtype::Fp32, {shape.outputs, shape.batch});

    const MlpPlan plan = plan_mlp(shape, target, builder.sbuf_left());
    const Blocking& first = plan.first;
    const Blocking& second = plan.second;
    const Queues queues(builder);
    OperandRing weights1(builder, queues.loads, w1, first.cut, first.stationary_width,
                         first.stationary_slots);
    OperandRing samples(builder, queues.loads, x, first.cut, first.moving_width, first.moving_slots);
    OperandRing weights2(builder, queues.loads, w2, second.cut, second.stationary_width,
                         second.stationary_slots);
    HiddenLayer hidden(builder, shape.dtype, second.cut, plan.batch_tile, second.moving_slots);
    TileRing outputs(builder, second.m_tile, isa::Dtype::Fp32, plan.batch_tile, second.output_slots);
    const Bias bias1(builder, queues.loads, b1, first.m_tile);
    const Bias bias2(builder, queues.loads, b2, second.m_tile);
    TileGroupRunner runner(builder);

    const auto part = [&](std::uint64_t panel) {
        return part_of(panel * plan.batch_tile, plan.batch_tile, shape.batch);
    };
    const auto first_layer = [&](std::uint64_t panel) {
        const TileGroup::Part columns{0, part(panel).count};
        for (const TileGroup& group : layer_groups(first, shape.hidden, panel, columns)) {
            runner.run(group, first.cut, weights1, samples, [&](std::size_t index, const Tile& psum) {
                const std::uint64_t unit =
                    group.stationary_panel * first.stationary_width + group.stationary[index].first;
                const AluStep relu{isa::AluOp::Max, 0.0f};
                builder.tensor_scalar(hidden.slot(unit / first.m_tile, panel, columns), psum,
                                      bias1.add(unit, psum.partitions), relu);
            });
        }
    };
    const auto second_layer = [&](std::uint64_t panel) {
        const TileGroup::Part columns{0, part(panel).count};
        for (const TileGroup& group : layer_groups(second, shape.outputs, panel, columns)) {
            runner.run(group, second.cut, weights2, hidden, [&](std::size_t index, const Tile& psum) {
                const std::uint64_t unit =
                    group.stationary_panel * second.stationary_width + group.stationary[index].first;
                const Tile result = outputs.next(psum.partitions, columns.count);
                builder.tensor_scalar(result, psum, bias2.add(unit, psum.partitions));
                builder.store(queues.stores,
                              y.slice(0, unit, psum.partitions).slice(1, part(panel).first, columns.count),
                              result);
            });
        }
    };
    // The second layer of a batch tile runs after the first layer of the next one, while Vector finishes the
    // hidden units of that.
    const std::uint64_t panels = plan.batch_tiles(shape);
    for (std::uint64_t panel = 0; panel <= panels; ++panel) {
        if (panel < panels) first_layer(panel);
        if (panel > 0) second_layer(panel - 1);
    }
    return builder.finish();
}

constexpr std::array MlpArguments{
    ArgumentInfo{"batch", "samples", ArgumentKind::Count, ""},
    ArgumentInfo{"inputs", "features of a sample", ArgumentKind::Count, ""},
    ArgumentInfo{"hidden", "units of the hidden layer", ArgumentKind::Count, ""},
    ArgumentInfo{"outputs", "results of a sample", ArgumentKind::Count, ""},
    DtypeArgument,
};
constexpr std::array MlpInputs{
    TensorInfo{"x", "[inputs, batch] dtype: one sample a column"},
    TensorInfo{"w1", "[inputs, hidden] dtype"},
    TensorInfo{"b1", "[hidden] fp32"},
    TensorInfo{"w2", "[hidden, outputs] dtype"},
    TensorInfo{"b2", "[outputs] fp32"},
};
constexpr std::array MlpOutputs{
    TensorInfo{"y", "[outputs, batch] fp32: w2.T @ h + b2 with h = relu(w1.T @ x + b1) rounded to dtype"},
};

}  // namespace

constinit const Kernel MlpKernel{
    "mlp",        "y = w2.T @ relu(w1.T @ x + b1) + b2: a network with one hidden layer",
    MlpArguments, MlpInputs,
    MlpOutputs,   build_mlp};

}  // namespace trnsim::kernels
