#include "tools/command/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>

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

void CoreAnnouncement::operator()(std::size_t missing) {
    if (missing == 0 || said_ || environment_.quiet()) return;
    said_ = true;
    environment_.err << fmt::format("trnsim: building {} {} first, about a minute each; they are kept\n",
                                    missing,
                                    missing == 1 ? "core that is missing" : "cores that are missing");
}

void ProgressLine::clear() {
    if (shown_ != 0) stream_ << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
    shown_ = 0;
}

}  // namespace trnsim::command
