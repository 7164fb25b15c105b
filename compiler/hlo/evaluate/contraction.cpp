// dot, ragged-dot, convolution, cholesky and triangular-solve. Sums are in double, or wrap in 64 bits, in a fixed order.
#include <algorithm>
#include <cmath>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/strides.hpp"

namespace trnsim::hlo::evaluate {
namespace {

// Cells as the numbers that sums are made of.
struct RealNumbers {
    using Number = double;
    static double of(Cell c) { return real(c); }
    static Cell cell_of(double x) { return cell(x); }
};
struct WholeNumbers {
    using Number = std::uint64_t;
    static std::uint64_t of(Cell c) { return c; }
    static Cell cell_of(std::uint64_t x) { return x; }
};

// The elements of an array in the order of these dimensions.
template <typename Numbers>
std::vector<typename Numbers::Number> ordered(const Value& value, const Integers& order) {
    const Integers from = strides(value.dimensions);
    Integers sizes, steps;
    for (const std::int64_t d : order) {
        sizes.push_back(value.dimensions[static_cast<std::size_t>(d)]);
        steps.push_back(from[static_cast<std::size_t>(d)]);
    }
    std::vector<typename Numbers::Number> result;
    result.reserve(value.size());
    each_offset(sizes, steps, 0,
                [&, in = value.cells->data()](std::int64_t at) { result.push_back(Numbers::of(in[at])); });
    return result;
}

// c[m, n] += a[m, k] b[k, n], each sum in the order of k.
template <typename Number>
void multiply(const Number* a, const Number* b, Number* c, std::size_t m, std::size_t k, std::size_t n) {
    constexpr std::size_t Columns = 512;  // of b that stay in the cache
    for (std::size_t first = 0; first < n; first += Columns) {
        const std::size_t width = std::min(Columns, n - first);
        for (std::size_t row = 0; row < m; ++row) {
            Number* const out = c + row * n + first;
            for (std::size_t i = 0; i < k; ++i) {
                const Number factor = a[row * k + i];
                const Number* const in = b + i * n + first;
                for (std::size_t column = 0; column < width; ++column) out[column] += factor * in[column];
            }
        }
    }
}

Integers others(std::size_t rank, const Integers& a, const Integers& b) {
    Integers rest;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d) {
        if (std::ranges::find(a, d) == a.end() && std::ranges::find(b, d) == b.end()) rest.push_back(d);
    }
    return rest;
}

Integers joined(const Integers& a, const Integers& b, const Integers& c) {
    Integers all = a;
    all.insert(all.end(), b.begin(), b.end());
    all.insert(all.end(), c.begin(), c.end());
    return all;
}

std::size_t extent(const Value& value, const Integers& dimensions) {
    std::size_t size = 1;
    for (const std::int64_t d : dimensions)
        size *= static_cast<std::size_t>(value.dimensions[static_cast<std::size_t>(d)]);
    return size;
}

template <typename Numbers>
Value settled(const Operation& o, const std::vector<typename Numbers::Number>& sums) {
    auto cells = o.allocate(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) (*cells)[i] = Numbers::cell_of(sums[i]);
    settle(o.shape().type, *cells);
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

// Calls a template for real or for whole numbers.
template <typename Function>
Value by_kind(const Operation& o, const Function& function) {
    return is_real(o.shape().type) ? function(RealNumbers{}) : function(WholeNumbers{});
}

Value dot(const Operation& o) {
    return by_kind(o, [&]<typename Numbers>(Numbers) {
        const DotDimensions& d = *o.attributes().dot;
        const Value &lhs = o.operand(0), &rhs = o.operand(1);
        const Integers rows = others(lhs.dimensions.size(), d.lhs_batch, d.lhs_contracting),
                       columns = others(rhs.dimensions.size(), d.rhs_batch, d.rhs_contracting);
        const std::size_t batch = extent(lhs, d.lhs_batch), m = extent(lhs, rows),
                          k = extent(lhs, d.lhs_contracting), n = extent(rhs, columns);
        const auto lifetime = o.allocate(lhs.size() + rhs.size() + batch * m * n);  // for what is reordered
        o.work(lhs.size() + rhs.size());
        o.work(batch * m * k * n);
        const auto a = ordered<Numbers>(lhs, joined(d.lhs_batch, rows, d.lhs_contracting));
        const auto b = ordered<Numbers>(rhs, joined(d.rhs_batch, d.rhs_contracting, columns));
        std::vector<typename Numbers::Number> sums(batch * m * n, 0);
        for (std::size_t i = 0; i < batch; ++i)
            multiply(a.data() + i * m * k, b.data() + i * k * n, sums.data() + i * m * n, m, k, n);
        return settled<Numbers>(o, sums);
    });
}

// Rows of the left operand meet the matrix of their group; those after the last group become zero.
Value ragged_dot(const Operation& o) {
    return by_kind(o, [&]<typename Numbers>(Numbers) {
        const RaggedDotDimensions& d = *o.attributes().ragged_dot;
        const Value &lhs = o.operand(0), &rhs = o.operand(1), &groups = o.operand(2);
        const Integers rows = others(lhs.dimensions.size(), d.dot.lhs_batch, d.dot.lhs_contracting);
        const Integers columns =
            others(rhs.dimensions.size(), joined(d.rhs_group, d.dot.rhs_batch, {}), d.dot.rhs_contracting);
        const std::size_t batch = extent(lhs, d.dot.lhs_batch), m = extent(lhs, rows),
                          k = extent(lhs, d.dot.lhs_contracting), n = extent(rhs, columns);
        const std::size_t steps = extent(lhs, d.lhs_ragged), inner = steps == 0 ? 0 : m / steps;
        o.work(batch * m * k * n);
        const auto a = ordered<Numbers>(lhs, joined(d.dot.lhs_batch, rows, d.dot.lhs_contracting));
        const auto b = ordered<Numbers>(
            rhs, joined(joined(d.rhs_group, d.dot.rhs_batch, {}), d.dot.rhs_contracting, columns));
        std::vector<typename Numbers::Number> sums(batch * m * n, 0);
        std::size_t begin = 0;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const auto left = static_cast<std::int64_t>(steps - begin);
            const auto size = static_cast<std::size_t>(
                std::clamp<std::int64_t>(static_cast<std::int64_t>((*groups.cells)[g]), 0, left));
            for (std::size_t i = 0; i < batch; ++i) {
                const std::size_t row = i * m + begin * inner;
                multiply(a.data() + row * k, b.data() + (g * batch + i) * k * n, sums.data() + row * n,
                         size * inner, k, n);
            }
            begin += size;
        }
        return settled<Numbers>(o, sums);
    });
}

template <typename Numbers>
class Convolution {
  public:
    using Number = typename Numbers::Number;

