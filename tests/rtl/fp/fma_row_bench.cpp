// Measures the simulated multiply-accumulates a second of the tensor lane function alone, and OpenBLAS sgemm,
// both on one thread and in processor time. The best of several short runs is taken, so that other load on
// the machine matters little.
#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "Vfma_row_bench_tb.h"
#include "arch/numerics/format.hpp"

namespace {

using trnsim::numerics::Format;

constexpr unsigned Rows = 128;
constexpr unsigned Cols = 128;

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Work>
double best_seconds(int runs, Work work) {
    double best = 1e9;
    for (int run = 0; run < runs; ++run) {
        const double start = processor_seconds();
        work();
        best = std::min(best, processor_seconds() - start);
    }
    return best;
}

double lanes_rate() {
    auto model = std::make_unique<Vfma_row_bench_tb>();
    std::mt19937 generator(1);
    std::normal_distribution<float> normal;
    const auto clock = [&] {
        model->clk_i = 0;
        model->eval();
        model->clk_i = 1;
        model->eval();
    };
    model->load_i = 1;
    for (unsigned r = 0; r < Rows; ++r) {
        for (unsigned c = 0; c < Cols; ++c) {
            model->weights_i[c] = trnsim::numerics::from_fp32(normal(generator), Format::Bf16);
        }
        clock();
        // A decoded operand: exponent code, sign, significand; magnitudes in [1, 2).
        model->moving_i[r] = (449u + 127u) << 20 | (generator() & 0x1000) | 0x800 | (generator() & 0x7f0);
    }
    model->load_i = 0;
    constexpr int Cycles = 100;
    const double seconds = best_seconds(200, [&] {
        for (int cycle = 0; cycle < Cycles; ++cycle) clock();
    });
    return 1e-6 * Rows * Cols * Cycles / seconds;
}

double sgemm_rate() {
    constexpr int Size = 1024;
    constexpr std::size_t Elements = std::size_t{Size} * Size;
    std::vector<float> a(Elements, 1.5f), b(Elements, -0.75f), c(Elements);
    openblas_set_num_threads(1);
    const double seconds = best_seconds(20, [&] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, Size, Size, Size, 1.0f, a.data(), Size,
                    b.data(), Size, 0.0f, c.data(), Size);
    });
    return 1e-6 * Size * Size * Size / seconds;
}

}  // namespace

int main() {
    const double lanes = lanes_rate();
    const double sgemm = sgemm_rate();
    std::printf("fma_row %.0f MMAC/s, sgemm %.0f MMAC/s, ratio %.2f %%\n", lanes, sgemm, 100 * lanes / sgemm);
}
