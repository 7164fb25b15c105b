// Collectives of kernels that run on several ranks together.
#pragma once

#include <cstdint>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/arguments.hpp"

namespace trnsim::kernels {

// The default is one rank, without collectives.
inline constexpr ArgumentInfo RanksArgument{"ranks", "cores of a server that run the kernel together",
                                            ArgumentKind::Count, "1"};

class RankCollectives {
  public:
    // The collectives have a queue of their own, which `owner` triggers: its next instructions wait until the
    // inputs are ready.
    RankCollectives(builder::KernelBuilder& builder, std::uint64_t ranks, isa::Engine owner)
        : builder_(builder),
          ranks_(static_cast<std::uint32_t>(ranks)),
          queue_(builder.queue("qCollectives", owner)) {}

    // output = the sum of all ranks' inputs; the elements of a view are contiguous. One view for both means
    // in place.
    void all_reduce(const builder::TensorView& output, const builder::TensorView& input,
                    builder::Where where = builder::Where::current()) {
        run(collectives::Operation::AllReduce, output, input, where);
    }
    // output [ranks, ...] = the inputs [...] of all ranks.
    void all_gather(const builder::TensorView& output, const builder::TensorView& input,
                    builder::Where where = builder::Where::current()) {
        run(collectives::Operation::AllGather, output, input, where);
    }

  private:
    void run(collectives::Operation operation, const builder::TensorView& output,
             const builder::TensorView& input, const builder::Where& where) {
        std::uint64_t count = 1;
        for (const builder::TensorView::Axis& axis : input.axes) count *= axis.count;
        builder_.collective(queue_, output, input,
                            {{.operation = operation, .dtype = input.dtype, .count = count, .ranks = ranks_}},
                            {}, where);
    }

    builder::KernelBuilder& builder_;
    std::uint32_t ranks_;
    builder::Queue queue_;
};

}  // namespace trnsim::kernels
