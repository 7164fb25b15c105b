#include "tools/demo/ridge.hpp"

#include <cmath>

namespace trnsim::demo {
namespace {

// Replaces the lower triangle of the symmetric positive definite `a` [n, n] by L with L L^T = a.
void cholesky(std::vector<double>& a, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) {
        double* row_j = a.data() + j * n;
        for (std::size_t k = 0; k < j; ++k) row_j[j] -= row_j[k] * row_j[k];
        row_j[j] = std::sqrt(row_j[j]);
        for (std::size_t i = j + 1; i < n; ++i) {
            double* row_i = a.data() + i * n;
            for (std::size_t k = 0; k < j; ++k) row_i[j] -= row_i[k] * row_j[k];
            row_i[j] /= row_j[j];
        }
    }
}

// Solves L L^T w = b for one column of `b` [n, stride].
void solve(const std::vector<double>& l, std::size_t n, double* b, std::size_t stride) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i * stride] -= l[i * n + k] * b[k * stride];
        b[i * stride] /= l[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) b[i * stride] -= l[k * n + i] * b[k * stride];
        b[i * stride] /= l[i * n + i];
    }
}

}  // namespace

std::vector<double> ridge(const std::vector<double>& x, const std::vector<double>& t, std::size_t features,
                          std::size_t targets, double penalty) {
    const std::size_t samples = x.size() / features;
    std::vector<double> gram(features * features);
    std::vector<double> weights(features * targets);
    for (std::size_t s = 0; s < samples; ++s) {
        const double* row = x.data() + s * features;
        for (std::size_t i = 0; i < features; ++i) {
            if (row[i] == 0) continue;
            for (std::size_t j = 0; j <= i; ++j) gram[i * features + j] += row[i] * row[j];
            for (std::size_t j = 0; j < targets; ++j) weights[i * targets + j] += row[i] * t[s * targets + j];
        }
    }
    for (std::size_t i = 0; i < features; ++i) gram[i * features + i] += penalty;
    cholesky(gram, features);
    for (std::size_t j = 0; j < targets; ++j) solve(gram, features, weights.data() + j, targets);
    return weights;
}

}  // namespace trnsim::demo
