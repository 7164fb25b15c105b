#include "tlm/hbm/scheduler.hpp"

namespace trnsim::tlm::hbm {
namespace {

class Fcfs : public Scheduler {
    Grant grant(const Queue& queue, Cycle) const override { return {mask_of(queue.oldest().bank), true}; }
};

}  // namespace

std::unique_ptr<Scheduler> make_fcfs() {
    return std::make_unique<Fcfs>();
}

}  // namespace trnsim::tlm::hbm
