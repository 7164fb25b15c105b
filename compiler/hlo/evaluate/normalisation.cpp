// batch-norm-training, -inference and -grad. Statistics are those of a feature over all other dimensions.
#include <cmath>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/strides.hpp"

namespace trnsim::hlo::evaluate {
namespace {

// Finds the feature of an element.
struct Features {
    std::size_t count, step;

    explicit Features(const Operation& o) {
        const auto dimension = static_cast<std::size_t>(o.attributes().feature_index);
        count = static_cast<std::size_t>(o.operand(0).dimensions[dimension]);
        step = static_cast<std::size_t>(strides(o.operand(0).dimensions)[dimension]);
    }
    std::size_t of(std::size_t element) const { return element / step % count; }
};

using Column = std::vector<double>;

Column column(const Value& value) {
    Column result;
    for (const Cell c : value.view()) result.push_back(real(c));
    return result;
}

Value settled(const Operation& o, const Value& like, const Column& values) {
    auto cells = o.allocate(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) (*cells)[i] = cell(values[i]);
    settle(like.type, *cells);
    return array_of(like.type, like.dimensions, std::move(cells));
}

Value batch_norm_training(const Operation& o) {
    const Value& operand = o.operand(0);
    const Features features(o);
    const double size = static_cast<double>(operand.size()) / static_cast<double>(features.count),
                 epsilon = o.attributes().epsilon;
    o.work(4 * operand.size());
    Column mean(features.count, 0), variance(features.count, 0), result(operand.size());
    for (std::size_t i = 0; i < operand.size(); ++i) mean[features.of(i)] += real((*operand.cells)[i]);
    for (double& m : mean) m /= size;
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const double centred = real((*operand.cells)[i]) - mean[features.of(i)];
        variance[features.of(i)] += centred * centred;
    }
    for (double& v : variance) v /= size;
    const Column scale = column(o.operand(1)), offset = column(o.operand(2));
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const std::size_t f = features.of(i);
        result[i] =
            (real((*operand.cells)[i]) - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f];
    }
    return tuple_of_values(
        {settled(o, operand, result), settled(o, o.operand(1), mean), settled(o, o.operand(1), variance)});
}

Value batch_norm_inference(const Operation& o) {
    const Value& operand = o.operand(0);
    const Features features(o);
    const Column scale = column(o.operand(1)), offset = column(o.operand(2)), mean = column(o.operand(3)),
                 variance = column(o.operand(4));
    o.work(2 * operand.size());
    Column result(operand.size());
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const std::size_t f = features.of(i);
        result[i] = (real((*operand.cells)[i]) - mean[f]) /
                        std::sqrt(variance[f] + static_cast<double>(o.attributes().epsilon)) * scale[f] +
                    offset[f];
    }
    return settled(o, operand, result);
}

Value batch_norm_grad(const Operation& o) {
    const Value &operand = o.operand(0), &gradient = o.operand(4);
    const Features features(o);
    const double size = static_cast<double>(operand.size()) / static_cast<double>(features.count),
                 epsilon = o.attributes().epsilon;
    const Column scale = column(o.operand(1)), mean = column(o.operand(2)), variance = column(o.operand(3));
    o.work(4 * operand.size());
    Column sum(features.count, 0), product(features.count, 0), result(operand.size()),
        scale_gradient(features.count);
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const std::size_t f = features.of(i);
        sum[f] += real((*gradient.cells)[i]);
        product[f] += real((*gradient.cells)[i]) * (real((*operand.cells)[i]) - mean[f]);
    }
    for (std::size_t f = 0; f < features.count; ++f)
        scale_gradient[f] = product[f] / std::sqrt(variance[f] + epsilon);
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const std::size_t f = features.of(i);
        const double centred = real((*operand.cells)[i]) - mean[f], spread = variance[f] + epsilon;
        result[i] = scale[f] / std::sqrt(spread) *
                    (real((*gradient.cells)[i]) - sum[f] / size - centred * product[f] / (spread * size));
    }
    return tuple_of_values({settled(o, operand, result), settled(o, o.operand(1), scale_gradient),
                            settled(o, o.operand(1), sum)});
}

}  // namespace

Evaluate normalisation_evaluation(Opcode opcode) {
    switch (opcode) {
        case Opcode::BatchNormTraining:
            return batch_norm_training;
        case Opcode::BatchNormInference:
            return batch_norm_inference;
        case Opcode::BatchNormGrad:
            return batch_norm_grad;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo::evaluate
