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

Layout layout_of(bool rows_of_k) {
    return rows_of_k ? Layout::RowsOfK : Layout::ColumnsOfK;
}

builder::TensorView operand(builder::KernelBuilder& builder, const char* name, isa::Dtype dtype,
                            std::uint64_t k, std::uint64_t columns, Layout layout) {
    const bool rows_of_k = layout == Layout::RowsOfK;
    return builder.tensor(name, neff::TensorKind::Input, dtype,
                          {rows_of_k ? k : columns, rows_of_k ? columns : k});
}

neff::Package build_matmul(const Arguments& arguments, const target::Chip& target) {
    const MatmulShape shape{arguments.count("M"), arguments.count("K"), arguments.count("N"),
                            arguments.dtype("dtype")};
    builder::KernelBuilder builder("matmul", arguments.text(), target);
    const Layout a_layout = layout_of(arguments.choice("ta") == "1"),
                 b_layout = layout_of(arguments.choice("tb") == "0");
    const auto a = operand(builder, "a", shape.dtype, shape.k, shape.m, a_layout);
    const auto b = operand(builder, "b", shape.dtype, shape.k, shape.n, b_layout);
    const auto c = builder.tensor("c", neff::TensorKind::Output, isa::Dtype::Fp32, {shape.m, shape.n});

    const Blocking plan = plan_blocking(shape, target, builder.sbuf_left());
    const Queues queues(builder);
    OperandRing stationary(builder, queues.loads, a, plan.cut, plan.stationary_width, plan.stationary_slots,
                           a_layout);
    OperandRing moving(builder, queues.loads, b, plan.cut, plan.moving_width, plan.moving_slots, b_layout);
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
    ArgumentInfo{.name = "ta",
                 .doc = "1: a is transposed, [K, M]; 0: it is [M, K]",
                 .kind = ArgumentKind::Choice,
                 .fallback = "1",
                 .choices = "0 1",
                 .quiet = true},
    ArgumentInfo{.name = "tb",
                 .doc = "1: b is transposed, [N, K]; 0: it is [K, N]",
                 .kind = ArgumentKind::Choice,
                 .fallback = "0",
                 .choices = "0 1",
                 .quiet = true},
};
constexpr std::array MatmulInputs{
    TensorInfo{"a", "[K, M] dtype, or [M, K] with ta=0: the left operand"},
    TensorInfo{"b", "[K, N] dtype, or [N, K] with tb=1: the right operand"},
};
constexpr std::array MatmulOutputs{TensorInfo{"c", "[M, N] fp32: a.T @ b, or as ta and tb say"}};

}  // namespace

constinit const Kernel MatmulKernel{
    "matmul", "c = a.T @ b, fp32 accumulation", MatmulArguments, MatmulInputs, MatmulOutputs, build_matmul};

}  // namespace trnsim::kernels
