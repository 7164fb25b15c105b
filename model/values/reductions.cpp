// Reductions, accumulator registers, scans and statistics: operations with a chain from element to element of
// a lane.
#include <algorithm>
#include <memory>
#include <vector>

#include "isa/alu_operations.hpp"
#include "model/values/vector_engine.hpp"

namespace trnsim::fast {

using isa::ReduceCmd;

namespace {

// Reduces the innermost elements of a group's rows, `each` for a result, for as many results as the rows
// have. `Value` is float or std::uint32_t; read(row, values) gets a chunk of a row, put(row, count, results)
// writes results of one.
template <typename Value, typename Read, typename Put>
void reduce_group(LaneRun& run, std::uint32_t first, std::uint32_t rows, Read read, Put put) {
    const Operation& o = run.operation;
    const std::uint64_t each = o.elements / o.dst.elements;
    struct alignas(kernels::Padding) Buffers {
        std::array<Value, kernels::Lanes * kernels::RowPitch> values, results;
        std::array<Value, kernels::Lanes> state;
    };
    const auto buffers = std::make_unique<Buffers>();
    std::uint64_t taken = 0;  // elements of the current result
    std::size_t made = 0;     // results not yet written
    const auto write = [&] {
        if (made == 0) return;
        run.dst->next(made);
        run.prepare_draws(first, rows, made);
        for (std::uint32_t k = 0; k < rows; ++k)
            put(first + k, made, buffers->results.data() + k * kernels::RowPitch);
        made = 0;
    };
    for (std::uint64_t done = 0; done < o.elements; done += kernels::ChunkElements) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kernels::ChunkElements, o.elements - done));
        run.a->next(count);
        for (std::uint32_t k = 0; k < rows; ++k)
            read(first + k, buffers->values.data() + k * kernels::RowPitch);
        for (std::size_t i = 0; i < count;) {
            const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(each - taken, count - i));
            std::size_t begin = i;
            if (taken == 0) {
                for (std::size_t k = 0; k < kernels::Lanes; ++k)
                    buffers->state[k] = buffers->values[k * kernels::RowPitch + i];
                ++begin;
            }
            kernels::reduce(o.op0, buffers->values.data() + begin, buffers->state.data(), i + part - begin);
            i += part;
            taken += part;
            if (taken < each) continue;
            taken = 0;
            for (std::size_t k = 0; k < kernels::Lanes; ++k)
                buffers->results[k * kernels::RowPitch + made] = buffers->state[k];
            if (++made == kernels::ChunkElements) write();
        }
    }
    write();
}

// Runs chains that start from a value for each row and give a result for each element: compute(group, state)
// leaves them in y.
struct alignas(kernels::Padding) ScanBuffers {
    Rows x, y;
};

template <typename Start, typename Compute>
void scan_rows(LaneRun& run, Start start, Compute compute) {
    std::vector<GroupState> states((run.operation.partitions + kernels::Lanes - 1) / kernels::Lanes);
    const auto buffers = std::make_unique<ScanBuffers>();
    run.each_group([&](const Group& group) {
        GroupState& state = states[group.first / kernels::Lanes];
        for (std::uint32_t k = 0; k < group.rows; ++k) {
            run.a->widen(group.first + k, buffers->x.data() + k * kernels::RowPitch);
            if (run.operation.has_b) run.b->widen(group.first + k, buffers->y.data() + k * kernels::RowPitch);
            if (group.done == 0) state.values[k] = start(group.first + k);
        }
        const Rows& results = compute(group, *buffers, state);
        run.prepare_draws(group.first, group.rows, group.count);
        for (std::uint32_t k = 0; k < group.rows; ++k)
            run.put(group.first + k, results.data() + k * kernels::RowPitch);
    });
}

}  // namespace

void accumulate_group(std::vector<float>& accumulators, isa::AluOp op, const Group& group, const Rows& values,
                      bool anew) {
    GroupState state{};
    for (std::uint32_t k = 0; k < group.rows; ++k)
        state.values[k] = anew ? values[k * kernels::RowPitch] : accumulators[group.first + k];
    const std::size_t first = anew ? 1 : 0;
    kernels::reduce(op, values.data() + first, state.values.data(), group.count - first);
    std::copy_n(state.values.begin(), group.rows, accumulators.begin() + group.first);
}

void tensor_reduce(LaneRun& run) {
    const Operation& o = run.operation;
    if (isa::is_bit_operation(o.op0)) {
        return run.each_group_of_rows([&](std::uint32_t first, std::uint32_t rows) {
            alignas(kernels::Padding) std::array<std::uint8_t, 4 * kernels::ChunkElements> elements;
            reduce_group<std::uint32_t>(
                run, first, rows, [&](std::uint32_t row, std::uint32_t* values) { run.a->bits(row, values); },
                [&](std::uint32_t row, std::size_t count, std::uint32_t* results) {
                    kernels::narrow_bits(o.dst.size, results, elements.data(), count);
                    run.put(row, elements.data());
                });
        });
    }
    const bool negate = o.instruction.get(isa::field::Negate) != 0;
    run.each_group_of_rows([&](std::uint32_t first, std::uint32_t rows) {
        reduce_group<float>(
            run, first, rows, [&](std::uint32_t row, float* values) { run.a->widen(row, values); },
            [&](std::uint32_t row, std::size_t count, float* results) {
                if (negate) kernels::operate(isa::AluOp::Multiply, false, results, -1.0F, results, count);
                run.put(row, results);
            });
    });
}

