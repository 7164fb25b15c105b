#include "model/hbm/backing_store.hpp"

#include <algorithm>
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
