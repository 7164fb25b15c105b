#include "compiler/kernels/all_gather_matmul.hpp"

#include <fmt/format.h>

#include "compiler/kernels/descriptions.hpp"
#include "compiler/kernels/linear.hpp"
#include "compiler/kernels/rank_collectives.hpp"

namespace trnsim::kernels {
namespace {

using builder::TensorView;
using Kind = neff::TensorKind;

neff::Package build_all_gather_matmul(const Arguments& arguments, const target::Chip& target) {
    const std::uint64_t m = arguments.count("M"), k = arguments.count("K"), n = arguments.count("N");
    const std::uint64_t ranks = arguments.count("ranks"), pieces = arguments.count("pieces");
    const isa::Dtype dtype = arguments.dtype("dtype");
    if (m % pieces != 0) arguments.refuse("pieces", fmt::format("a divisor of M {}", m));
    const std::uint64_t rows = m / pieces;
    builder::KernelBuilder builder("all_gather_matmul", arguments.text(), target);
    const TensorView x = builder.tensor("x", Kind::Input, dtype, {m, k});
    const TensorView w = builder.tensor("w", Kind::Input, dtype, {k, n});
    const TensorView y = builder.tensor("y", Kind::Output, isa::Dtype::Fp32, {ranks * m, n});

    Kit kit(builder);
    std::vector<Linear> layers;
    if (ranks == 1) {
        layers.push_back({x, w, y, {}, {}, false});
    } else {
        const TensorView all = builder.tensor("gathered", Kind::Scratch, dtype, {pieces, ranks * rows, k});
        // Sync has nothing to do before the first loads, and the inputs are ready: all gathers start at once.
        RankCollectives collectives(builder, ranks, isa::Engine::Sync);
        for (std::uint64_t piece = 0; piece < pieces; ++piece) {
            TensorView gathered = all.slice(0, piece, 1);
            gathered.axes.erase(gathered.axes.begin());
            collectives.all_gather(gathered, x.slice(0, piece * rows, rows));
            for (std::uint64_t rank = 0; rank < ranks; ++rank)
                layers.push_back({gathered.slice(0, rank * rows, rows),
                                  w,
                                  y.slice(0, rank * m + piece * rows, rows),
                                  {},
                                  {},
                                  false});
        }
    }
    emit_linear(kit, layers);
    return builder.finish();
}

constexpr std::array GatherMatmulArguments{
    ArgumentInfo{"M", "rows of x on each rank", ArgumentKind::Count, ""},
    ArgumentInfo{"K", "contraction", ArgumentKind::Count, ""},
    ArgumentInfo{"N", "columns of y", ArgumentKind::Count, ""},
    DtypeArgument,
    RanksArgument,
    ArgumentInfo{"pieces", "in which rows are gathered, a divisor of M", ArgumentKind::Count, "1"},
};
constexpr std::array Inputs{
    TensorInfo{"x", "[M, K] dtype: this rank's rows"},
    TensorInfo{"w", "[K, N] dtype: this rank's columns"},
};
constexpr std::array Outputs{TensorInfo{"y", "[ranks M, N] fp32: the rows of all ranks times w"}};

}  // namespace

constinit const Kernel AllGatherMatmulKernel{"all_gather_matmul",
                                             "y = (rows of all ranks) w, gathered while they are multiplied",
                                             GatherMatmulArguments,
                                             Inputs,
                                             Outputs,
                                             build_all_gather_matmul};

}  // namespace trnsim::kernels
