// HBM addresses: blocks of the stacks, taken and given back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/config/config.hpp"

namespace trnsim::loader {

using addresses::HbmStackStride;

class Allocator {
  public:
    explicit Allocator(const config::Hbm& hbm);

    // A block of `bytes` within one stack: the one with least in it (of several the first), so that all of
    // them are at work, or, where that has no room, the next. In the stack, the lowest addresses that are
    // free. `align` is a power of two; with `stack` only that one is tried. Throws Error (Resource) that
    // names `what` and the sizes when there is no room.
    std::uint64_t allocate(std::uint64_t bytes, std::uint64_t align, std::string_view what,
                           std::optional<std::size_t> stack = {});

    // Gives back the block at `address`, which joins what is free beside it. Throws std::logic_error when no
    // block begins there.
    void free(std::uint64_t address);

    std::uint64_t used() const;     // bytes, alignment gaps included
    std::uint64_t largest() const;  // bytes of the largest free range
    std::size_t blocks() const { return blocks_.size(); }

  private:
    struct Stack {
        std::map<std::uint64_t, std::uint64_t> free;  // end by beginning, never adjacent
        std::uint64_t used = 0;
    };
    struct Block {
        std::size_t stack;
        std::uint64_t begin, end;  // in the stack; the gap before the address is part of it
    };

    std::optional<std::uint64_t> take(std::size_t stack, std::uint64_t bytes, std::uint64_t align);
    std::uint64_t room(std::size_t stack, std::uint64_t align) const;

    std::uint64_t capacity_;  // of a stack
    std::vector<Stack> stacks_;
    std::map<std::uint64_t, Block> blocks_;  // by system address
};

// Blocks that belong together: all are given back with this object, or kept.
class Blocks {
  public:
    explicit Blocks(Allocator& allocator) : allocator_(&allocator) {}
    Blocks(Blocks&& other) noexcept;
    Blocks& operator=(Blocks&& other) noexcept;
    ~Blocks() { free_all(); }

    std::uint64_t allocate(std::uint64_t bytes, std::uint64_t align, std::string_view what);

  private:
    void free_all();

    Allocator* allocator_;
    std::vector<std::uint64_t> addresses_;
};

}  // namespace trnsim::loader
