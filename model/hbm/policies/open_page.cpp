#include "model/hbm/page_policy.hpp"

namespace trnsim::tlm::hbm {
namespace {

class OpenPage : public PagePolicy {
  public:
    OpenPage() : PagePolicy(0) {}

  private:
    void opened(unsigned, std::uint32_t) override {}
    void conflicted(unsigned) override {}
};

}  // namespace

std::unique_ptr<PagePolicy> make_open_page() {
    return std::make_unique<OpenPage>();
}

}  // namespace trnsim::tlm::hbm
