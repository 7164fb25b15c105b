#include "runtime/waves/view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "base/files/files.hpp"
#include "base/places/places.hpp"
#include "base/time/cycles.hpp"
#include "base/time/time.hpp"
#include "isa/aliases.hpp"
#include "runtime/waves/lane.hpp"
#include "runtime/waves/view_file.hpp"

namespace trnsim::waves {
namespace {

namespace fs = std::filesystem;

constexpr const char* ViewExtension = ".gtkw";
constexpr std::string_view Core = "core.neuron_core.";
constexpr std::string_view Tables = "waves/";  // beginning of paths in views
// The filter that shows the words of a lane. Views have three filters.
constexpr unsigned LaneFilter = 4;
constexpr const char* NumberFilter = "waves/filters/fp32.py";
constexpr std::uint64_t CyclesAround = 40;  // shown before and after a cycle
constexpr std::uint64_t Margin = 50;        // 1 / Margin of the run is shown beside it
// GTKWave's window, and the room that it leaves for the waveform beside names and values of signals, pixels.
constexpr unsigned WindowWidth = 1500, WindowHeight = 1000, WaveformWidth = 1100, WidestWaveform = 1200,
                   NamesWidth = 250;
constexpr double ZoomUnit = 200;  // pixels of the waveform at a zoom of 0 show one time unit

// Returns the first folder that has views.
fs::path find_root() {
    for (const fs::path& root : places::shipped_folders())
        if (fs::is_regular_file(root / "waves/views.yaml")) return root;
    throw std::runtime_error("the views of waves/ are not in a folder above the program");
}

// Returns the scopes of the signals; each signal is a line "+{label} core.neuron_core.SCOPE...".
std::vector<std::string> scopes_in(const View& view) {
    std::set<std::string> scopes;
    for (const Group& group : groups_of(view)) {
        for (const Entry& entry : group.entries) {
            const std::string name =
                entry.signal.starts_with(Core) ? entry.signal.substr(Core.size()) : entry.signal;
            scopes.insert(name.substr(0, name.find('.')));
        }
    }
    return {scopes.begin(), scopes.end()};
}

std::vector<std::string> names_in(const fs::path& root) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(root / "waves"))
        if (entry.path().extension() == ViewExtension) names.insert(entry.path().stem().string());
    return {names.begin(), names.end()};
}

// Replaces the path in "^3 waves/translate/opcode.txt" or "^>1 waves/filters/fp32.py" by an absolute one.
std::string located(const std::string& line, const View& view, const Recording& recording) {
    const std::size_t path = line.find(' ') + 1;
    if (!line.starts_with('^') || !line.substr(path).starts_with(Tables)) return line;
    return line.substr(0, path) + file_beside(line.substr(path), view, recording).string();
}

std::uint64_t time_of(const Run& run, std::uint64_t cycle) {
    return convert_ticks(cycle, run.clock, PsPerSecond, Round::Down);
}

std::uint64_t cycle_at(const Run& run, std::uint64_t time) {
    return convert_ticks(time, PsPerSecond, run.clock, Round::Down);
}

bool is_recorded(const Recording& recording, const Run& run, std::uint64_t cycle) {
    const std::uint64_t at = time_of(run, cycle);
    return recording.first <= at && at <= recording.last;
}

std::string header(const Recording& recording, const Window& window, const fs::path& save_file) {
    const auto length = static_cast<double>(std::max<std::uint64_t>(1, window.end - window.start));
    const double zoom = -std::log2(length / WaveformWidth * ZoomUnit);
    // GTKWave shows a window that would reach beyond the end from the beginning.
    const auto shown = static_cast<std::uint64_t>(length * WidestWaveform / WaveformWidth);
    const std::uint64_t room = std::max(recording.last, recording.first + shown) - shown;
    const std::uint64_t start = std::min(window.start, room);
    std::string text = fmt::format("[*] Made by trnsim.\n[dumpfile] \"{}\"\n[savefile] \"{}\"\n",
                                   recording.path.string(), save_file.string());
    text += fmt::format("[timestart] {}\n[size] {} {}\n[pos] -1 -1\n", start, WindowWidth, WindowHeight);
    text += fmt::format("*{:.6f} {}", zoom, window.marker ? std::to_string(*window.marker) : "-1");
    for (int named = 0; named < 26; ++named) text += " -1";
    return text + fmt::format("\n[sst_expanded] 0\n[signals_width] {}\n", NamesWidth);
}

}  // namespace

