// reduce-window and select-and-scatter.
#include <algorithm>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/scalar_program.hpp"
#include "compiler/hlo/evaluate/strides.hpp"

namespace trnsim::hlo::evaluate {
namespace {

Integers window_sizes(const Window& window) {
    Integers sizes;
    for (const WindowDimension& d : window.dimensions) sizes.push_back(d.size);
    return sizes;
}

// Returns the place in an array that a place of a window over an output stands on; -1: on padding or between elements.
std::int64_t place_of(const Window& window, const Integers& output, const Integers& within,
                      const Integers& dimensions, const Integers& steps) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        const WindowDimension& w = window.dimensions[d];
        const std::int64_t inside = w.reversal ? w.size - 1 - within[d] : within[d];
        const std::int64_t place = output[d] * w.stride + inside * w.window_dilation - w.padding_low;
        if (place < 0 || place % w.base_dilation != 0 || place / w.base_dilation >= dimensions[d]) return -1;
        at += place / w.base_dilation * steps[d];
    }
    return at;
}

// Cells that are taken out of arrays, computed on, and put back.
struct Gathered {
    std::vector<std::size_t> outputs;
    std::vector<std::int64_t> places;

    void clear() {
        outputs.clear();
        places.clear();
    }
};

Value reduce_window(const Operation& o) {
    const std::size_t count = o.operands.size() / 2;
    const Window& window = *o.attributes().window;
    const Integers& dimensions = o.operand(0).dimensions;
    const Integers steps = strides(dimensions), sizes = window_sizes(window);
    const Shape& first = o.shape().is_tuple() ? o.shape().tuple[0] : o.shape();
    const auto outputs = static_cast<std::size_t>(elements(first));
    ScalarProgram program(o, o.called(0));
    const bool sums = program.adds_real_numbers();
    std::vector<std::shared_ptr<Cells>> accumulated;
    for (std::size_t n = 0; n < count; ++n) {
        accumulated.push_back(o.allocate(outputs));
        std::ranges::fill(*accumulated[n], o.operand(count + n).scalar());
    }
    Gathered gathered;
    std::vector<Cells> old(count), taken(count), next(count);
    Integers within(sizes.size(), 0);
    bool more = outputs > 0 && elements(sizes) > 0;
    while (more) {
        o.work(outputs);
        gathered.clear();
        Integers output(first.rank(), 0);
        for (std::size_t i = 0; i < outputs; ++i) {
            const std::int64_t at = place_of(window, output, within, dimensions, steps);
            if (at >= 0 && sums) {
                Cell& sum = (*accumulated[0])[i];
                sum = cell(real(sum) + real((*o.operand(0).cells)[static_cast<std::size_t>(at)]));
            } else if (at >= 0) {
                gathered.outputs.push_back(i);
                gathered.places.push_back(at);
            }
            (void)advance(output, first.dimensions);
        }
        if (!gathered.outputs.empty()) {
            std::vector<const Cell*> parameters(2 * count);
            std::vector<Cell*> results(count);
            for (std::size_t n = 0; n < count; ++n) {
                old[n].clear(), taken[n].clear(), next[n].resize(gathered.outputs.size());
                for (const std::size_t i : gathered.outputs) old[n].push_back((*accumulated[n])[i]);
                for (const std::int64_t at : gathered.places)
                    taken[n].push_back((*o.operand(n).cells)[static_cast<std::size_t>(at)]);
                parameters[n] = old[n].data(), parameters[count + n] = taken[n].data(),
                results[n] = next[n].data();
            }
            program.run(parameters, results, gathered.outputs.size());
            for (std::size_t n = 0; n < count; ++n) {
                for (std::size_t i = 0; i < gathered.outputs.size(); ++i)
                    (*accumulated[n])[gathered.outputs[i]] = next[n][i];
            }
        }
        more = advance(within, sizes);
    }
    std::vector<Value> values;
    for (std::size_t n = 0; n < count; ++n) {
        if (sums) settle(o.operand(n).type, *accumulated[n]);
        values.push_back(array_of(o.operand(n).type, first.dimensions, std::move(accumulated[n])));
    }
    return one_or_tuple(std::move(values));
}

// Each source element goes to the place that `select` chooses of its window: the first that no later one displaces.
Value select_and_scatter(const Operation& o) {
    const Value &operand = o.operand(0), &source = o.operand(1);
    const Window& window = *o.attributes().window;
    const Integers steps = strides(operand.dimensions), sizes = window_sizes(window);
    ScalarProgram select(o, o.called(0)), scatter(o, o.called(1));
    auto cells = o.allocate(operand.size());
    std::ranges::fill(*cells, o.operand(2).scalar());
    Integers output(source.dimensions.size(), 0);
    for (std::size_t i = 0; i < source.size(); ++i) {
        std::int64_t selected = -1;
        Integers within(sizes.size(), 0);
        do {
            const std::int64_t at = place_of(window, output, within, operand.dimensions, steps);
            if (at < 0) continue;
            Cell keeps = 0;
            if (selected >= 0)
                select.run({&(*operand.cells)[static_cast<std::size_t>(selected)],
                            &(*operand.cells)[static_cast<std::size_t>(at)]},
                           {&keeps}, 1);
            if (keeps == 0) selected = at;
        } while (advance(within, sizes));
        if (selected >= 0) {
            Cell& target = (*cells)[static_cast<std::size_t>(selected)];
            Cell result = 0;
            scatter.run({&target, &(*source.cells)[i]}, {&result}, 1);
            target = result;
        }
        (void)advance(output, source.dimensions);
    }
    return array_of(operand.type, operand.dimensions, std::move(cells));
}

}  // namespace

Evaluate window_evaluation(Opcode opcode) {
    switch (opcode) {
        case Opcode::ReduceWindow:
            return reduce_window;
        case Opcode::SelectAndScatter:
            return select_and_scatter;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo::evaluate
