#include "lib/runtime/trace_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/isa_tables.hpp"
#include "lib/base/time/time.hpp"

namespace trnsim::runtime {
namespace {

std::string quote(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Microseconds, the unit of the format, without rounding.
std::string microseconds(std::uint64_t fs) {
    return fmt::format("{}.{:09}", fs / FsPerUs, fs % FsPerUs);
}

std::string format_arguments(std::span<const tlm::trace::Argument> arguments) {
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

std::uint32_t TraceWriter::add_track(std::string_view group, std::string_view name) {
    auto process = processes_.find(group);
    if (process == processes_.end()) {
        process = processes_.emplace(group, static_cast<std::uint32_t>(processes_.size() + 1)).first;
        write_event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})",
                                process->second, quote(group)));
        write_event(
            fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})",
                        process->second));
    }
    tracks_.push_back({std::string(name), process->second, {}});
    return static_cast<std::uint32_t>(tracks_.size() - 1);
}

std::uint32_t TraceWriter::line_for(Track& track, std::uint64_t start, std::uint64_t end) {
    auto line = std::ranges::find_if(track.lines, [start](const Line& l) { return l.end <= start; });
    if (line == track.lines.end()) {
        track.lines.push_back({++threads_, 0});
        line = track.lines.end() - 1;
        const std::string name =
            track.lines.size() == 1 ? track.name : fmt::format("{} #{}", track.name, track.lines.size());
        write_event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                                track.process, line->thread, quote(name)));
    }
    line->end = end;
    return line->thread;
}

void TraceWriter::slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
                        std::span<const tlm::trace::Argument> arguments) {
    Track& on = tracks_.at(track);
    const std::uint32_t thread = line_for(on, start, end);
    write_event(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                            quote(name), on.process, thread, microseconds(start), microseconds(end - start),
                            format_arguments(arguments)));
}

void TraceWriter::instruction(const tlm::trace::Instruction& event) {
    auto track = engine_tracks_.find(event.engine);
    if (track == engine_tracks_.end()) {
        const auto handle = add_track("engines", name_of(static_cast<isa::Engine>(event.engine)));
        track = engine_tracks_.emplace(event.engine, handle).first;
    }
    const tlm::trace::Argument arguments[] = {{"cycles", event.completion_cycle - event.issue_cycle}};
    slice(track->second, fmt::format("instruction {}", event.pc), event.start, event.end, arguments);
}

void TraceWriter::finish() {
    stream_ << "\n]}\n";
}

}  // namespace trnsim::runtime
