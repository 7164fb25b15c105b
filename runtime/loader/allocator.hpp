// HBM addresses: blocks of the stacks that are taken and given back.
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

    // Returns a block of `bytes` within one stack: the stack with the fewest used bytes (the first of
    // several), so that all of them are in use, or, if that has no room, the next. It has the lowest free
    // addresses of the stack. `align` is a power of two; with `stack` only that stack is tried. Throws Error
    // (Resource) that names `what` and the sizes when there is no room.
    std::uint64_t allocate(std::uint64_t bytes, std::uint64_t align, std::string_view what,
                           std::optional<std::size_t> stack = {});

    // Gives back the block at `address`, which is joined with free neighbours. Throws std::logic_error when
    // no block begins there.
    void free(std::uint64_t address);

    std::uint64_t used() const;     // bytes, alignment gaps included
    std::uint64_t largest() const;  // bytes of the largest free range
    std::size_t blocks() const { return blocks_.size(); }

  private:
    struct Stack {
        std::map<std::uint64_t, std::uint64_t> free;  // key: first byte, value: end; never adjacent
        std::uint64_t used = 0;
    };
    struct Block {
        std::size_t stack;
        std::uint64_t begin, end;  // bytes in the stack; the gap before the address is part of it
    };

    std::optional<std::uint64_t> take(std::size_t stack, std::uint64_t bytes, std::uint64_t align);
    std::uint64_t room(std::size_t stack, std::uint64_t align) const;

    std::uint64_t capacity_;  // bytes of a stack
    std::vector<Stack> stacks_;
    std::map<std::uint64_t, Block> blocks_;  // key: system address
};

// A group of blocks: all are given back with this object, or kept.
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
