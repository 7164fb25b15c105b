// A first-fit heap: a list of all blocks in the order of their addresses; neighbours that are free are
// merged.
#include "trnsim/heap.hpp"

extern "C" char heap_begin[], heap_end[];

namespace trnsim {
namespace {

constexpr uint32_t Align = 64;

// The header before every block. It is as large as the alignment, so that the data after it is aligned.
struct alignas(Align) Block {
    Block* next;
    uint32_t bytes;  // size of the data
    bool used;
};

uint32_t heap_bytes() {
    return static_cast<uint32_t>(heap_end - heap_begin);
}

Block* first() {
    return reinterpret_cast<Block*>(heap_begin);
}

bool is_set_up = false;

void set_up() {
    if (is_set_up) return;
    is_set_up = true;
    *first() = {nullptr, heap_bytes() - static_cast<uint32_t>(sizeof(Block)), false};
}

void merge_with_next(Block* block) {
    if (block->used || block->next == nullptr || block->next->used) return;
    block->bytes += sizeof(Block) + block->next->bytes;
    block->next = block->next->next;
}

}  // namespace

void* tcm_malloc(uint32_t bytes) {
    set_up();
    if (bytes == 0 || bytes > heap_bytes()) return nullptr;
    bytes = (bytes + Align - 1) & ~(Align - 1);
    for (Block* block = first(); block != nullptr; block = block->next) {
        if (block->used || block->bytes < bytes) continue;
        if (block->bytes >= bytes + sizeof(Block) + Align) {
            auto* rest = reinterpret_cast<Block*>(reinterpret_cast<char*>(block + 1) + bytes);
            *rest = {block->next, block->bytes - bytes - static_cast<uint32_t>(sizeof(Block)), false};
            block->next = rest;
            block->bytes = bytes;
        }
        block->used = true;
        return block + 1;
    }
    return nullptr;
}

void tcm_free(void* data) {
    set_up();
    Block* before = nullptr;
    for (Block* block = first(); block != nullptr; before = block, block = block->next) {
        if (block + 1 != data || !block->used) continue;
        block->used = false;
        merge_with_next(block);
        if (before != nullptr) merge_with_next(before);
        return;
    }
}

}  // namespace trnsim
