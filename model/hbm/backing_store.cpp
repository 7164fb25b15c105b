#include "model/hbm/backing_store.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace trnsim::tlm::hbm {
namespace {

// Cuts [address, address + length) at page borders and calls part(page, offset in the page, offset in the
// range, length).
template <typename Part>
void for_each_part(std::uint64_t address, std::size_t length, Part part) {
    for (std::size_t done = 0; done < length;) {
        const std::uint64_t offset = (address + done) % BackingStore::PageBytes;
        const std::size_t count = std::min<std::size_t>(length - done, BackingStore::PageBytes - offset);
        part((address + done) / BackingStore::PageBytes, offset, done, count);
        done += count;
    }
}

// Gives the memory of bytes that nobody reads any more back to the host at once: an allocator would keep it.
void give_back(std::span<std::uint8_t> bytes) {
    static const auto host_page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::uintptr_t first = (begin + host_page - 1) / host_page * host_page;
    const std::uintptr_t end = (begin + bytes.size()) / host_page * host_page;
    if (first < end) ::madvise(bytes.data() + (first - begin), end - first, MADV_DONTNEED);
}

}  // namespace

void BackingStore::read(std::uint64_t address, std::span<std::uint8_t> data) const {
    for_each_part(address, data.size(),
                  [&](std::uint64_t number, std::uint64_t offset, std::size_t done, std::size_t count) {
                      const auto page = pages_.find(number);
                      if (page == pages_.end()) {
                          unwritten_.fill(address + done, data.subspan(done, count));
                      } else {
                          std::copy_n(page->second->begin() + offset, count, data.begin() + done);
                      }
                  });
}

void BackingStore::write(std::uint64_t address, std::span<const std::uint8_t> data) {
    for_each_part(address, data.size(),
                  [&](std::uint64_t number, std::uint64_t offset, std::size_t done, std::size_t count) {
                      std::unique_ptr<Page>& page = pages_[number];
                      if (!page) {
                          page = std::make_unique_for_overwrite<Page>();
                          if (count != PageBytes) unwritten_.fill(number * PageBytes, *page);
                      }
                      std::copy_n(data.begin() + done, count, page->begin() + offset);
                  });
}

void BackingStore::forget(std::uint64_t address, std::uint64_t length) {
    for_each_part(address, length,
                  [&](std::uint64_t number, std::uint64_t offset, std::size_t done, std::size_t count) {
                      const auto page = pages_.find(number);
                      if (page == pages_.end()) return;
                      if (count == PageBytes) {
                          give_back(*page->second);
                          pages_.erase(page);
                      } else {
                          unwritten_.fill(address + done, std::span(*page->second).subspan(offset, count));
                      }
                  });
}

std::vector<checkpoint::PageState> BackingStore::save() const {
    std::vector<checkpoint::PageState> pages;
    pages.reserve(pages_.size());
    for (const auto& [number, page] : pages_) pages.push_back({number, {page->begin(), page->end()}});
    std::ranges::sort(pages, {}, &checkpoint::PageState::number);
    return pages;
}

void BackingStore::load(const std::vector<checkpoint::PageState>& pages) {
    pages_.clear();
    for (const checkpoint::PageState& page : pages) {
        if (page.bytes.size() != PageBytes)
            throw checkpoint::Error("a page of HBM of " + std::to_string(page.bytes.size()) +
                                    " bytes in the checkpoint, expected " + std::to_string(PageBytes));
        write(page.number * PageBytes, page.bytes);
    }
}

}  // namespace trnsim::tlm::hbm
