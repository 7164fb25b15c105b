#include "compiler/kernels/matmul.hpp"

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/blocking.hpp"
#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/queues.hpp"
#include "compiler/kernels/rings.hpp"

namespace trnsim::kernels {

using builder::After;
using builder::Tile;

namespace {

neff::Package build_matmul(const Arguments& arguments, const target::Chip& target) {
    const MatmulShape shape{arguments.count("M"), arguments.count("K"), arguments.count("N"),
                            arguments.dtype("dtype")};
    builder::KernelBuilder builder("matmul", arguments.text(), target);
    const auto a = builder.tensor("a", neff::TensorKind::Input, shape.dtype, {shape.k, shape.m});
    const auto b = builder.tensor("b", neff::TensorKind::Input, shape.dtype, {shape.k, shape.n});
    const auto c = builder.tensor("c", neff::TensorKind::Output, isa::Dtype::Fp32, {shape.m, shape.n});

    const Blocking plan = plan_blocking(shape, target, builder.sbuf_left());
    const Queues queues(builder);
    OperandRing stationary(builder, queues.loads, a, plan.cut, plan.stationary_width, plan.stationary_slots);
    OperandRing moving(builder, queues.loads, b, plan.cut, plan.moving_width, plan.moving_slots);
    TileRing outputs(builder, plan.m_tile, isa::Dtype::Fp32, plan.n_tile, plan.output_slots);
    TileGroupRunner runner(builder);

    After start;  // the first matmul comes after these, so that loads do not stall it later
    for (const ChunkName& name : plan_prefetch(shape, plan, target, stationary, moving)) {
        start.push_back((name.stationary ? stationary : moving).get(name.chunk, name.panel).there);
    }
    for (const TileGroup& group : plan_groups(shape, plan)) {
        const auto evacuate = [&](std::size_t index, const Tile& psum) {
            const TileGroup::Part& rows = group.stationary[index];
            const Tile result = outputs.next(rows.count, group.moving.count);
            builder.tensor_copy(result, psum);
            builder.store(queues.stores,
                          c.slice(0, group.stationary_panel * plan.stationary_width + rows.first, rows.count)
                              .slice(1, group.moving_panel * plan.moving_width + group.moving.first,
                                     group.moving.count),
                          result);
        };
        runner.run(group, plan.cut, stationary, moving, evacuate, start);
        start.clear();
    }
    return builder.finish();
}

constexpr std::array MatmulArguments{
    ArgumentInfo{"M", "rows of c", ArgumentKind::Count, ""},
    ArgumentInfo{"K", "contraction", ArgumentKind::Count, ""},
    ArgumentInfo{"N", "columns of c", ArgumentKind::Count, ""},
    DtypeArgument,
};
constexpr std::array MatmulInputs{
    TensorInfo{"a", "[K, M] dtype: the left operand, transposed"},
    TensorInfo{"b", "[K, N] dtype: the right operand"},
};
constexpr std::array MatmulOutputs{TensorInfo{"c", "[M, N] fp32: a.T @ b"}};

}  // namespace

constinit const Kernel MatmulKernel{
    "matmul", "c = a.T @ b, fp32 accumulation", MatmulArguments, MatmulInputs, MatmulOutputs, build_matmul};

}  // namespace trnsim::kernels
