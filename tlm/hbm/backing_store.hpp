// Bytes of a large memory, of which only the pages ever written take room. What was never written reads as 0.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

namespace trnsim::tlm::hbm {

class BackingStore {
  public:
    static constexpr std::uint64_t PageBytes = 64ULL * 1024;

    void read(std::uint64_t address, std::span<std::uint8_t> data) const;
    void write(std::uint64_t address, std::span<const std::uint8_t> data);

    std::size_t pages() const { return pages_.size(); }  // allocated

  private:
    using Page = std::array<std::uint8_t, PageBytes>;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by address / PageBytes
};

}  // namespace trnsim::tlm::hbm
