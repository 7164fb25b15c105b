// Instructions that choose elements by a predicate.
#include <cstring>

#include "arch/numerics/format.hpp"
#include "model/values/vector_engine.hpp"

namespace trnsim::fast {

void tensor_copy_predicated(LaneRun& run) {
    const Operation& o = run.operation;
    const bool inverted = o.reverse0;
    const std::uint32_t size = o.dst.size;
    run.write_raw();
    alignas(kernels::Padding) BitRow predicate;
    std::array<std::uint16_t, kernels::ChunkElements> indices;
    alignas(kernels::Padding) std::array<std::uint8_t, 4 * kernels::ChunkElements + kernels::Padding> chosen;
    run.each_row([&](std::uint32_t row, std::size_t count) {
        run.a->bits(row, predicate.data());
        std::uint32_t constant = 0;
        const std::uint8_t* source = nullptr;
        if (o.has_b) {
            source = run.b->elements(row);
        } else {
            constant = numerics::from_fp32(run.imm0(row), o.dst.dtype);
        }
        std::size_t found = 0;
        for (std::size_t i = 0; i < count; ++i) {
            indices[found] = static_cast<std::uint16_t>(i);
            found += (predicate[i] != 0) != inverted ? 1 : 0;
        }
        for (std::size_t i = 0; i < found; ++i) {
            const auto* from = o.has_b ? source + std::size_t{indices[i]} * size
                                       : reinterpret_cast<const std::uint8_t*>(&constant);
            std::memcpy(chosen.data() + i * size, from, size);
        }
        run.nan |= run.dst->put_some(row, std::span(indices).first(found), chosen.data());
    });
}

void select_reduce(LaneRun& run) {
    const Operation& o = run.operation;
    alignas(kernels::Padding) Rows values;
    alignas(kernels::Padding) BitRow predicate;
    run.each_group([&](const Group& group) {
        run.prepare_draws(group.first, group.rows, group.count);
        for (std::uint32_t k = 0; k < group.rows; ++k) {
            const std::uint32_t row = group.first + k;
            float* x = values.data() + k * kernels::RowPitch;
            run.a->widen(row, x);
            run.b->bits(row, predicate.data());
            kernels::select(predicate.data(), o.reverse0, x, run.imm0(row), x, group.count);
            run.put(row, x);
        }
        if (o.reduce_cmd == isa::ReduceCmd::Idle) return;
        accumulate_group(run.state.accumulators, isa::AluOp::Max, group, values,
                         group.done == 0 && o.reduce_cmd == isa::ReduceCmd::ResetReduce);
    });
}

}  // namespace trnsim::fast