    explicit Convolution(const Operation& o)
        : o_(o), d_(*o.attributes().convolution), window_(*o.attributes().window) {}

    Value run() {
        const Value &input = o_.operand(0), &kernel = o_.operand(1);
        const auto size = [](const Integers& sizes, std::int64_t d) {
            return sizes[static_cast<std::size_t>(d)];
        };
        for (std::size_t i = 0; i < window_.dimensions.size(); ++i) {
            in_.push_back(size(input.dimensions, d_.input_spatial[i]));
            out_.push_back(size(o_.shape().dimensions, d_.output_spatial[i]));
            kernel_.push_back(size(kernel.dimensions, d_.kernel_spatial[i]));
        }
        channels_ = size(input.dimensions, d_.input_feature);
        inputs_ = size(kernel.dimensions, d_.kernel_input_feature);
        outputs_ = size(kernel.dimensions, d_.kernel_output_feature);
        batch_ = size(o_.shape().dimensions, d_.output_batch);
        features_ = o_.attributes().feature_group_count;
        batches_ = o_.attributes().batch_group_count;
        const auto lifetime =
            o_.allocate(input.size() + kernel.size() + static_cast<std::size_t>(elements(o_.shape())));
        a_ = ordered<Numbers>(input, joined({d_.input_batch}, d_.input_spatial, {d_.input_feature}));
        b_ = ordered<Numbers>(
            kernel, joined(d_.kernel_spatial, {d_.kernel_input_feature}, {d_.kernel_output_feature}));
        sums_.assign(static_cast<std::size_t>(elements(o_.shape())), 0);
        if (!sums_.empty()) sum();
        return reordered();
    }

