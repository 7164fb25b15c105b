#include "model/hbm/refresh.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace trnsim::tlm::hbm {
namespace {

struct Mode {
    std::string_view name;
    Command command;
    std::uint64_t config::DramTiming::*interval;  // null: never
};
constexpr std::array Modes{
    Mode{"all_bank", Command::RefreshAll, &config::DramTiming::refi},
    Mode{"per_bank", Command::RefreshBank, &config::DramTiming::refi_pb},
    Mode{"none", Command::RefreshAll, nullptr},
};

const Mode& find_mode(std::string_view name) {
    for (const Mode& mode : Modes)
        if (mode.name == name) return mode;
    throw std::invalid_argument(fmt::format("no HBM refresh '{}'", name));
}

}  // namespace

Refresh::Refresh(std::string_view name, const config::DramTiming& timing, unsigned postpone, Cycle first)
    : command_(find_mode(name).command) {
    const auto interval = find_mode(name).interval;
    interval_ = interval == nullptr ? Never : timing.*interval;
    due_ = interval == nullptr ? Never : first;
    put_off_for_ = interval == nullptr ? 0 : postpone * interval_;
    put_off_ = due_ + put_off_for_;
}

void Refresh::done(std::uint64_t count) {
    due_ += count * interval_;
    put_off_ = due_ + put_off_for_;
    if (command_ == Command::RefreshBank) bank_ = static_cast<unsigned>((bank_ + count) % Banks);
}

}  // namespace trnsim::tlm::hbm
