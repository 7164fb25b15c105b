// The policy that decides when a row is closed before another one of its bank is wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "model/hbm/organisation.hpp"

namespace trnsim::tlm::hbm {

class PagePolicy {
  public:
    virtual ~PagePolicy() = default;

    // Returns the banks in which the last burst that waits for the open row closes it.
    BankMask closing() const { return closing_; }
    // Called when a row is opened, and when one is closed because another one is wanted.
    virtual void opened(unsigned bank, std::uint32_t row) = 0;
    virtual void conflicted(unsigned bank) = 0;

  protected:
    explicit PagePolicy(BankMask closing) : closing_(closing) {}
    void set_closing(unsigned bank, bool closes) {
        const BankMask others = static_cast<BankMask>(closing_ & ~mask_of(bank));
        closing_ = static_cast<BankMask>(others | (closes ? mask_of(bank) : 0));
    }

  private:
    BankMask closing_;
};

std::unique_ptr<PagePolicy> make_open_page();
std::unique_ptr<PagePolicy> make_closed_page();
std::unique_ptr<PagePolicy> make_adaptive_page();

// `name` is "open", "closed" or "adaptive"; throws std::invalid_argument for any other.
std::unique_ptr<PagePolicy> make_page_policy(std::string_view name);

}  // namespace trnsim::tlm::hbm
