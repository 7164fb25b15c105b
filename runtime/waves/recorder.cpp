#include "runtime/waves/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/time/cycles.hpp"
#include "base/time/time.hpp"
#include "runtime/waves/add_signals.hpp"
#include "runtime/waves/outputs.hpp"
#include "runtime/waves/scopes.hpp"
#include "runtime/waves/view.hpp"

namespace trnsim::waves {
namespace {

// Returns the path of a valid request. Throws std::runtime_error for another one.
std::string path_of(const runtime::WaveRequest& request) {
    check_name("wave", request.path);
    check_scopes(request.scopes);
    if (request.first_cycle >= request.last_cycle)
        throw std::runtime_error(
            fmt::format("wave {}: cycles from {} to {}, expected an end after the beginning", request.path,
                        request.first_cycle, request.last_cycle));
    return request.path;
}

// Returns the time of the last recorded cycle, ps: the core itself may stop before.
std::uint64_t end_of(const runtime::WaveRequest& request, std::uint64_t clock) {
    constexpr std::uint64_t Open = std::numeric_limits<std::uint64_t>::max();
    if (request.last_cycle == Open) return Open;
    return convert_ticks(request.last_cycle, clock, PsPerSecond, Round::Down);
}

}  // namespace

Recorder::Recorder(const runtime::WaveRequest& request, const neff::Package& package, addresses::CoreId core,
                   std::uint64_t clock)
    : path_(path_of(request)), scopes_(request.scopes), package_(package), file_(path_), request_(request) {
    request_.path = file_.temporary();
    request_.scopes = core_scopes(scopes_);
    request_.dram = records_hbm(scopes_);
    if (records_dma(scopes_)) dma_.emplace(package, core);
    if (request_.dram) hbm_.emplace(core.chip);
    try {
        begin_run(request_.path, clock, package);
    } catch (const files::Error&) {
        // Where there is no space for them, the recording itself finds it.
    }
    logs_.attach(dma_ ? &*dma_ : nullptr, hbm_ ? &*hbm_ : nullptr);
}

std::filesystem::path Recorder::commit(const std::string& failure, const Run& run) {
    commit_recording(failure, run);
    const Recording recording = read_recording(path_);
    return write_save_file(find_view(view_of(scopes_)), recording, window_of_run(recording, run));
}

void Recorder::commit_recording(const std::string& failure, const Run& run) {
    std::string why = failure;
    std::vector<Scope> scopes;
    if (dma_) scopes.push_back({DmaScope, dma_->signals(), dma_->changes()});
    if (hbm_) scopes.push_back({HbmScope, hbm_->signals(), hbm_->changes()});
    if (run.element) scopes.push_back(scope_of(*run.element, run.clock));
    if (why.empty() && !scopes.empty()) why = add_signals(request_.path, scopes, end_of(request_, run.clock));
    file_.commit(why);
    write_run(path_, run, package_);
}

}  // namespace trnsim::waves
