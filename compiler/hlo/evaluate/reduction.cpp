// reduce, map and scan.
#include <algorithm>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/scalar_program.hpp"
#include "compiler/hlo/evaluate/strides.hpp"

namespace trnsim::hlo::evaluate {
namespace {

// The sizes and steps of the dimensions of an array that are, or are not, among these.
struct Part {
    Integers sizes, steps;
};
Part part_of(const Integers& dimensions, const Integers& chosen, bool among) {
    const Integers all = strides(dimensions);
    Part part;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        const bool is_chosen = std::ranges::find(chosen, static_cast<std::int64_t>(d)) != chosen.end();
        if (is_chosen != among) continue;
        part.sizes.push_back(dimensions[d]);
        part.steps.push_back(all[d]);
    }
    return part;
}

Value reduce(const Operation& o) {
    const std::size_t count = o.operands.size() / 2;
    const Integers& dimensions = o.operand(0).dimensions;
    const Part kept = part_of(dimensions, o.attributes().dimensions, false),
               reduced = part_of(dimensions, o.attributes().dimensions, true);
    const auto outputs = static_cast<std::size_t>(elements(kept.sizes));
    ScalarProgram program(o, o.called(0));
    const bool sums = program.adds_real_numbers();
    std::vector<std::shared_ptr<Cells>> accumulated;
    std::vector<Cells> column(count), next(count);
    for (std::size_t n = 0; n < count; ++n) {
        accumulated.push_back(o.allocate(outputs));
        std::ranges::fill(*accumulated[n], o.operand(count + n).scalar());
        if (!sums) column[n].resize(outputs), next[n].resize(outputs);
    }
    each_offset(reduced.sizes, reduced.steps, 0, [&](std::int64_t base) {
        if (sums) {
            const Cell* const in = o.operand(0).cells->data();
            Cell* out = accumulated[0]->data();
            o.work(outputs);
            each_offset(kept.sizes, kept.steps, base, [&](std::int64_t at) {
                *out = cell(real(*out) + real(in[at]));
                ++out;
            });
            return;
        }
        std::vector<const Cell*> parameters;
        std::vector<Cell*> results;
        for (std::size_t n = 0; n < count; ++n) {
            Cell* out = column[n].data();
            each_offset(kept.sizes, kept.steps, base,
                        [&, in = o.operand(n).cells->data()](std::int64_t at) { *out++ = in[at]; });
            parameters.push_back(accumulated[n]->data());
            results.push_back(next[n].data());
        }
        for (std::size_t n = 0; n < count; ++n) parameters.push_back(column[n].data());
        program.run(parameters, results, outputs);
        for (std::size_t n = 0; n < count; ++n) std::ranges::copy(next[n], accumulated[n]->begin());
    });
    std::vector<Value> values;
    for (std::size_t n = 0; n < count; ++n) {
        if (sums) settle(o.operand(n).type, *accumulated[n]);
        values.push_back(array_of(o.operand(n).type, kept.sizes, std::move(accumulated[n])));
    }
    return one_or_tuple(std::move(values));
}

Value map(const Operation& o) {
    ScalarProgram program(o, o.called(0));
    std::vector<const Cell*> parameters;
    for (const Value& operand : o.operands) parameters.push_back(operand.cells->data());
    auto cells = o.allocate(o.shape().dimensions);
    program.run(parameters, {cells->data()}, cells->size());
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

// The array without this dimension, at a place in it.
Value at_step(const Operation& o, const Value& value, std::size_t dimension, std::int64_t step) {
    Integers sizes = value.dimensions, steps = strides(value.dimensions);
    const std::int64_t offset = steps[dimension] * step;
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dimension));
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(dimension));
    auto cells = o.allocate(sizes);
    Cell* out = cells->data();
    each_offset(sizes, steps, offset, [&, in = value.cells->data()](std::int64_t at) { *out++ = in[at]; });
    return array_of(value.type, sizes, std::move(cells));
}

Value scan(const Operation& o) {
    const auto dimension = static_cast<std::size_t>(o.attributes().dimensions.front());
    const std::size_t inputs = o.operands.size() - static_cast<std::size_t>(o.attributes().carries);
    const std::int64_t steps = o.operand(0).dimensions[dimension];
    std::vector<Value> carries(o.operands.begin() + static_cast<std::ptrdiff_t>(inputs), o.operands.end());
    const std::size_t outputs = o.shape().tuple.size() - carries.size();
    std::vector<std::shared_ptr<Cells>> results;
    for (std::size_t n = 0; n < outputs; ++n) results.push_back(o.allocate(o.shape().tuple[n].dimensions));
    for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t place = o.attributes().is_reverse ? steps - 1 - step : step;
        std::vector<Value> arguments;
        for (std::size_t n = 0; n < inputs; ++n)
            arguments.push_back(at_step(o, o.operand(n), dimension, place));
        arguments.insert(arguments.end(), carries.begin(), carries.end());
        const Value result = o.call(o.called(0), std::move(arguments));
        for (std::size_t n = 0; n < outputs; ++n) {
            Integers to = strides(o.shape().tuple[n].dimensions);
            const std::int64_t offset = to[dimension] * place;
            to.erase(to.begin() + static_cast<std::ptrdiff_t>(dimension));
            const Cell* in = result.tuple[n].cells->data();
            each_offset(result.tuple[n].dimensions, to, offset,
                        [&, out = results[n]->data()](std::int64_t at) { out[at] = *in++; });
        }
        carries.assign(result.tuple.begin() + static_cast<std::ptrdiff_t>(outputs), result.tuple.end());
    }
    std::vector<Value> values;
    for (std::size_t n = 0; n < outputs; ++n)
        values.push_back(
            array_of(o.shape().tuple[n].type, o.shape().tuple[n].dimensions, std::move(results[n])));
    values.insert(values.end(), carries.begin(), carries.end());
    return tuple_of_values(std::move(values));
}

}  // namespace

Evaluate reduction_evaluation(Opcode opcode) {
    switch (opcode) {
        case Opcode::Reduce:
            return reduce;
        case Opcode::Map:
            return map;
        case Opcode::Scan:
            return scan;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo::evaluate
