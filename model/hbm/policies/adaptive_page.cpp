// Keeps rows open in banks where that pays off: a two-bit counter for each bank goes down when a row has to
// make room for another one, and up when the row that is opened is the one that was open before.
#include <array>

#include "model/hbm/organisation.hpp"
#include "model/hbm/page_policy.hpp"

namespace trnsim::tlm::hbm {
namespace {

class AdaptivePage : public PagePolicy {
  public:
    AdaptivePage() : PagePolicy(0) {}

  private:
    static constexpr std::uint8_t Highest = 3, Open = 2;  // open from this value on
    struct Bank {
        std::uint8_t counter = Open;
        std::uint32_t last_row = ~0U;
    };

    void opened(unsigned bank, std::uint32_t row) override {
        Bank& b = banks_[bank];
        if (b.last_row == row && b.counter < Highest) ++b.counter;
        b.last_row = row;
        set_closing(bank, b.counter < Open);
    }
    void conflicted(unsigned bank) override {
        Bank& b = banks_[bank];
        if (b.counter > 0) --b.counter;
        set_closing(bank, b.counter < Open);
    }

    std::array<Bank, Banks> banks_{};
};

}  // namespace

std::unique_ptr<PagePolicy> make_adaptive_page() {
    return std::make_unique<AdaptivePage>();
}

}  // namespace trnsim::tlm::hbm