  private:
    void sum() {
        const std::int64_t places = elements(out_), groups = features_ * batches_, width = outputs_ / groups;
        Integers within(kernel_.size(), 0);
        if (elements(kernel_) == 0) return;
        std::int64_t place_in_kernel = 0;
        do {
            Integers output(out_.size(), 0);
            for (std::int64_t place = 0; place < places; ++place) {
                const std::int64_t from = place_in_input(output, within);
                (void)advance(output, out_);
                if (from < 0) continue;
                o_.work(static_cast<std::uint64_t>(batch_ * inputs_ * outputs_));
                for (std::int64_t n = 0; n < batch_; ++n) {
                    for (std::int64_t g = 0; g < groups; ++g) {
                        const std::int64_t image = batches_ > 1 ? g * batch_ + n : n,
                                           channel = features_ > 1 ? g * inputs_ : 0;
                        const Number* const a =
                            a_.data() + (image * elements(in_) + from) * channels_ + channel;
                        const Number* const b = b_.data() + place_in_kernel * inputs_ * outputs_ + g * width;
                        Number* const c = sums_.data() + (n * places + place) * outputs_ + g * width;
                        for (std::int64_t i = 0; i < inputs_; ++i) {
                            const Number factor = a[i];
                            const Number* const row = b + i * outputs_;
                            for (std::int64_t out = 0; out < width; ++out) c[out] += factor * row[out];
                        }
                    }
                }
            }
            ++place_in_kernel;
        } while (advance(within, kernel_));
    }

    std::int64_t place_in_input(const Integers& output, const Integers& within) const {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < in_.size(); ++d) {
            const WindowDimension& w = window_.dimensions[d];
            const std::int64_t inside = w.reversal ? w.size - 1 - within[d] : within[d];
            const std::int64_t place = output[d] * w.stride + inside * w.window_dilation - w.padding_low;
            if (place < 0 || place % w.base_dilation != 0 || place / w.base_dilation >= in_[d]) return -1;
            at = at * in_[d] + place / w.base_dilation;
        }
        return at;
    }

    // From [batch, spatial, feature] to the order of the result.
    Value reordered() {
        auto cells = o_.allocate(o_.shape().dimensions);
        const Integers to = strides(o_.shape().dimensions);
        Integers sizes, steps;
        for (const std::int64_t d : joined({d_.output_batch}, d_.output_spatial, {d_.output_feature})) {
            sizes.push_back(o_.shape().dimensions[static_cast<std::size_t>(d)]);
            steps.push_back(to[static_cast<std::size_t>(d)]);
        }
        std::size_t next = 0;
        each_offset(sizes, steps, 0, [&](std::int64_t at) {
            (*cells)[static_cast<std::size_t>(at)] = Numbers::cell_of(sums_[next++]);
        });
        settle(o_.shape().type, *cells);
        return array_of(o_.shape().type, o_.shape().dimensions, std::move(cells));
    }

    const Operation& o_;
    const ConvolutionDimensions& d_;
    const Window& window_;
    Integers in_, out_, kernel_;  // spatial sizes
    std::int64_t channels_ = 0, inputs_ = 0, outputs_ = 0, batch_ = 0, features_ = 1, batches_ = 1;
    std::vector<Number> a_, b_, sums_;
};

