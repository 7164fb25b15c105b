// The bytes of a large memory; only pages that were ever written take room. Other bytes read as the contents
// given at the start, zeros by default.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "arch/checkpoint/system_state.hpp"
#include "model/contents/random_contents.hpp"

namespace trnsim::tlm::hbm {

class BackingStore {
  public:
    static constexpr std::uint64_t PageBytes = 64ULL * 1024;

    explicit BackingStore(const contents::RandomContents& unwritten = {}) : unwritten_(unwritten) {}

    void read(std::uint64_t address, std::span<std::uint8_t> data) const;
    void write(std::uint64_t address, std::span<const std::uint8_t> data);
    // Makes bytes read as those that were never written; whole pages take no memory of the host any more.
    void forget(std::uint64_t address, std::uint64_t length);

    // Save and load the pages that have been written, by their numbers; load() makes all others unwritten.
    // Throws checkpoint::Error for a page of another size.
    std::vector<checkpoint::PageState> save() const;
    void load(const std::vector<checkpoint::PageState>& pages);

    std::size_t pages() const { return pages_.size(); }  // allocated

  private:
    using Page = std::array<std::uint8_t, PageBytes>;
    contents::RandomContents unwritten_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by address / PageBytes
};

}  // namespace trnsim::tlm::hbm
