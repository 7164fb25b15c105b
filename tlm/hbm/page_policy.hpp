// When a row is closed before another one of its bank is wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace trnsim::tlm::hbm {

class PagePolicy {
  public:
    virtual ~PagePolicy() = default;

    // Whether the last burst that waits for the open row of a bank closes it.
    virtual bool closes(unsigned bank) const = 0;
    // A row is opened; a row is closed because another one is wanted.
    virtual void opened(unsigned bank, std::uint32_t row) = 0;
    virtual void conflicted(unsigned bank) = 0;
};

std::unique_ptr<PagePolicy> make_open_page();
std::unique_ptr<PagePolicy> make_closed_page();
std::unique_ptr<PagePolicy> make_adaptive_page();

// "open", "closed" or "adaptive"; throws std::invalid_argument for anything else.
std::unique_ptr<PagePolicy> make_page_policy(std::string_view name);

}  // namespace trnsim::tlm::hbm
