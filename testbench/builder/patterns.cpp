#include "testbench/builder/patterns.hpp"

#include <fmt/format.h>

#include "testbench/builder/dtype.hpp"
#include "testbench/builder/error.hpp"

namespace trnsim::builder {

namespace field = isa::field;

const OperandFields OperandDst{&field::DstAddr,
                               &field::DstDtype,
                               {&field::DstStep0, &field::DstStep1, &field::DstStep2, &field::DstStep3}};
const OperandFields OperandA{
    &field::AAddr, &field::ADtype, {&field::AStep0, &field::AStep1, &field::AStep2, &field::AStep3}};
const OperandFields OperandB{
    &field::BAddr, &field::BDtype, {&field::BStep0, &field::BStep1, &field::BStep2, &field::BStep3}};

namespace {

constexpr std::array<const isa::Field*, 4> Counts{&field::Count0, &field::Count1, &field::Count2,
                                                  &field::Count3};

struct Dimension {
    std::uint64_t count;
    std::int64_t tensor_step, core_step;  // bytes
};

// Outermost first, partitions included.
std::vector<Dimension> dimensions(const neff::Target& target, const Tile& tile, const TensorView& view) {
    const std::int64_t bytes = bytes_of(tile.dtype);
    bool same = tile.dtype == view.dtype && view.axes.size() == tile.axes.size() + 1;
    std::vector<Dimension> all;
    for (std::size_t i = 0; same && i < view.axes.size(); ++i) {
        const std::uint64_t count = i == 0 ? tile.partitions : tile.axes[i - 1].count;
        const std::int64_t step =
            i == 0 ? partition_stride(target, tile.memory) : tile.axes[i - 1].step * bytes;
        same = count == view.axes[i].count;
        all.push_back({count, view.axes[i].step * bytes, step});
    }
    if (!same) {
        throw Error(fmt::format("transfer: {} {} does not fit {}", isa::name_of(view.dtype), view.describe(),
                                tile.describe()));
    }
    return all;
}

}  // namespace

void set_shape(isa::Instruction& instruction, const Tile& tile) {
    for (std::size_t i = 0; i < Counts.size(); ++i) {
        instruction.set(*Counts[i], i < tile.axes.size() ? tile.axes[tile.axes.size() - 1 - i].count : 1u);
    }
}

void set_operand(isa::Instruction& instruction, const OperandFields& fields, const neff::Target& target,
                 const Tile& tile) {
    instruction.set(*fields.address, address_of(target, tile.memory, tile.partition, tile.offset))
        .set(*fields.dtype, tile.dtype);
    for (std::size_t i = 0; i < tile.axes.size(); ++i) {
        const Axis& axis = tile.axes[tile.axes.size() - 1 - i];
        if (axis.count > 1 || i == 0) instruction.set_signed(*fields.step[i], axis.count > 1 ? axis.step : 1);
    }
}

PatternPair transfer_patterns(const neff::Target& target, const Tile& tile, const TensorView& view) {
    std::vector<Dimension> merged;  // innermost first
    const std::vector<Dimension> all = dimensions(target, tile, view);
    for (auto dimension = all.rbegin(); dimension != all.rend(); ++dimension) {
        if (dimension->count == 1) continue;
        if (!merged.empty()) {
            Dimension& inner = merged.back();
            const auto count = static_cast<std::int64_t>(inner.count);
            if (dimension->tensor_step == inner.tensor_step * count &&
                dimension->core_step == inner.core_step * count) {
                inner.count *= dimension->count;
                continue;
            }
        }
        merged.push_back(*dimension);
    }
    PatternPair pair;
    if (merged.size() > pair.tensor.count.size()) {
        throw Error(fmt::format("transfer: {} <-> {} needs more than {} dimensions", view.describe(),
                                tile.describe(), pair.tensor.count.size()));
    }
    pair.tensor.place = neff::Pattern::Place::Tensor;
    pair.tensor.tensor = view.tensor;
    pair.tensor.offset = view.offset * bytes_of(view.dtype);
    pair.core.place = neff::Pattern::Place::Core;
    pair.core.offset = address_of(target, tile.memory, tile.partition, tile.offset);
    for (std::size_t i = 0; i < merged.size(); ++i) {
        pair.tensor.count[i] = pair.core.count[i] = static_cast<std::uint32_t>(merged[i].count);
        pair.tensor.step[i] = merged[i].tensor_step;
        pair.core.step[i] = merged[i].core_step;
    }
    return pair;
}

}  // namespace trnsim::builder
