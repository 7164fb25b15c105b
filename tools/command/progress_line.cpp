#include "tools/command/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace trnsim::command {

std::string format_progress(const runtime::Progress& progress) {
    const double share =
        progress.total == 0
            ? 0
            : std::min(1.0, static_cast<double>(progress.completed) / static_cast<double>(progress.total));
    const double khz =
        progress.wall_seconds > 0 ? static_cast<double>(progress.cycles) / 1e3 / progress.wall_seconds : 0;
    std::string text =
        fmt::format("{:3.0f} % of the instructions, {:.3f} million cycles, {:.1f} simulated kHz", 100 * share,
                    static_cast<double>(progress.cycles) / 1e6, khz);
    if (share > 0) text += fmt::format(", {:.0f} s left", progress.wall_seconds * (1 - share) / share);
    return text;
}

void ProgressLine::show(const std::string& text) {
    stream_ << '\r' << text << std::string(shown_ > text.size() ? shown_ - text.size() : 0, ' ')
            << std::flush;
    shown_ = text.size();
}

double CoreAnnouncement::wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void CoreAnnouncement::operator()(const CoreBuilds& builds) {
    constexpr double Interval = 30;  // s between lines in a pipe
    if (builds.missing == 0 || environment_.quiet()) return;
    const double now = seconds_();
    if (!begun_) {
        begun_ = said_ = now;
        const std::string time = builds.last_seconds
                                     ? fmt::format("the last one took {:.0f} s here", *builds.last_seconds)
                                     : "minutes for the first one";
        environment_.err << fmt::format(
            "trnsim: building {} {} first, {}; they are kept; logs in {}\n", builds.missing,
            builds.missing == 1 ? "core that is missing" : "cores that are missing", time,
            builds.logs.string());
        return;
    }
    if (environment_.terminal || built_ == builds.missing) return;
    if (builds.built == built_ && now - said_ < Interval) return;
    built_ = builds.built;
    said_ = now;
    environment_.err << fmt::format("trnsim: {} of {} cores built after {:.0f} s\n", builds.built,
                                    builds.missing, now - *begun_);
    environment_.err.flush();
}

void ProgressLine::clear() {
    if (shown_ != 0) stream_ << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
    shown_ = 0;
}

}  // namespace trnsim::command
