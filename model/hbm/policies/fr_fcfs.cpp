#include "model/hbm/scheduler.hpp"

namespace trnsim::tlm::hbm {
namespace {

class FrFcfs : public Scheduler {
  public:
    explicit FrFcfs(Cycle max_wait) : max_wait_(max_wait) {}

  private:
    Cycle reorders_until(const Entry& oldest) const override { return oldest.arrival + max_wait_; }

    Cycle max_wait_;
};

}  // namespace

std::unique_ptr<Scheduler> make_fr_fcfs(Cycle max_wait) {
    return std::make_unique<FrFcfs>(max_wait);
}

}  // namespace trnsim::tlm::hbm
