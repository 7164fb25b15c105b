#include "tools/bench/openblas.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

namespace trnsim::bench {
namespace {

// The library starts its threads when it is loaded, and the program, which forks, must not have any. So the
// program is not linked with it: the process of a benchmark loads it.
decltype(&cblas_sgemm) load_sgemm() {
    ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
    // The library takes processors newer than itself for a very old one.
    const char* best = __builtin_cpu_supports("avx512vl") ? "SkylakeX" : "Haswell";
    if (__builtin_cpu_supports("avx2")) ::setenv("OPENBLAS_CORETYPE", best, 0);
    void* library = ::dlopen(TRNSIM_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
    void* symbol = library == nullptr ? nullptr : ::dlsym(library, "cblas_sgemm");
    if (symbol == nullptr) throw std::runtime_error(::dlerror());
    return reinterpret_cast<decltype(&cblas_sgemm)>(symbol);
}

}  // namespace

double sgemm_rate(int size, int trials) {
    using Clock = std::chrono::steady_clock;
    const auto sgemm = load_sgemm();
    const auto elements = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> a(elements), b(elements), c(elements);
    for (float& value : a) value = normal(random);
    for (float& value : b) value = normal(random);
    double best = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto begin = Clock::now();
        sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, size, size, size, 1.0f, a.data(), size, b.data(), size,
              0.0f, c.data(), size);
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        best = std::max(best, 1e-6 * static_cast<double>(elements) * size / seconds);
    }
    return best;
}

}  // namespace trnsim::bench