void tensor_scalar_reduce(LaneRun& run) {
    const Operation& o = run.operation;
    const auto buffers = std::make_unique<ScanBuffers>();
    run.each_group([&](const Group& group) {
        run.prepare_draws(group.first, group.rows, group.count);
        for (std::uint32_t k = 0; k < group.rows; ++k) {
            const std::uint32_t row = group.first + k;
            float* x = buffers->x.data() + k * kernels::RowPitch;
            run.a->widen(row, x);
            kernels::operate(o.op0, o.reverse0, x, run.imm0(row), x, group.count);
            run.put(row, x);
            if (group.done == 0 && o.reduce_cmd == ReduceCmd::Reset)
                run.state.accumulators[row] = run.imm1(row);
        }
        accumulate_group(run.state.accumulators, o.op1, group, buffers->x,
                         group.done == 0 && o.reduce_cmd == ReduceCmd::ResetReduce);
    });
}

void tensor_tensor_scan(LaneRun& run) {
    const Operation& o = run.operation;
    scan_rows(
        run, [&](std::uint32_t row) { return run.imm0(row); },
        [&](const Group& group, ScanBuffers& buffers, GroupState& state) -> const Rows& {
            kernels::scan({o.op0, o.reverse0}, {o.op1, o.reverse1}, buffers.x.data(), buffers.y.data(),
                          state.values.data(), group.count);
            return buffers.y;
        });
}

void tensor_scalar_cumulative(LaneRun& run) {
    const Operation& o = run.operation;
    scan_rows(
        run, [](std::uint32_t) { return 0.0F; },
        [&](const Group& group, ScanBuffers& buffers, GroupState& state) -> const Rows& {
            for (std::uint32_t k = 0; k < group.rows; ++k) {
                float* x = buffers.x.data() + k * kernels::RowPitch;
                kernels::operate(o.op0, o.reverse0, x, run.imm0(group.first + k), x, group.count);
                if (group.done == 0) state.values[k] = x[0];
            }
            const std::size_t first = group.done == 0 ? 1 : 0;
            kernels::accumulate({o.op1, o.reverse1}, buffers.x.data() + first, state.values.data(),
                                group.count - first);
            return buffers.x;
        });
}

namespace {

constexpr std::size_t MostOfHalf = 256, ResultsOfHalf = 3;

const std::array<float, MostOfHalf + 1>& reciprocals() {
    static const auto table = [] {
        std::array<float, MostOfHalf + 1> result{};
        for (std::size_t k = 1; k < result.size(); ++k) result[k] = 1.0F / static_cast<float>(k);
        return result;
    }();
    return table;
}

}  // namespace

void bn_stats(LaneRun& run) {
    const auto count = static_cast<std::size_t>(run.operation.elements);
    const auto buffers = std::make_unique<ScanBuffers>();
    run.each_group_of_rows([&](std::uint32_t first, std::uint32_t rows) {
        run.a->next(count);
        for (std::uint32_t k = 0; k < rows; ++k)
            run.a->widen(first + k, buffers->x.data() + k * kernels::RowPitch);
        std::array<kernels::Statistics, 2> halves{};
        for (std::size_t half = 0; half < halves.size(); ++half)
            kernels::take_statistics(buffers->x.data(), half, count, reciprocals().data(), halves[half]);
        run.dst->next(2 * ResultsOfHalf);
        run.prepare_draws(first, rows, 2 * ResultsOfHalf);
        for (std::uint32_t k = 0; k < rows; ++k) {
            float* results = buffers->y.data() + k * kernels::RowPitch;
            for (const kernels::Statistics& half : halves) {
                *results++ = half.count[k];
                *results++ = half.mean[k];
                *results++ = half.m2[k];
            }
            run.put(first + k, buffers->y.data() + k * kernels::RowPitch);
        }
    });
}

void bn_aggr(LaneRun& run) {
    constexpr std::size_t Chunk = kernels::ChunkElements / 3 * 3, Results = 2;
    const std::uint64_t elements = run.operation.elements;
    const auto buffers = std::make_unique<ScanBuffers>();
    run.each_group_of_rows([&](std::uint32_t first, std::uint32_t rows) {
        kernels::Statistics all{};
        for (std::uint64_t done = 0; done < elements; done += Chunk) {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(Chunk, elements - done));
            run.a->next(count);
            for (std::uint32_t k = 0; k < rows; ++k) {
                float* x = buffers->x.data() + k * kernels::RowPitch;
                run.a->widen(first + k, x);
                if (done != 0) continue;
                all.count[k] = x[0];
                all.mean[k] = x[1];
                all.m2[k] = x[2];
            }
            const std::size_t begin = done == 0 ? 3 : 0;
            kernels::merge_statistics(buffers->x.data() + begin, count - begin, all);
        }
        run.dst->next(Results);
        run.prepare_draws(first, rows, Results);
        for (std::uint32_t k = 0; k < rows; ++k) {
            alignas(kernels::Padding) Row results;
            kernels::operate(isa::AluOp::Reciprocal, &all.count[0], &all.count[0], results.data(),
                             kernels::Lanes);
            const float share = results[k];
            kernels::operate(isa::AluOp::Multiply, false, &all.m2[0], share, results.data(), kernels::Lanes);
            const float variance = all.count[k] == 0 ? 0.0F : results[k];
            results[0] = all.mean[k];
            results[1] = variance;
            run.put(first + k, results.data());
        }
    });
}

}  // namespace trnsim::fast
