#include "compiler/schedule/originals.hpp"

#include <algorithm>
#include <limits>

namespace trnsim::schedule {

using builder::Access;
using builder::Role;
using builder::Step;

namespace {

constexpr std::uint32_t Unchanged = std::numeric_limits<std::uint32_t>::max();

// Returns whether the step does nothing but fill a tile from a tensor.
bool is_plain_load(const Step& step) {
    return step.queue && step.after.empty() && !step.transfer->indirect && !step.transfer->combination &&
           !step.transfer->collective && step.accesses.size() == 2 &&
           std::ranges::all_of(step.accesses, [](const Access& access) {
               return access.tile() != nullptr ? access.role == Role::Write : access.role == Role::Read;
           });
}

bool is_memset(const Step& step) {
    return !step.loop && !step.queue && step.data_path && step.after.empty() &&
           step.instruction.opcode() == isa::Opcode::Memset && step.accesses.size() == 1 &&
           step.accesses.front().role == Role::Write &&
           static_cast<isa::Rounding>(step.instruction.get(isa::field::Rounding)) !=
               isa::Rounding::Stochastic;
}

class Search {
  public:
    Search(const Lives& lives, std::size_t tensors)
        : lives_(lives),
          loads_(lives.all().size()),
          changed_(loads_.size(), Unchanged),
          written_(tensors, 0) {}

    void note(const Step& step, std::uint32_t at, bool in_loop = false) {
        if (step.loop)
            for (const Step& inner : step.loop->body) note(inner, at, true);
        const bool plain = !in_loop && (is_plain_load(step) || is_memset(step));
        for (std::size_t i = 0; i < step.accesses.size(); ++i) {
            const Access& access = step.accesses[i];
            if (access.role == Role::Read) continue;
            if (access.view() != nullptr) {
                written_[access.view()->tensor] = at + 1;
            } else if (const std::uint32_t life = lives_.of(step)[i]; life != NoLife) {
                if (plain && lives_.buffer_of(life).memory == target::Memory::Sbuf)
                    loads_[life].push_back(at);
                else
                    changed_[life] = std::min(changed_[life], at);
            }
        }
    }

    // Returns the loads by life, without those of lives with a tensor that changes later.
    std::vector<std::vector<std::uint32_t>> found(const std::vector<Step>& steps) {
        const auto changes = [&](std::uint32_t at) {
            return std::ranges::any_of(steps[at].accesses, [&](const Access& access) {
                return access.view() != nullptr && written_[access.view()->tensor] > at;
            });
        };
        for (std::size_t life = 0; life < loads_.size(); ++life)
            if (std::ranges::any_of(loads_[life], changes)) loads_[life].clear();
        return std::move(loads_);
    }

    // Returns the place of the first other step that writes a life, by life.
    const std::vector<std::uint32_t>& changed() const { return changed_; }

  private:
    const Lives& lives_;
    std::vector<std::vector<std::uint32_t>> loads_;  // by life
    std::vector<std::uint32_t> changed_;             // by life
    std::vector<std::uint32_t> written_;  // by tensor: the last step that writes it, counted from 1
};

}  // namespace

Originals::Originals(const std::vector<Step>& steps, const Lives& lives, std::size_t tensors)
    : is_load_(steps.size()) {
    Search search(lives, tensors);
    for (std::uint32_t at = 0; at < steps.size(); ++at) search.note(steps[at], at);
    loads_ = search.found(steps);
    changed_ = search.changed();
    for (const auto& loads : loads_)
        for (const std::uint32_t at : loads) is_load_[at] = true;
}

}  // namespace trnsim::schedule
