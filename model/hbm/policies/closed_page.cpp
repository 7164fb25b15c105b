#include "model/hbm/page_policy.hpp"

namespace trnsim::tlm::hbm {
namespace {

class ClosedPage : public PagePolicy {
  public:
    ClosedPage() : PagePolicy(AllBanks) {}

  private:
    void opened(unsigned, std::uint32_t) override {}
    void conflicted(unsigned) override {}
};

}  // namespace

std::unique_ptr<PagePolicy> make_closed_page() {
    return std::make_unique<ClosedPage>();
}

}  // namespace trnsim::tlm::hbm
