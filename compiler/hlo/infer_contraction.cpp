// Shape rules of dot, convolution and the decompositions of matrices.
#include <algorithm>

#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/site.hpp"

namespace trnsim::hlo {
namespace {

// The instruction says the type of a sum of products.
ElementType result_type(const Site& site) {
    const ElementType type = site.shape().type;
    Site::check(is_integer(type) || is_real(type) || type == ElementType::Pred,
                fmt::format("a result of {}, expected numbers", name(type)));
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
        const ElementType operand = site.array(at).type;
        Site::check(is_real(operand) == is_real(type),
                    fmt::format("products of {} become {}", name(operand), name(type)));
    }
    return type;
}

void check_pairs(const Shape& lhs, const Integers& lhs_dimensions, const Shape& rhs,
                 const Integers& rhs_dimensions, std::string_view what) {
    Site::check(
        lhs_dimensions.size() == rhs_dimensions.size(),
        fmt::format("has {} and {} {} dimensions", lhs_dimensions.size(), rhs_dimensions.size(), what));
    for (std::size_t i = 0; i < lhs_dimensions.size(); ++i) {
        const std::int64_t a = lhs.dimensions[static_cast<std::size_t>(lhs_dimensions[i])],
                           b = rhs.dimensions[static_cast<std::size_t>(rhs_dimensions[i])];
        Site::check(a == b, fmt::format("{} dimensions {} of {} and {} of {} have different sizes", what,
                                        lhs_dimensions[i], format(lhs), rhs_dimensions[i], format(rhs)));
    }
}

Integers joined(const Integers& a, const Integers& b) {
    Integers all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
}

void append_others(Integers& sizes, const Shape& shape, const Integers& without) {
    for (std::size_t d = 0; d < shape.rank(); ++d) {
        if (!contains(without, static_cast<std::int64_t>(d))) sizes.push_back(shape.dimensions[d]);
    }
}

Shape dot(const Site& site) {
    const Shape &lhs = site.array(0), &rhs = site.array(1);
    const DotDimensions& d = present(site.attributes().dot, "dot dimension numbers");
    check_dimensions(joined(d.lhs_batch, d.lhs_contracting), lhs.rank(), "dimensions of the left operand");
    check_dimensions(joined(d.rhs_batch, d.rhs_contracting), rhs.rank(), "dimensions of the right operand");
    check_pairs(lhs, d.lhs_contracting, rhs, d.rhs_contracting, "contracting");
    check_pairs(lhs, d.lhs_batch, rhs, d.rhs_batch, "batch");
    Integers sizes;
    for (const std::int64_t dimension : d.lhs_batch)
        sizes.push_back(lhs.dimensions[static_cast<std::size_t>(dimension)]);
    append_others(sizes, lhs, joined(d.lhs_batch, d.lhs_contracting));
    append_others(sizes, rhs, joined(d.rhs_batch, d.rhs_contracting));
    return array(result_type(site), sizes);
}

// The rows of the left operand are in groups, each of which meets a matrix of its own: the one form that is supported.
Shape ragged_dot(const Site& site) {
    const Shape &lhs = site.array(0), &rhs = site.array(1), &groups = site.array(2);
    const RaggedDotDimensions& d = present(site.attributes().ragged_dot, "ragged dot dimension numbers");
    const Integers lhs_fixed = joined(d.dot.lhs_batch, d.dot.lhs_contracting);
    const Integers rhs_fixed = joined(joined(d.rhs_group, d.dot.rhs_batch), d.dot.rhs_contracting);
    check_dimensions(lhs_fixed, lhs.rank(), "dimensions of the left operand");
    check_dimensions(rhs_fixed, rhs.rank(), "dimensions of the right operand");
    check_pairs(lhs, d.dot.lhs_contracting, rhs, d.dot.rhs_contracting, "contracting");
    check_pairs(lhs, d.dot.lhs_batch, rhs, d.dot.rhs_batch, "batch");
    Site::check(d.lhs_ragged.size() == 1,
                fmt::format("has {} ragged dimensions, expected one", d.lhs_ragged.size()));
    (void)checked_dimension(d.lhs_ragged.front(), lhs.rank(), "lhs_ragged_dims");
    std::int64_t first = 0;
    while (contains(lhs_fixed, first)) ++first;
    Site::check(d.lhs_ragged.front() == first && d.rhs_group.size() == 1,
                "ragged-dot is refused unless its first row dimension is ragged: others are not supported");
    Site::check(is_integer(groups.type) && groups.rank() == 1,
                fmt::format("group sizes {}, expected a vector of integers", format(groups)));
    const std::int64_t matrices = rhs.dimensions[static_cast<std::size_t>(d.rhs_group.front())];
    Site::check(matrices == groups.dimensions.front(),
                fmt::format("{} matrices for {} groups", matrices, groups.dimensions.front()));
    Integers sizes;
    for (const std::int64_t dimension : d.dot.lhs_batch)
        sizes.push_back(lhs.dimensions[static_cast<std::size_t>(dimension)]);
    append_others(sizes, lhs, lhs_fixed);
    append_others(sizes, rhs, rhs_fixed);
    return array(result_type(site), sizes);
}

Shape convolution(const Site& site) {
    const Shape &input = site.array(0), &kernel = site.array(1);
    const ConvolutionDimensions& d = present(site.attributes().convolution, "convolution dimension numbers");
    const Window& window = present(site.attributes().window, "window");
    const std::size_t spatial = window.dimensions.size(), rank = spatial + 2;
    Site::check(input.rank() == rank && kernel.rank() == rank,
                fmt::format("operands {} and {} of a window of {} dimensions", format(input), format(kernel),
                            spatial));
    check_dimensions(joined({d.input_batch, d.input_feature}, d.input_spatial), rank,
                     "dimensions of the input");
    check_dimensions(joined({d.kernel_input_feature, d.kernel_output_feature}, d.kernel_spatial), rank,
                     "dimensions of the kernel");
    check_dimensions(joined({d.output_batch, d.output_feature}, d.output_spatial), rank,
                     "dimensions of the result");
    Site::check(d.input_spatial.size() == spatial && d.kernel_spatial.size() == spatial &&
                    d.output_spatial.size() == spatial,
                fmt::format("expected {} spatial dimensions", spatial));
    const auto size = [](const Shape& shape, std::int64_t dimension) {
        return shape.dimensions[static_cast<std::size_t>(dimension)];
    };
    const std::int64_t features = site.attributes().feature_group_count,
                       batches = site.attributes().batch_group_count;
    Site::check(features >= 1 && batches >= 1 && (features == 1 || batches == 1),
                fmt::format("feature_group_count {} and batch_group_count {}", features, batches));
    const std::int64_t in = size(input, d.input_feature), out = size(kernel, d.kernel_output_feature),
                       batch = size(input, d.input_batch);
    Site::check(in % features == 0 && in / features == size(kernel, d.kernel_input_feature),
                fmt::format("{} features of the input in {} groups meet {} of the kernel", in, features,
                            size(kernel, d.kernel_input_feature)));
    Site::check(out % features == 0 && out % batches == 0 && batch % batches == 0,
                fmt::format("{} features and a batch of {} do not divide into groups", out, batch));
    Integers sizes(rank, 0);
    sizes[static_cast<std::size_t>(d.output_batch)] = batch / batches;
    sizes[static_cast<std::size_t>(d.output_feature)] = out;
    for (std::size_t i = 0; i < spatial; ++i) {
        const std::int64_t extent = size(kernel, d.kernel_spatial[i]);
        Site::check(
            window.dimensions[i].size == extent,
            fmt::format("the window has the size {} and the kernel {}", window.dimensions[i].size, extent));
        sizes[static_cast<std::size_t>(d.output_spatial[i])] =
            windowed_size(size(input, d.input_spatial[i]), window.dimensions[i]);
    }
    return array(result_type(site), sizes);
}

void check_square(const Shape& matrix) {
    const std::size_t rank = matrix.rank();
    Site::check(
        is_real(matrix.type) && rank >= 2 && matrix.dimensions[rank - 1] == matrix.dimensions[rank - 2],
        fmt::format("{} is no square matrix of real numbers", format(matrix)));
}

Shape cholesky(const Site& site) {
    (void)present(site.attributes().cholesky, "cholesky options");
    check_square(site.array(0));
    return site.operand(0);
}

Shape triangular_solve(const Site& site) {
    const TriangularSolve& options = present(site.attributes().triangular_solve, "triangular solve options");
    const Shape &a = site.array(0), &b = site.array(1);
    Site::check(options.transpose >= 1 && options.transpose <= 3,
                fmt::format("there is no transpose {}", options.transpose));
    check_square(a);
    bool fits = a.type == b.type && a.rank() == b.rank();
    for (std::size_t i = 0; fits && i + 2 < a.rank(); ++i) fits = a.dimensions[i] == b.dimensions[i];
    const std::size_t side = options.left_side ? 2 : 1;
    Site::check(fits && b.dimensions[b.rank() - side] == a.dimensions.back(),
                fmt::format("{} does not solve {}", format(a), format(b)));
    return b;
}

}  // namespace

