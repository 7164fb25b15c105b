// The memories of a chip as bytes by system address. The initial value of a byte depends on its address.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace trnsim::test {

class PlainMemory {
  public:
    std::uint8_t read(std::uint64_t address) const {
        const Page* page = find(address / PageBytes);
        return page == nullptr ? beginning(address) : (*page)[address % PageBytes];
    }
    void write(std::uint64_t address, std::uint8_t byte) {
        if (find(address / PageBytes) == nullptr) {
            Page& page = pages_[address / PageBytes];
            const std::uint64_t first = address / PageBytes * PageBytes;
            for (std::uint64_t i = 0; i < PageBytes; ++i) page[i] = beginning(first + i);
            last_ = &page;
        }
        (*last_)[address % PageBytes] = byte;
    }

    // Loads a little-endian value.
    std::uint64_t load(std::uint64_t address, unsigned bytes) const {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{read(address + i)} << 8 * i;
        return value;
    }
    void store(std::uint64_t address, unsigned bytes, std::uint64_t value) {
        for (unsigned i = 0; i < bytes; ++i) write(address + i, static_cast<std::uint8_t>(value >> 8 * i));
    }
    void store(std::uint64_t address, std::span<const std::uint8_t> bytes) {
        for (const std::uint8_t byte : bytes) write(address++, byte);
    }

    // Returns the first address at which two memories differ and `counts` holds, as text; empty if there is
    // none.
    std::string difference(const PlainMemory& other, const std::function<bool(std::uint64_t)>& counts) const {
        std::set<std::uint64_t> numbers;
        for (const auto* pages : {&pages_, &other.pages_}) {
            for (const auto& [number, page] : *pages) numbers.insert(number);
        }
        for (const std::uint64_t number : numbers) {
            for (std::uint64_t at = number * PageBytes; at < (number + 1) * PageBytes; ++at) {
                if (read(at) == other.read(at) || !counts(at)) continue;
                std::array<char, 64> text{};
                std::snprintf(text.data(), text.size(), "0x%llx: 0x%02x and 0x%02x",
                              static_cast<unsigned long long>(at), read(at), other.read(at));
                return text.data();
            }
        }
        return "";
    }

  private:
    static constexpr std::uint64_t PageBytes = 4096;
    using Page = std::array<std::uint8_t, PageBytes>;

    static std::uint8_t beginning(std::uint64_t address) {
        return static_cast<std::uint8_t>((address * 0x9e3779b97f4a7c15) >> 53);
    }

    // Returns null if nothing has been written to the page. Most accesses are to the page of the one before.
    Page* find(std::uint64_t number) const {
        if (last_ == nullptr || last_number_ != number) {
            const auto page = pages_.find(number);
            last_ = page == pages_.end() ? nullptr : &page->second;
            last_number_ = number;
        }
        return last_;
    }

    mutable std::unordered_map<std::uint64_t, Page> pages_;
    mutable Page* last_ = nullptr;
    mutable std::uint64_t last_number_ = 0;
};

}  // namespace trnsim::test
