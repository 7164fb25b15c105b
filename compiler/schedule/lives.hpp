// Lives of buffers: a buffer that is written anew as a whole begins a new life, which may lie elsewhere.
//
// So a tile in a loop of the front end has as many places as fit, loads run ahead of the engines, and no step
// waits for the readers of old contents. The code needs numbered steps (number()) and does not change them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/builder/step.hpp"

namespace trnsim::schedule {

// The contents of a buffer from one write of all of it to the next. `first` and `last` are places in the
// order of issue.
struct Life {
    std::uint32_t buffer = 0;
    std::uint32_t first = 0, last = 0;
    std::uint32_t byte = 0;  // its place, once it is allocated
};

constexpr std::uint32_t NoLife =
    ~std::uint32_t{0};  // life of an access to HBM, or to a place that the author chose

// Numbers the steps in their order, a loop before its body. Events that steps come after name the new
// numbers.
void number(std::vector<builder::Step>& steps);

class Lives {
  public:
    Lives(const std::vector<builder::Step>& steps, const std::vector<builder::Buffer>& buffers);

    std::vector<Life>& all() { return all_; }
    const std::vector<Life>& all() const { return all_; }
    // Returns the lives of a step by access.
    std::span<const std::uint32_t> of(const builder::Step& step) const {
        return std::span(lives_).subspan(begins_[step.number], step.accesses.size());
    }
    const builder::Buffer& buffer_of(std::uint32_t life) const { return buffers_[all_[life].buffer - 1]; }
    std::uint32_t steps() const { return static_cast<std::uint32_t>(begins_.size()); }

    // Sets the beginning and end of each life for steps that are issued in this order.
    void set_extents(const std::vector<builder::Step>& steps);

  private:
    void walk(const std::vector<builder::Step>& steps);
    void enter(const builder::Step& step);
    void enter_loop(const builder::Step& step);
    std::uint32_t life_of(std::uint32_t buffer, bool anew);
    void extend(const std::vector<builder::Step>& steps, std::uint32_t& at);

    const std::vector<builder::Buffer>& buffers_;
    std::vector<Life> all_;
    std::vector<std::uint32_t> lives_, begins_;  // life of each access; index of each step's first access
    std::vector<std::uint32_t> current_;         // by buffer
    std::vector<std::uint32_t> pins_;            // by buffer: loops around that carry its contents
    struct Carried {
        std::uint32_t loop, life;  // number of the loop's step, life
    };
    std::vector<Carried> carried_;  // in the order of the loops
};

}  // namespace trnsim::schedule
