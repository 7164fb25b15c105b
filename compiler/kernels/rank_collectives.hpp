// Collectives of kernels that are one for several ranks.
#pragma once

#include <cstdint>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/arguments.hpp"

namespace trnsim::kernels {

// Of a kernel of one rank there are none.
inline constexpr ArgumentInfo RanksArgument{"ranks", "cores of a server that run the kernel together",
                                            ArgumentKind::Count, "1"};

class RankCollectives {
  public:
    // In a queue of their own, which `owner` triggers: what it does next waits until their inputs are there.
    RankCollectives(builder::KernelBuilder& builder, std::uint64_t ranks, isa::Engine owner)
        : builder_(builder),
          ranks_(static_cast<std::uint32_t>(ranks)),
          queue_(builder.queue("qCollectives", owner)) {}

    // output = the sum of all ranks' inputs; elements lie one after the other. One view for both is in place.
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
