// Instructions that move elements to places that values give.
#include <algorithm>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/scalar_program.hpp"
#include "compiler/hlo/evaluate/strides.hpp"

namespace trnsim::hlo::evaluate {
namespace {

bool contains(const Integers& values, std::size_t value) {
    return std::ranges::find(values, static_cast<std::int64_t>(value)) != values.end();
}

// An index as a number: what is beyond 63 bits is as good as the largest.
std::int64_t index_of(const Value& indices, std::size_t at) {
    const Cell c = (*indices.cells)[at];
    if (kind(indices.type) == Kind::Signed) return static_cast<std::int64_t>(c);
    return static_cast<std::int64_t>(std::min<Cell>(c, std::numeric_limits<std::int64_t>::max()));
}

// Start indices, moved so that the slice lies inside.
Integers clamped_starts(const Operation& o, std::size_t first, const Integers& dimensions,
                        const Integers& sizes) {
    Integers starts;
    const bool vector = o.operands.size() == first + 1 && o.operand(first).dimensions.size() == 1;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        const std::int64_t start = vector ? index_of(o.operand(first), d) : index_of(o.operand(first + d), 0);
        starts.push_back(std::clamp<std::int64_t>(start, 0, dimensions[d] - sizes[d]));
    }
    return starts;
}

std::int64_t offset_of(const Integers& starts, const Integers& steps) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < starts.size(); ++d) offset += starts[d] * steps[d];
    return offset;
}

Value dynamic_slice(const Operation& o) {
    const Value& operand = o.operand(0);
    const Integers steps = strides(operand.dimensions), &sizes = o.attributes().dynamic_slice_sizes;
    auto cells = o.allocate(sizes);
    o.work(cells->size());
    Cell* out = cells->data();
    each_offset(sizes, steps, offset_of(clamped_starts(o, 1, operand.dimensions, sizes), steps),
                [&, in = operand.cells->data()](std::int64_t at) { *out++ = in[at]; });
    return array_of(operand.type, sizes, std::move(cells));
}

Value dynamic_update_slice(const Operation& o) {
    const Value &operand = o.operand(0), &update = o.operand(1);
    const Integers steps = strides(operand.dimensions);
    auto cells = o.allocate(operand.size());
    o.work(cells->size());
    std::ranges::copy(*operand.cells, cells->begin());
    const Cell* in = update.cells->data();
    each_offset(update.dimensions, steps,
                offset_of(clamped_starts(o, 2, operand.dimensions, update.dimensions), steps),
                [&, out = cells->data()](std::int64_t at) { out[at] = *in++; });
    return array_of(operand.type, operand.dimensions, std::move(cells));
}

// Gather and scatter have an index vector for each place of the batch.
class IndexVectors {
  public:
    IndexVectors(const Value& indices, std::int64_t vector_dimension, const Integers& map,
                 const Integers& operand_batching, const Integers& indices_batching)
        : indices_(indices), map_(map), operand_batching_(operand_batching) {
        const Integers steps = strides(indices.dimensions);
        for (std::size_t d = 0; d < indices.dimensions.size(); ++d) {
            if (static_cast<std::int64_t>(d) == vector_dimension) {
                vector_step_ = steps[d];
                continue;
            }
            batch_.push_back(indices.dimensions[d]);
            batch_steps_.push_back(steps[d]);
        }
        for (const std::int64_t dimension : indices_batching) {
            batching_.push_back(
                static_cast<std::size_t>(dimension > vector_dimension ? dimension - 1 : dimension));
        }
    }

    const Integers& batch() const { return batch_; }
    // The start in the operand for a place of the batch.
    Integers start(const Integers& place, std::size_t rank) const {
        Integers start(rank, 0);
        const std::int64_t base = offset_of(place, batch_steps_);
        for (std::size_t i = 0; i < map_.size(); ++i) {
            start[static_cast<std::size_t>(map_[i])] = index_of(
                indices_, static_cast<std::size_t>(base + static_cast<std::int64_t>(i) * vector_step_));
        }
        for (std::size_t i = 0; i < batching_.size(); ++i)
            start[static_cast<std::size_t>(operand_batching_[i])] = place[batching_[i]];
        return start;
    }

  private:
    const Value& indices_;
    const Integers &map_, &operand_batching_;
    std::vector<std::size_t> batching_;
    Integers batch_, batch_steps_;
    std::int64_t vector_step_ = 0;
};

// Steps of the dimensions of an array that are, or are not, in a list.
struct Chosen {
    Integers sizes, steps;
};
Chosen chosen(const Integers& dimensions, const Integers& list, bool among) {
    const Integers all = strides(dimensions);
    Chosen result;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        if (contains(list, d) != among) continue;
        result.sizes.push_back(dimensions[d]);
        result.steps.push_back(all[d]);
    }
    return result;
}

