#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "model/hbm/page_policy.hpp"
#include "model/hbm/scheduler.hpp"

namespace trnsim::tlm::hbm {
namespace {

struct PageRow {
    std::string_view name;
    std::unique_ptr<PagePolicy> (*make)();
};
constexpr std::array Pages{PageRow{"open", make_open_page}, PageRow{"closed", make_closed_page},
                           PageRow{"adaptive", make_adaptive_page}};

struct SchedulerRow {
    std::string_view name;
    std::unique_ptr<Scheduler> (*make)(Cycle max_wait);
};
constexpr std::array Schedulers{
    SchedulerRow{"fr_fcfs", make_fr_fcfs},
    SchedulerRow{"fcfs", [](Cycle) { return make_fcfs(); }},
};

}  // namespace

std::unique_ptr<PagePolicy> make_page_policy(std::string_view name) {
    for (const PageRow& row : Pages)
        if (row.name == name) return row.make();
    throw std::invalid_argument(fmt::format("no HBM page policy '{}'", name));
}

std::unique_ptr<Scheduler> make_scheduler(std::string_view name, Cycle max_wait) {
    for (const SchedulerRow& row : Schedulers)
        if (row.name == name) return row.make(max_wait);
    throw std::invalid_argument(fmt::format("no HBM scheduler '{}'", name));
}

}  // namespace trnsim::tlm::hbm
