#include "tlm/hbm/scheduler.hpp"

namespace trnsim::tlm::hbm {
namespace {

class FrFcfs : public Scheduler {
  public:
    explicit FrFcfs(Cycle max_wait) : max_wait_(max_wait) {}

  private:
    Grant grant(const Queue& queue, Cycle now) const override {
        const Entry& oldest = queue.oldest();
        if (now < oldest.arrival + max_wait_) return {AllBanks, false};
        return {mask_of(oldest.bank), true};
    }

    Cycle max_wait_;
};

}  // namespace

std::unique_ptr<Scheduler> make_fr_fcfs(Cycle max_wait) {
    return std::make_unique<FrFcfs>(max_wait);
}

}  // namespace trnsim::tlm::hbm