Value convolution(const Operation& o) {
    return by_kind(o, [&]<typename Numbers>(Numbers) { return Convolution<Numbers>(o).run(); });
}

// The matrices in the last two dimensions.
struct Matrices {
    std::size_t count, rows, columns;
};
Matrices matrices(const Value& value) {
    const std::size_t rank = value.dimensions.size();
    const auto rows = static_cast<std::size_t>(value.dimensions[rank - 2]),
               columns = static_cast<std::size_t>(value.dimensions[rank - 1]);
    return {rows * columns == 0 ? 0 : value.size() / (rows * columns), rows, columns};
}

// Reads the lower triangle, or the upper one; the other triangle of the result is zero. A matrix that is not positive
// definite becomes NaN.
Value cholesky(const Operation& o) {
    const bool lower = o.attributes().cholesky->lower;
    const Value& operand = o.operand(0);
    const auto [count, n, columns] = matrices(operand);
    auto cells = o.allocate(operand.size());
    std::ranges::fill(*cells, cell(0.0));
    o.work(count * n * n * n);
    for (std::size_t b = 0; b < count; ++b) {
        const Cell* const in = operand.cells->data() + b * n * n;
        Cell* const out = cells->data() + b * n * n;
        const auto at = [&](std::size_t i, std::size_t j) { return lower ? i * n + j : j * n + i; };
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t i = j; i < n; ++i) {
                double sum = real(in[at(i, j)]);
                for (std::size_t k = 0; k < j; ++k) sum -= real(out[at(i, k)]) * real(out[at(j, k)]);
                out[at(i, j)] = cell(i == j ? std::sqrt(sum) : sum / real(out[at(j, j)]));
            }
        }
    }
    settle(o.shape().type, *cells);
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

Value triangular_solve(const Operation& o) {
    const TriangularSolve& options = *o.attributes().triangular_solve;
    const Value &a = o.operand(0), &b = o.operand(1);
    const auto [count, n, unused] = matrices(a);
    const auto [unused_count, rows, columns] = matrices(b);
    auto cells = o.allocate(b.size());
    std::ranges::copy(*b.cells, cells->begin());
    o.work(count * n * n * (options.left_side ? columns : rows));
    const bool transposed = options.transpose != 1;
    // x a = b is a' x' = b'. So a system of rows is one of columns with the transpose.
    const bool flipped = transposed != !options.left_side, forward = options.lower != flipped;
    for (std::size_t m = 0; m < count; ++m) {
        const Cell* const matrix = a.cells->data() + m * n * n;
        Cell* const x = cells->data() + m * rows * columns;
        const auto coefficient = [&](std::size_t i, std::size_t j) {
            return real(flipped ? matrix[j * n + i] : matrix[i * n + j]);
        };
        const std::size_t systems = options.left_side ? columns : rows;
        const auto at = [&](std::size_t i, std::size_t system) {
            return options.left_side ? i * columns + system : system * columns + i;
        };
        for (std::size_t system = 0; system < systems; ++system) {
            for (std::size_t step = 0; step < n; ++step) {
                const std::size_t i = forward ? step : n - 1 - step;
                double sum = real(x[at(i, system)]);
                for (std::size_t done = 0; done < step; ++done) {
                    const std::size_t j = forward ? done : n - 1 - done;
                    sum -= coefficient(i, j) * real(x[at(j, system)]);
                }
                x[at(i, system)] = cell(options.unit_diagonal ? sum : sum / coefficient(i, i));
            }
        }
    }
    settle(o.shape().type, *cells);
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

}  // namespace

Evaluate contraction_evaluation(Opcode opcode) {
    switch (opcode) {
        case Opcode::Dot:
            return dot;
        case Opcode::RaggedDot:
            return ragged_dot;
        case Opcode::Convolution:
            return convolution;
        case Opcode::Cholesky:
            return cholesky;
        case Opcode::TriangularSolve:
            return triangular_solve;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo::evaluate