std::int64_t windowed_size(std::int64_t size, const WindowDimension& w) {
    const bool positive = w.size >= 1 && w.stride >= 1 && w.window_dilation >= 1 && w.base_dilation >= 1;
    const std::int64_t largest = std::max({w.size, w.stride, w.window_dilation, w.base_dilation,
                                           std::abs(w.padding_low), std::abs(w.padding_high), size});
    // With these bounds no product below exceeds 64 bits.
    if (!positive || largest > (std::int64_t{1} << 30)) {
        Site::fail(fmt::format("a window of size {}, stride {}, padding {}_{}, dilations {} and {} over {}",
                               w.size, w.stride, w.padding_low, w.padding_high, w.base_dilation,
                               w.window_dilation, size));
    }
    const std::int64_t base = size == 0 ? 0 : (size - 1) * w.base_dilation + 1;
    const std::int64_t padded = base + w.padding_low + w.padding_high,
                       window = (w.size - 1) * w.window_dilation + 1;
    if (padded < 0)
        Site::fail(fmt::format("the padding {}_{} removes more than all of {}", w.padding_low, w.padding_high,
                               size));
    return padded < window ? 0 : (padded - window) / w.stride + 1;
}

Rule contraction_rule(Opcode opcode) {
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

}  // namespace trnsim::hlo
