#include "runtime/session/trace_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/time/time.hpp"

namespace trnsim::runtime {
namespace {

std::string quote(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Returns microseconds, the unit of the format, without rounding.
std::string microseconds(std::uint64_t fs) {
    return fmt::format("{}.{:09}", fs / FsPerUs, fs % FsPerUs);
}

std::string format_arguments(std::span<const Argument> arguments) {
    std::string text;
    for (const auto& [name, value] : arguments) {
        text += text.empty() ? "" : ",";
        text += quote(name) + ":";
        const auto* number = std::get_if<std::uint64_t>(&value);
        text += number != nullptr ? std::to_string(*number) : quote(std::get<std::string_view>(value));
    }
    return text;
}

}  // namespace

TraceWriter::TraceWriter(std::ostream& stream) : stream_(stream) {
    stream_ << R"({"displayTimeUnit":"ns","traceEvents":[)";
}

void TraceWriter::write_event(const std::string& event) {
    stream_ << (empty_ ? "\n" : ",\n") << event;
    empty_ = false;
}

std::uint32_t TraceWriter::process_of(std::string_view group) {
    const auto known = processes_.find(group);
    if (known != processes_.end()) return known->second;
    const auto process = static_cast<std::uint32_t>(processes_.size() + 1);
    processes_.emplace(group, process);
    write_event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", process,
                            quote(group)));
    write_event(fmt::format(
        R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})", process));
    return process;
}

std::uint32_t TraceWriter::add_track(std::string_view group, std::string_view name) {
    tracks_.push_back({std::string(name), process_of(group), {}});
    return static_cast<std::uint32_t>(tracks_.size() - 1);
}

std::uint32_t TraceWriter::add_line(Track& track) {
    track.lines.push_back({++threads_, 0});
    const std::string name =
        track.lines.size() == 1 ? track.name : fmt::format("{} #{}", track.name, track.lines.size());
    write_event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                            track.process, threads_, quote(name)));
    return threads_;
}

std::uint32_t TraceWriter::first_line(Track& track) {
    return track.lines.empty() ? add_line(track) : track.lines.front().thread;
}

std::uint32_t TraceWriter::line_for(Track& track, std::uint64_t start, std::uint64_t end) {
    auto line = std::ranges::find_if(track.lines, [start](const Line& l) { return l.end <= start; });
    if (line == track.lines.end()) {
        add_line(track);
        line = track.lines.end() - 1;
    }
    line->end = end;
    return line->thread;
}

void TraceWriter::slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
                        std::span<const Argument> arguments) {
    Track& on = tracks_.at(track);
    const std::uint32_t thread = line_for(on, start, end);
    write_event(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                            quote(name), on.process, thread, microseconds(start), microseconds(end - start),
                            format_arguments(arguments)));
}

void TraceWriter::instant(std::uint32_t track, std::string_view name, std::uint64_t time) {
    Track& on = tracks_.at(track);
    const std::uint32_t thread = first_line(on);
    write_event(fmt::format(R"({{"ph":"i","s":"t","name":{},"pid":{},"tid":{},"ts":{}}})", quote(name),
                            on.process, thread, microseconds(time)));
}

void TraceWriter::flow(std::uint32_t from_track, std::uint64_t from, std::uint32_t to_track,
                       std::uint64_t to) {
    const Track& source = tracks_.at(from_track);
    Track& target = tracks_.at(to_track);
    if (source.lines.empty()) return;
    const std::uint64_t id = ++flows_;
    const auto write = [&](const char* phase, const Track& track, std::uint32_t thread, std::uint64_t time) {
        write_event(fmt::format(
            R"({{"ph":"{}","id":{},"name":"semaphore","cat":"semaphore","pid":{},"tid":{},"ts":{}}})", phase,
            id, track.process, thread, microseconds(time)));
    };
    // A flow belongs to the slice around its time; the end of a slice is outside of it.
    write("s", source, source.lines.front().thread, from == 0 ? 0 : from - 1);
    write(R"(f","bp":"e)", target, first_line(target), to);
}

void TraceWriter::change(std::string_view counter, std::uint64_t time, double by) {
    auto found = counters_.find(counter);
    if (found == counters_.end()) found = counters_.emplace(counter, decltype(found->second){}).first;
    found->second.emplace_back(time, by);
}

void TraceWriter::write_counters() {
    constexpr double Least = 1e-9;  // the rest of a sum of fractions that is 0
    if (counters_.empty()) return;
    const std::uint32_t process = process_of("counters");
    for (auto& [name, changes] : counters_) {
        std::ranges::stable_sort(changes, {}, &std::pair<std::uint64_t, double>::first);
        double value = 0;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            value += changes[i].second;
            if (i + 1 < changes.size() && changes[i + 1].first == changes[i].first) continue;
            write_event(fmt::format(R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"value":{:.4g}}}}})",
                                    quote(name), process, microseconds(changes[i].first),
                                    std::abs(value) < Least ? 0.0 : value));
        }
    }
}

void TraceWriter::finish() {
    write_counters();
    stream_ << "\n]}\n";
}

}  // namespace trnsim::runtime
