#include "tools/demo/network.hpp"

#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/matmul_reference.hpp"
#include "tools/demo/ridge.hpp"

namespace trnsim::demo {
namespace {

using isa::Dtype;

constexpr std::uint64_t Seed = 1;
constexpr double WeightScale = 0.3;  // about 2.4 / sqrt(Pixels)
constexpr double BiasScale = 0.25;
constexpr double MeanPixel = 0.3;  // of the scaled pixels; the units' thresholds lie around the mean sample
constexpr double Penalty = 1.0;

class SplitMix {
  public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    // Returns an about normal number, mean 0, variance 1: the sum of twelve uniform numbers, exact in double.
    double normal() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += static_cast<double>(next() >> 40) * 0x1p-24;
        return sum;
    }

  private:
    std::uint64_t state_;
};

std::uint32_t bf16(double value) {
    return numerics::from_fp32(static_cast<float>(value), Dtype::Bf16);
}

// Returns h [hidden, count], bf16 storage bits.
std::vector<std::uint32_t> hidden_layer(const Network& network, const std::vector<std::uint32_t>& samples,
                                        std::size_t count, std::size_t rows) {
    const auto sums = numerics::tensor_matmul_reference(
        network.w1, samples, {network.hidden, count, Digits::Pixels}, Dtype::Bf16, rows);
    std::vector<std::uint32_t> hidden(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const float biased = numerics::add(sums[i], network.b1[i / count]);
        hidden[i] = numerics::from_fp32(numerics::maximum(biased, 0.0f), Dtype::Bf16);
    }
    return hidden;
}

}  // namespace

std::vector<std::uint32_t> samples_of(const Digits& digits, std::size_t first, std::size_t count) {
    std::vector<std::uint32_t> samples(Digits::Pixels * count);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t pixel = 0; pixel < Digits::Pixels; ++pixel) {
            samples[pixel * count + i] = bf16(digits.pixels[(first + i) * Digits::Pixels + pixel] / 16.0);
        }
    }
    return samples;
}

Network fit_network(const Digits& digits, std::size_t training, std::size_t hidden, std::size_t rows) {
    Network network;
    network.hidden = hidden;
    SplitMix random(Seed);
    network.w1.resize(Digits::Pixels * hidden);
    std::vector<double> column_sums(hidden);
    for (std::size_t i = 0; i < network.w1.size(); ++i) {
        const double weight = WeightScale * random.normal();
        network.w1[i] = bf16(weight);
        column_sums[i % hidden] += weight;
    }
    for (const double sum : column_sums) {
        network.b1.push_back(static_cast<float>(BiasScale * random.normal() - MeanPixel * sum));
    }

    const auto units = hidden_layer(network, samples_of(digits, 0, training), training, rows);
    const std::size_t features = hidden + 1;  // the last one is constant: the bias
    std::vector<double> x(training * features, 1.0);
    std::vector<double> targets(training * Digits::Classes, -1.0);
    for (std::size_t s = 0; s < training; ++s) {
        for (std::size_t unit = 0; unit < hidden; ++unit) {
            x[s * features + unit] = numerics::to_fp32(units[unit * training + s], Dtype::Bf16);
        }
        targets[s * Digits::Classes + digits.labels[s]] = 1.0;
    }
    const std::vector<double> weights = ridge(x, targets, features, Digits::Classes, Penalty);
    for (std::size_t i = 0; i < hidden * Digits::Classes; ++i) network.w2.push_back(bf16(weights[i]));
    for (std::size_t c = 0; c < Digits::Classes; ++c) {
        network.b2.push_back(static_cast<float>(weights[hidden * Digits::Classes + c]));
    }
    return network;
}

std::vector<float> reference_outputs(const Network& network, const std::vector<std::uint32_t>& samples,
                                     std::size_t count, std::size_t rows) {
    const auto hidden = hidden_layer(network, samples, count, rows);
    auto y = numerics::tensor_matmul_reference(network.w2, hidden, {Digits::Classes, count, network.hidden},
                                               Dtype::Bf16, rows);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = numerics::add(y[i], network.b2[i / count]);
    return y;
}

std::vector<std::uint8_t> labels_of(std::span<const float> y, std::size_t count) {
    std::vector<std::uint8_t> labels(count);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 1; c < Digits::Classes; ++c) {
            if (y[c * count + i] > y[labels[i] * count + i]) labels[i] = static_cast<std::uint8_t>(c);
        }
    }
    return labels;
}

}  // namespace trnsim::demo