Value gather(const Operation& o) {
    const GatherDimensions& d = *o.attributes().gather;
    const Value& operand = o.operand(0);
    const Integers& slice = o.attributes().gather_slice_sizes;
    const Integers steps = strides(operand.dimensions);
    const IndexVectors vectors(o.operand(1), d.index_vector, d.start_index_map, d.operand_batching,
                               d.start_indices_batching);
    const Chosen window = chosen(o.shape().dimensions, d.offset, true),
                 batch = chosen(o.shape().dimensions, d.offset, false);
    Integers from_steps;
    for (std::size_t i = 0; i < slice.size(); ++i) {
        if (!contains(d.collapsed_slice, i) && !contains(d.operand_batching, i))
            from_steps.push_back(steps[i]);
    }
    auto cells = o.allocate(o.shape().dimensions);
    o.work(cells->size());
    if (cells->empty()) return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
    Integers place(batch.sizes.size(), 0);
    do {
        Integers start = vectors.start(place, operand.dimensions.size());
        for (std::size_t i = 0; i < start.size(); ++i)
            start[i] = std::clamp<std::int64_t>(start[i], 0, operand.dimensions[i] - slice[i]);
        Integers to;
        each_offset(window.sizes, window.steps, offset_of(place, batch.steps),
                    [&](std::int64_t at) { to.push_back(at); });
        std::size_t next = 0;
        each_offset(window.sizes, from_steps, offset_of(start, steps), [&](std::int64_t at) {
            (*cells)[static_cast<std::size_t>(to[next++])] = (*operand.cells)[static_cast<std::size_t>(at)];
        });
    } while (advance(place, batch.sizes));
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

// Updates follow each other in the row-major order of their places; those that do not lie inside are left out.
Value scatter(const Operation& o) {
    const ScatterDimensions& d = *o.attributes().scatter;
    const std::size_t count = (o.operands.size() - 1) / 2;
    const Value& first = o.operand(0);
    const Value& update = o.operand(count + 1);
    const Integers steps = strides(first.dimensions);
    const IndexVectors vectors(o.operand(count), d.index_vector, d.scatter_to_operand, d.input_batching,
                               d.scatter_indices_batching);
    const Chosen window = chosen(update.dimensions, d.update_window, true),
                 batch = chosen(update.dimensions, d.update_window, false);
    Integers to_steps;
    for (std::size_t i = 0; i < first.dimensions.size(); ++i) {
        if (!contains(d.inserted_window, i) && !contains(d.input_batching, i)) to_steps.push_back(steps[i]);
    }
    // The size of the window in each dimension of the operand.
    Integers extent(first.dimensions.size(), 1);
    for (std::size_t i = 0, next = 0; i < extent.size(); ++i) {
        if (!contains(d.inserted_window, i) && !contains(d.input_batching, i))
            extent[i] = window.sizes[next++];
    }
    ScalarProgram program(o, o.called(0));
    std::vector<std::shared_ptr<Cells>> results;
    for (std::size_t n = 0; n < count; ++n) {
        results.push_back(o.allocate(first.size()));
        std::ranges::copy(*o.operand(n).cells, results[n]->begin());
    }
    o.work(first.size());
    const auto apply = [&](std::size_t to, std::size_t from) {
        std::vector<const Cell*> parameters(2 * count);
        std::vector<Cell*> out(count);
        Cells next(count);
        for (std::size_t n = 0; n < count; ++n) {
            parameters[n] = &(*results[n])[to],
            parameters[count + n] = &(*o.operand(count + 1 + n).cells)[from], out[n] = &next[n];
        }
        program.run(parameters, out, 1);
        for (std::size_t n = 0; n < count; ++n) (*results[n])[to] = next[n];
    };
    Integers place(batch.sizes.size(), 0);
    const bool any = update.size() > 0;
    if (any) do {
            const Integers start = vectors.start(place, first.dimensions.size());
            bool inside = true;
            for (std::size_t i = 0; i < start.size(); ++i)
                inside = inside && start[i] >= 0 && start[i] <= first.dimensions[i] - extent[i];
            if (!inside) continue;
            Integers from;
            each_offset(window.sizes, window.steps, offset_of(place, batch.steps),
                        [&](std::int64_t at) { from.push_back(at); });
            std::size_t next = 0;
            each_offset(window.sizes, to_steps, offset_of(start, steps), [&](std::int64_t at) {
                apply(static_cast<std::size_t>(at), static_cast<std::size_t>(from[next++]));
            });
        } while (advance(place, batch.sizes));
    std::vector<Value> values;
    for (std::size_t n = 0; n < count; ++n)
        values.push_back(array_of(o.operand(n).type, first.dimensions, std::move(results[n])));
    return one_or_tuple(std::move(values));
}

}  // namespace

Evaluate indexed_evaluation(Opcode opcode) {
    switch (opcode) {
        case Opcode::DynamicSlice:
            return dynamic_slice;
        case Opcode::DynamicUpdateSlice:
            return dynamic_update_slice;
        case Opcode::Gather:
            return gather;
        case Opcode::Scatter:
            return scatter;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo::evaluate
