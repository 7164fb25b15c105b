#include <algorithm>
#include <array>
#include <chrono>

#include "arch/numerics/format.hpp"
#include "arch/target/target.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/checksum.hpp"
#include "compiler/neff/neff.hpp"
#include "tools/bench/benchmark.hpp"
#include "tools/bench/collectives_benchmarks.hpp"
#include "tools/bench/dma_benchmarks.hpp"
#include "tools/bench/elementwise_benchmarks.hpp"
#include "tools/bench/fast_benchmarks.hpp"
#include "tools/bench/gpsimd_benchmarks.hpp"
#include "tools/bench/hbm_benchmarks.hpp"
#include "tools/bench/parity_benchmarks.hpp"
#include "tools/bench/rtl_benchmarks.hpp"
#include "tools/bench/server_benchmarks.hpp"

namespace trnsim::bench {
namespace {

// Returns how many times a second `action` can run, measured over at least 0.2 s.
template <typename Action>
double rate(Action&& action) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    std::uint64_t runs = 0;
    double seconds = 0;
    while (seconds < 0.2) {
        action();
        ++runs;
        seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    return static_cast<double>(runs) / seconds;
}

Figure measure_load(const Environment&) {
    const target::Core target = target::of(config::load("trn1"));
    const auto package =
        kernels::build_kernel("matmul", {{"M", "1024"}, {"K", "1024"}, {"N", "1024"}}, target);
    const std::vector<std::uint8_t> file = neff::serialise(package);
    const double megabytes = static_cast<double>(file.size()) / 1e6;
    std::uint64_t sink = 0;
    Figure figure;
    figure.value = megabytes * rate([&] { sink += neff::parse(file, "kernel").programs[0].size(); });
    figure.reference = megabytes * rate([&] { sink += neff::sha256(file)[0]; });
    if (sink == 0) throw std::runtime_error("nothing was loaded");
    return figure;
}

// Measures million elements a second from fp32 to bf16; the reference copies as many bytes as the conversion
// reads.
Figure measure_input_conversion(const Environment&) {
    std::vector<float> values(1 << 20);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.37f - 1e5f;
    const double millions = static_cast<double>(values.size()) / 1e6;
    std::vector<std::uint8_t> narrow(values.size() * 2);
    std::vector<float> copy(values.size());
    std::uint64_t sink = 0;
    Figure figure;
    figure.value = millions * rate([&] {
                       numerics::from_fp32(values, isa::Dtype::Bf16, narrow.data());
                       sink += narrow.back();
                   });
    figure.reference = millions * rate([&] {
                           std::ranges::copy(values, copy.begin());
                           sink += copy.back() != 0;
                       });
    if (sink == 0) throw std::runtime_error("nothing was converted");
    return figure;
}

constexpr std::array Benchmarks{
    Benchmark{"rtl-matmul", "bf16 1024 x 1024 x 1024 matmul through the whole system on the 128 x 128 RTL",
              "MMAC/s", "OpenBLAS sgemm, one thread", measure_rtl_matmul},
    Benchmark{"rtl-utilisation", "Tensor utilisation of that kernel, first to last matmul", "%", "peak",
              measure_rtl_utilisation},
    Benchmark{"rtl-vector", "Vector fp32 add over 128 x 8192 elements through the whole system, 16 passes",
              "million elements/s", "scalar C++ on one thread", measure_rtl_vector},
    Benchmark{"rtl-scalar", "Scalar exp over 128 x 8192 elements through the whole system, 16 passes",
              "million elements/s", "scalar C++ with std::exp on one thread", measure_rtl_scalar},
    Benchmark{"fast-matmul",
              "instructions of a bf16 4096 x 4096 x 4096 matmul on the fast core's Tensor and Vector engines",
              "MMAC/s", "OpenBLAS sgemm, one thread", measure_fast_matmul},
    Benchmark{"fast-vector", "the fast core's tensor_tensor, fp32 addition over 128 x 2048 elements",
              "million elements/s", "the same loop in C++, vectorised, on one thread", measure_fast_vector},
    Benchmark{"fast-scalar", "the fast core's activation, exp of fp32 over 128 x 2048 elements",
              "million elements/s", "C++ with std::exp on one thread", measure_fast_scalar},
    Benchmark{"fast-gpsimd",
              "instructions of the fast core's eight GpSimd cores at fp32 additions through the whole system",
              "million instructions/s", "the same on the RTL", measure_fast_gpsimd},
    Benchmark{"fast-server",
              "weights of a data-parallel step of AdamW on 32 fast cores of trn1.32xlarge, two processes",
              "million weights/s", "the same in one process", measure_fast_server},
    Benchmark{
        "parity-timing",
        "worst error of the fast core's completion cycles, kernel library and random programs on small16",
        "%", "what is allowed", measure_parity_timing},
    Benchmark{
        "published",
        "simulated time of the bf16 matmul of 4096 x 8192 x 8192, on the fast core or another (--fidelity)",
        "ms", "published", measure_published, true},
    Benchmark{"rtl-gpsimd", "instructions of eight GpSimd cores at fp32 additions through the whole system",
              "million instructions/s", "one core alone", measure_rtl_gpsimd},
    Benchmark{"rtl-gpsimd-cycles", "cycles of the eight cores together, in the same kernel",
              "million core-cycles/s", "one core alone", measure_rtl_gpsimd_cycles},
    Benchmark{"gpsimd-iss",
              "instructions of a GpSimd core at fp32 additions on the instruction-set simulator",
              "million instructions/s", "one core alone in RTL", measure_gpsimd_iss},
    Benchmark{"gpsimd-iss-scalar", "the same of a loop of scalar code", "million instructions/s",
              "the loop in C++ on one thread", measure_gpsimd_iss_scalar},
    Benchmark{"hbm-stream-64", "reads of 64 B in a row through a stack of HBM with banks",
              "million requests/s of wall time", "the model without banks", measure_hbm_64},
    Benchmark{"hbm-stream-512", "reads of 512 B in a row through a stack of HBM with banks",
              "GB/s of wall time", "the model without banks", measure_hbm_512},
    Benchmark{"hbm-stream-4096", "the same of 4 KiB", "GB/s of wall time", "the model without banks",
              measure_hbm_4096},
    Benchmark{"hbm-gather", "random reads of 64 B through a stack of HBM with banks", "GB/s of wall time",
              "the model without banks", measure_hbm_gather},
    Benchmark{"dma-stream", "copies of 16 DMA engines from stack to stack, in packets of 1 MiB",
              "GB/s of wall time", "a copy in the host's memory", measure_dma_stream},
    Benchmark{"dma-cast", "the same of fp32 cast to bf16", "GB/s of wall time", "the conversion on the host",
              measure_dma_cast},
    Benchmark{"collectives", "all-reduce of 4 MiB of bf16 by the 32 ranks of trn1.32xlarge, all inputs",
              "GB/s of wall time", "the schedule on memories of the host", measure_collectives},
    Benchmark{"idle", "simulated Tensor cycles a second while the core waits for DMA", "Mcycle/s",
              "the same while the array works", measure_idle},
    Benchmark{"kernel-load", "reading and checking the container of a 1024 x 1024 x 1024 matmul", "MB/s",
              "SHA-256 of the same bytes, which loading includes", measure_load},
    Benchmark{"input-conversion", "fp32 inputs rounded to bf16", "million elements/s", "copying them",
              measure_input_conversion},
};

}  // namespace

std::span<const Benchmark> benchmarks() {
    return Benchmarks;
}

}  // namespace trnsim::bench
