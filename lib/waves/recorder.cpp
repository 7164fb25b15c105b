#include "lib/waves/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "lib/waves/view.hpp"
#include "tlm/core/rtl/core_model.hpp"

namespace trnsim::waves {
namespace {

constexpr const char* Overview = "core";

std::string view_of(const std::vector<std::string>& scopes) {
    const auto names = view_names();
    const auto has_view = [&names](const std::string& scope) {
        return std::ranges::count(names, scope) != 0;
    };
    const auto found = std::ranges::find_if(scopes, has_view);
    const bool overview = std::ranges::count(scopes, Overview) != 0 || found == scopes.end();
    return overview ? Overview : *found;
}

bool records_all_of_it(const runtime::WaveRequest& request) {
    return request.first_cycle == 0 && request.last_cycle == std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

void check_scopes(const std::vector<std::string>& scopes) {
    try {
        tlm::check_wave_scopes(core_scopes(scopes));
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("{}, {}", error.what(), DmaScope));
    }
}

Recorder::Recorder(const runtime::WaveRequest& request, const neff::Package& package)
    : path_(request.path), scopes_(request.scopes), package_(package), file_(path_), request_(request) {
    check_scopes(scopes_);
    request_.path = file_.temporary();
    request_.scopes = core_scopes(scopes_);
    if (records_dma(scopes_)) dma_.emplace(package);
}

std::filesystem::path Recorder::commit(const std::string& failure, const Run& run) {
    commit_recording(failure, run);
    const Recording recording = read_recording(path_);
    return write_save_file(find_view(view_of(scopes_)), recording, window_of_run(recording, run));
}

void Recorder::commit_recording(const std::string& failure, const Run& run) {
    std::string why = failure;
    if (why.empty() && dma_) why = dma_->add_to(request_.path, records_all_of_it(request_));
    file_.commit(why);
    write_run(path_, run, package_);
}

}  // namespace trnsim::waves
