#include "tools/cli/wave_files.hpp"

#include <algorithm>

#include "tools/waves/view.hpp"

namespace trnsim::cli {
namespace {

constexpr const char* Overview = "core";

std::string view_of(const std::vector<std::string>& scopes) {
    const auto names = waves::view_names();
    const auto has_view = [&names](const std::string& scope) {
        return std::ranges::count(names, scope) != 0;
    };
    const auto found = std::ranges::find_if(scopes, has_view);
    const bool overview = std::ranges::count(scopes, Overview) != 0 || found == scopes.end();
    return overview ? Overview : *found;
}

}  // namespace

std::string write_wave_files(const RunOptions& options, const neff::Package& package,
                             const config::Config& config, const runtime::Result& result) {
    const waves::Run run = waves::run_of(result, config);
    waves::write_run(options.wave, run, package);
    const waves::Recording recording = waves::read_recording(options.wave);
    return waves::write_save_file(waves::find_view(view_of(options.wave_scopes)), recording,
                                  waves::window_of_run(recording, run))
        .string();
}

}  // namespace trnsim::cli
