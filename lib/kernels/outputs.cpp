#include "lib/kernels/outputs.hpp"

namespace trnsim::kernels {

OutputRing::OutputRing(builder::KernelBuilder& builder, std::uint32_t queue, std::uint32_t partitions,
                       isa::Dtype dtype, std::uint32_t columns, std::uint64_t slots)
    : builder_(&builder), queue_(queue), stored_(slots), current_(slots - 1) {
    for (std::uint64_t i = 0; i < slots; ++i) tiles_.push_back(builder.sbuf(partitions, dtype, {columns}));
}

OutputRing::Slot OutputRing::next(std::uint32_t partitions, std::uint32_t columns) {
    current_ = (current_ + 1) % tiles_.size();
    return {tiles_[current_].partition_slice(0, partitions).slice(0, 0, columns), {stored_[current_]}};
}

builder::Event OutputRing::store(const builder::TensorView& to, const Slot& slot, builder::Event written) {
    return stored_[current_] = builder_->store(queue_, to, slot.tile, {written});
}

}  // namespace trnsim::kernels
