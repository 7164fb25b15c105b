// The contents of a stack for payloads: it checks accesses and performs them.
#pragma once

#include "model/hbm/backing_store.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm::hbm {

class Storage {
  public:
    Storage(std::uint64_t capacity, const contents::RandomContents& unwritten)
        : capacity_(capacity), store_(unwritten) {}

    // Returns TLM_ADDRESS_ERROR_RESPONSE beyond the capacity, TLM_BURST_ERROR_RESPONSE for a streaming width
    // below the length.
    Response check(const Payload& payload) const;

    // Performs the access of a payload that has passed check().
    void access(Payload& payload);
    // Makes a debug-transport access: all of it or nothing. Returns the number of bytes.
    unsigned debug(Payload& payload);

    BackingStore& contents() { return store_; }
    std::uint64_t capacity() const { return capacity_; }

  private:
    bool inside(std::uint64_t address, std::uint64_t length) const;

    std::uint64_t capacity_;
    BackingStore store_;
};

}  // namespace trnsim::tlm::hbm
