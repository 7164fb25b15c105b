// Numbers for the contents of buffers and tensors: equal numbers are equal contents.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/builder/step.hpp"
#include "compiler/schedule/lives.hpp"

namespace trnsim::schedule {

using Content = std::uint32_t;

// The contents after each step, in the author's order. Two writes give the same if they are the same
// instruction or transfer, on operands of the same contents, to a buffer of the same size and contents.
class Contents {
  public:
    Contents(const Lives& lives, std::span<const neff::Tensor> tensors);

    // Notes a step without a loop. Returns whether a later step with the same operands may repeat it.
    bool note(const builder::Step& step);
    // Notes that the step has effects of an unknown kind, as those of a loop.
    void note_unknown(const builder::Step& step);

    Content of(std::uint32_t life) const { return lives_[life]; }

  private:
    Content content_of(const builder::Step& step, std::size_t access) const;
    void set(const builder::Step& step, std::size_t access, Content content);
    Content number_of(std::string text);
    Content fresh() { return next_++; }

    const Lives& known_;
    std::vector<Content> lives_, tensors_;
    std::unordered_map<std::string, Content> numbers_;  // by what makes the contents
    Content next_ = 0;
};

}  // namespace trnsim::schedule
