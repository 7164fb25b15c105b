#include "compiler/schedule/contents.hpp"

#include <algorithm>

#include "compiler/schedule/states.hpp"

namespace trnsim::schedule {

using builder::Access;
using builder::Role;
using builder::Step;

namespace {

template <typename Value>
void append(std::string& text, const Value& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::string& text, const neff::Pattern& pattern) {
    append(text, pattern.offset);
    append(text, pattern.step);
    append(text, pattern.count);
}

// Returns whether the result of the step depends on nothing but its operands, and it has one.
bool is_pure(const Step& step) {
    const auto writes = [](const Access& access) { return access.role != Role::Read; };
    if (!step.after.empty() || std::ranges::count_if(step.accesses, writes) != 1) return false;
    if (std::ranges::find(step.accesses, Role::Some, &Access::role) != step.accesses.end()) return false;
    if (step.queue)
        return !step.transfer->indirect && !step.transfer->combination && !step.transfer->collective;
    const bool draws =
        static_cast<isa::Rounding>(step.instruction.get(isa::field::Rounding)) == isa::Rounding::Stochastic;
    // A memset takes less than what waits for a tile that many steps share.
    const bool fills = step.instruction.opcode() == isa::Opcode::Memset;
    return (step.engine == isa::Engine::Vector || step.engine == isa::Engine::Scalar) && step.data_path &&
           !state_of(step) && !draws && !fills;
}

// Returns the step without its operands: what it does and where in them.
std::string text_of(const Step& step) {
    std::string text;
    if (step.queue) {
        append(text, step.transfer->element_bytes);
        append(text, step.transfer->transposes);
        append(text, step.transfer->from);
        append(text, step.transfer->to);
        return text;
    }
    append(text, step.engine);
    const auto bytes = step.instruction.bytes();
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text;
}

// Nothing but the kernel sees a scratch tensor: those of one shape begin with the same contents.
std::string text_of(const neff::Tensor& tensor) {
    std::string text(1, static_cast<char>(tensor.dtype));
    for (const std::uint64_t count : tensor.shape) append(text, count);
    return text;
}

std::string text_of(const builder::Buffer& buffer) {
    std::string text;
    append(text, buffer.memory);
    append(text, buffer.partitions);
    append(text, buffer.bytes);
    return text;
}

}  // namespace

Contents::Contents(const Lives& lives, std::span<const neff::Tensor> tensors)
    : known_(lives), lives_(lives.all().size()) {
    for (std::uint32_t life = 0; life < lives_.size(); ++life)
        lives_[life] = number_of(text_of(lives.buffer_of(life)));
    for (const neff::Tensor& tensor : tensors)
        tensors_.push_back(tensor.kind == neff::TensorKind::Scratch ? number_of(text_of(tensor)) : fresh());
}

bool Contents::note(const Step& step) {
    const auto is_placed = [](const Access& access) {
        return access.tile() != nullptr && access.tile()->buffer == 0;
    };
    if (!is_pure(step) || std::ranges::any_of(step.accesses, is_placed)) {
        note_unknown(step);
        return false;
    }
    std::string text = text_of(step);
    for (std::size_t access = 0; access < step.accesses.size(); ++access) {
        append(text, step.accesses[access].role);
        append(text, content_of(step, access));
    }
    const Content content = number_of(std::move(text));
    for (std::size_t access = 0; access < step.accesses.size(); ++access)
        if (step.accesses[access].role != Role::Read) set(step, access, content);
    return true;
}

void Contents::note_unknown(const Step& step) {
    for (std::size_t access = 0; access < step.accesses.size(); ++access)
        if (step.accesses[access].role != Role::Read) set(step, access, fresh());
}

Content Contents::content_of(const Step& step, std::size_t access) const {
    if (const builder::TensorView* view = step.accesses[access].view()) return tensors_[view->tensor];
    return lives_[known_.of(step)[access]];
}

void Contents::set(const Step& step, std::size_t access, Content content) {
    if (const builder::TensorView* view = step.accesses[access].view()) {
        tensors_[view->tensor] = content;
    } else if (const std::uint32_t life = known_.of(step)[access]; life != NoLife) {
        lives_[life] = content;
    }
}

Content Contents::number_of(std::string text) {
    const auto [found, made] = numbers_.try_emplace(std::move(text), next_);
    if (made) ++next_;
    return found->second;
}

}  // namespace trnsim::schedule
