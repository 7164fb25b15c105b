#include "model/hbm/scheduler.hpp"

namespace trnsim::tlm::hbm {
namespace {

class Fcfs : public Scheduler {
    Cycle reorders_until(const Entry&) const override { return 0; }
};

}  // namespace

std::unique_ptr<Scheduler> make_fcfs() {
    return std::make_unique<Fcfs>();
}

}  // namespace trnsim::tlm::hbm
