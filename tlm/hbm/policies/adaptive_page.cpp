// Keeps rows open in banks where that paid off: a counter of two bits for each bank goes down when a row had
// to make room for another one and up when the row that is opened is the one that was open before.
#include <array>

#include "tlm/hbm/organisation.hpp"
#include "tlm/hbm/page_policy.hpp"

namespace trnsim::tlm::hbm {
namespace {

class AdaptivePage : public PagePolicy {
    static constexpr std::uint8_t Highest = 3, Open = 2;  // open from this value on
    struct Bank {
        std::uint8_t counter = Open;
        std::uint32_t last_row = ~0U;
    };

    bool closes(unsigned bank) const override { return banks_[bank].counter < Open; }
    void opened(unsigned bank, std::uint32_t row) override {
        Bank& b = banks_[bank];
        if (b.last_row == row && b.counter < Highest) ++b.counter;
        b.last_row = row;
    }
    void conflicted(unsigned bank) override {
        if (banks_[bank].counter > 0) --banks_[bank].counter;
    }

    std::array<Bank, Banks> banks_{};
};

}  // namespace

std::unique_ptr<PagePolicy> make_adaptive_page() {
    return std::make_unique<AdaptivePage>();
}

}  // namespace trnsim::tlm::hbm
