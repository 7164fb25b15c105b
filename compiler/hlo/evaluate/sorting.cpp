// sort and top-k.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/scalar_program.hpp"
#include "compiler/hlo/evaluate/strides.hpp"

namespace trnsim::hlo::evaluate {
namespace {

using Order = std::vector<std::size_t>;

// Sorts by merging, so that equal elements keep their order and no comparison, whatever it answers, leads outside.
template <typename Less>
void merge_sort(Order& order, const Less& less) {
    Order other(order.size());
    for (std::size_t width = 1; width < order.size(); width *= 2) {
        for (std::size_t begin = 0; begin < order.size(); begin += 2 * width) {
            const std::size_t middle = std::min(begin + width, order.size()),
                              end = std::min(begin + 2 * width, order.size());
            std::size_t a = begin, b = middle;
            for (std::size_t to = begin; to < end; ++to) {
                const bool second = a == middle || (b != end && less(order[b], order[a]));
                other[to] = second ? order[b++] : order[a++];
            }
        }
        order.swap(other);
    }
}

Value sort(const Operation& o) {
    const std::size_t count = o.operands.size();
    const Integers& dimensions = o.operand(0).dimensions;
    const auto dimension = static_cast<std::size_t>(o.attributes().dimensions.front());
    const std::int64_t step = strides(dimensions)[dimension];
    const auto size = static_cast<std::size_t>(dimensions[dimension]);
    std::vector<std::shared_ptr<Cells>> results;
    for (const Value& operand : o.operands) results.push_back(o.allocate(operand.size()));
    ScalarProgram program(o, o.called(0));
    Integers outer = dimensions, steps = strides(dimensions);
    outer[dimension] = 1;
    Order order(size);
    std::vector<const Cell*> parameters(2 * count);
    const std::vector<Cell*> no_results;
    each_offset(outer, steps, 0, [&](std::int64_t base) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto at = [&](std::size_t i) {
            return static_cast<std::size_t>(base + static_cast<std::int64_t>(i) * step);
        };
        merge_sort(order, [&](std::size_t a, std::size_t b) {
            for (std::size_t n = 0; n < count; ++n) {
                parameters[2 * n] = &(*o.operand(n).cells)[at(a)];
                parameters[2 * n + 1] = &(*o.operand(n).cells)[at(b)];
            }
            Cell less = 0;
            program.run(parameters, {&less}, 1);
            return less != 0;
        });
        for (std::size_t n = 0; n < count; ++n) {
            for (std::size_t i = 0; i < size; ++i) (*results[n])[at(i)] = (*o.operand(n).cells)[at(order[i])];
        }
    });
    std::vector<Value> values;
    for (std::size_t n = 0; n < count; ++n)
        values.push_back(array_of(o.operand(n).type, dimensions, std::move(results[n])));
    return one_or_tuple(std::move(values));
}

// Whether one element stands before another among the largest.
bool is_larger(Cell a, Cell b, Kind kind) {
    if (kind == Kind::Signed) return static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b);
    return kind == Kind::Real ? total_order(a) > total_order(b) : a > b;
}

Value topk_of(const Operation& o, bool largest, const Shape& result) {
    const Value& operand = o.operand(0);
    const auto size = static_cast<std::size_t>(operand.dimensions.back()),
               k = static_cast<std::size_t>(result.tuple[0].dimensions.back());
    auto values = o.allocate(result.tuple[0].dimensions), indices = o.allocate(result.tuple[1].dimensions);
    const std::size_t rows = size == 0 ? 0 : operand.size() / size;
    o.work(operand.size() * 16);
    Order order(size);
    for (std::size_t row = 0; row < rows; ++row) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        const Cell* const in = operand.cells->data() + row * size;
        merge_sort(order, [&](std::size_t a, std::size_t b) {
            return largest ? is_larger(in[a], in[b], kind(operand.type))
                           : is_larger(in[b], in[a], kind(operand.type));
        });
        for (std::size_t i = 0; i < k; ++i) {
            (*values)[row * k + i] = in[order[i]];
            (*indices)[row * k + i] = order[i];
        }
    }
    return tuple_of_values({array_of(operand.type, result.tuple[0].dimensions, std::move(values)),
                            array_of(result.tuple[1].type, result.tuple[1].dimensions, std::move(indices))});
}

Value topk(const Operation& o) {
    return topk_of(o, o.attributes().largest, o.shape());
}

Value custom_call(const Operation& o) {
    const std::string& target = o.attributes().custom_call_target;
    const Shape& result = o.shape();
    const bool fits = o.operands.size() == 1 && result.is_tuple() && result.tuple.size() == 2 &&
                      o.operand(0).type != ElementType::Tuple && !o.operand(0).dimensions.empty() &&
                      result.tuple[0].rank() == o.operand(0).dimensions.size() &&
                      result.tuple[0].type == o.operand(0).type && is_integer(result.tuple[1].type) &&
                      result.tuple[0].dimensions == result.tuple[1].dimensions &&
                      result.tuple[0].dimensions.back() <= o.operand(0).dimensions.back() &&
                      std::equal(o.operand(0).dimensions.begin(), o.operand(0).dimensions.end() - 1,
                                 result.tuple[0].dimensions.begin());
    if (target == "TopK" && fits) return topk_of(o, true, result);
    // Partitioning leaves these calls behind. They name a placement, and compute nothing.
    if ((target == "Sharding" || target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape") &&
        o.operands.size() == 1 && is_compatible(shape_of(o.operand(0)), result)) {
        return o.operand(0);
    }
    throw Error(target == "TopK" ? "operand and result do not fit TopK"
                                 : "custom-call '" + target + "' is refused: it is not known");
}

}  // namespace

Evaluate sorting_evaluation(Opcode opcode) {
    switch (opcode) {
        case Opcode::Sort:
            return sort;
        case Opcode::TopK:
            return topk;
        case Opcode::CustomCall:
            return custom_call;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo::evaluate