std::vector<std::string> view_names() {
    return names_in(find_root());
}

View find_view(const std::string& given) {
    const std::string name(isa::canonical_engine(given));
    const fs::path root = find_root();
    const auto names = names_in(root);
    if (!std::ranges::binary_search(names, name))
        throw std::runtime_error(
            fmt::format("--view {}: no such view; there are {}", name, fmt::join(names, ", ")));
    View view{name, fs::absolute(root), fs::absolute(root) / fmt::format("waves/{}.gtkw", name), {}};
    view.scopes = scopes_in(view);
    return view;
}

Window window_of_run(const Recording& recording, const std::optional<Run>& run) {
    const Window all{recording.first, recording.last};
    if (!run) return all;
    if (run->element && is_recorded(recording, *run, run->element->cycle)) {
        Window window = window_around(recording, *run, run->element->cycle);
        window.element_lane = run->element->lane;
        return window;
    }
    const std::uint64_t start = std::max(recording.first, run->start / FsPerPs);
    const std::uint64_t end = std::min(recording.last, run->end / FsPerPs);
    if (start >= end) return all;
    const std::uint64_t margin = (end - start) / Margin;
    return {start - std::min(start, margin), end + margin};
}

Window window_around(const Recording& recording, const Run& run, std::uint64_t cycle) {
    const std::uint64_t at = time_of(run, cycle);
    if (!is_recorded(recording, run, cycle))
        throw std::runtime_error(fmt::format("--at {}: {} has the cycles {} to {}", cycle,
                                             recording.path.string(), cycle_at(run, recording.first),
                                             cycle_at(run, recording.last)));
    const std::uint64_t side = time_of(run, CyclesAround);
    return {at - std::min(at, side), at + side, at};
}

fs::path save_file_of(const fs::path& recording, const std::string& view) {
    return fs::path(recording).replace_extension(view + ViewExtension);
}

fs::path write_save_file(const View& view, const Recording& recording, const Window& window) {
    const fs::path path = save_file_of(recording.path, view.name);
    std::string text = header(recording, window, path);
    const auto show = [&text](const std::vector<std::string>& lines) {
        for (const std::string& line : lines) text += line + "\n";
    };
    if (recording.signals.contains(fmt::format("{}.name", ElementScope))) show(element_lines());
    if (const auto lane = window.lane ? window.lane : window.element_lane) {
        const auto filter = located(fmt::format("^>{} {}", LaneFilter, NumberFilter), view, recording);
        const auto lines = lane_lines(view.name, recording, *lane, filter);
        if (lines.empty() && window.lane)
            throw std::runtime_error(fmt::format(
                "--lane {}: {} has no rows of it for the view {}, expected one of the scope all and a view "
                "of an engine with lanes",
                *window.lane, recording.path.string(), view.name));
        show(lines);
    }
    bool any = false;
    for (Group& group : groups_of(view)) {
        std::erase_if(group.entries,
                      [&](const Entry& entry) { return !recording.signals.contains(entry.signal); });
        if (group.entries.empty()) continue;
        any = true;
        const auto add = [&](const std::vector<std::string>& lines) {
            for (const std::string& line : lines) text += located(line, view, recording) + "\n";
        };
        add(group.begin);
        for (const Entry& entry : group.entries) add(entry.lines);
        add(group.end);
    }
    if (!any)
        throw std::runtime_error(fmt::format("{}: has no signal of the view {}, which shows the scopes {}",
                                             recording.path.string(), view.name,
                                             fmt::join(view.scopes, ", ")));
    files::write(path, text);
    return path;
}

void remove_beside(const fs::path& recording) {
    if (fs::remove_all(folder_of(recording)) == 0) return;
    const std::string beginning = recording.stem().string() + ".";
    std::vector<fs::path> views;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::absolute(recording).parent_path())) {
        const fs::path& path = entry.path();
        if (path.extension() == ViewExtension && path.filename().string().starts_with(beginning))
            views.push_back(path);
    }
    for (const fs::path& view : views) fs::remove(view);
}

}  // namespace trnsim::waves
