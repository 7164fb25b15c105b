#include "compiler/kernels/attention_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arch/target/memory.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/kernels/operand.hpp"

namespace trnsim::kernels {

using isa::Dtype;

namespace {

constexpr std::uint32_t OverlapBanks = 4;  // two of scores, two for everything else
constexpr std::uint32_t MaxGroup = 4;

std::uint64_t bytes_of(const Kit& kit, const AttentionShape& shape, const AttentionPlan& plan) {
    const std::uint64_t turned = std::uint64_t{plan.parts} * plan.block;
    const std::uint64_t group = std::uint64_t{plan.group} * plan.block;
    const Dtype dtype = shape.dtype;
    return Transposer::bytes(kit, dtype) + ring_bytes(kit.block(), Dtype::U8, 1) +  // mask
           ring_bytes(shape.dim, dtype, 2ULL * plan.slots) +                        // q, k
           ring_bytes(turned, dtype, plan.slots) +                                  // q.T
           (ring_bytes(turned, dtype, 1) + ring_bytes(shape.dim, dtype, 1)) * plan.held +
           ring_bytes(group, dtype, 2ULL * plan.slots) +  // probabilities and their transpose
           ring_bytes(plan.block, Dtype::Fp32, 2) +       // masked scores
           ring_bytes(plan.distances, Dtype::Fp32, 1) +   // scores - maximum
           ring_bytes(16, Dtype::Fp32, 2) + ring_bytes(1, Dtype::Fp32, 2) +  // figures
           ring_bytes(shape.dim, Dtype::Fp32, plan.slots) + ring_bytes(shape.dim, dtype, plan.slots);
}

// Returns whether its product with any number is exact unless it is subnormal.
bool is_power_of_two(float value) {
    int exponent = 0;
    return std::frexp(value, &exponent) == 0.5f;
}

}  // namespace

float attention_scale(const AttentionShape& shape) {
    return static_cast<float>(1 / std::sqrt(static_cast<double>(shape.dim)));
}

AttentionPlan plan_attention(const Kit& kit, const AttentionShape& shape) {
    const std::uint32_t bank = target::bank_columns(kit.builder.target());
    AttentionPlan plan;
    plan.block =
        static_cast<std::uint32_t>(std::min<std::uint64_t>({kit.block(), kit.partitions(), shape.seq, bank}));
    plan.parts = static_cast<std::uint32_t>(div_up(shape.dim, kit.block()));
    for (plan.slots = 2; plan.slots > 0; --plan.slots) {
        plan.overlapped = plan.slots == 2 && kit.banks() >= OverlapBanks;
        plan.group = plan.overlapped ? std::min(MaxGroup, bank / plan.block) : 1;
        plan.distances = is_power_of_two(attention_scale(shape)) ? 0 : std::uint64_t{plan.group} * plan.block;
        for (const std::uint64_t held : {plan.blocks(shape), std::uint64_t{2}, std::uint64_t{1}}) {
            plan.held = std::min(held, plan.blocks(shape));
            if (bytes_of(kit, shape, plan) <= kit.builder.sbuf_left()) return plan;
        }
    }
    throw builder::Error(fmt::format("attention of dim {} does not fit {} bytes a partition", shape.dim,
                                     kit.builder.sbuf_left()));
}

std::vector<AttentionStep> attention_steps(const AttentionShape& shape, const AttentionPlan& plan) {
    std::vector<AttentionStep> steps;
    for (std::uint64_t query = 0; query < plan.blocks(shape); ++query) {
        const std::uint64_t whole = shape.causal ? query : plan.blocks(shape);
        const std::size_t begin = steps.size();
        for (std::uint64_t key = 0; key < whole; key += plan.group) {
            steps.push_back(
                {query, key, static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.group, whole - key))});
        }
        if (shape.causal) steps.push_back({query, query, 1, false, false, true});
        steps[begin].first = true;
        steps.back().last = true;
        for (std::size_t i = begin; i < steps.size(); ++i)
            steps[i].number = static_cast<std::uint32_t>(i - begin);
    }
    return steps;
}

}  // namespace trnsim::kernels
