#include "tools/profile/lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

namespace trnsim::profile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t ShownAround = 2;  // lines without cycles shown before and after one that has some
constexpr std::size_t ShownPlaces = 12;   // lines of a file that cannot be read, those with the most cycles
constexpr std::size_t ShownWidth = 100;   // characters of a line

std::vector<std::string> read_lines(const std::string& file) {
    std::ifstream stream(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line.substr(0, ShownWidth));
    return lines;
}

std::string names_of(const std::set<isa::Engine>& engines) {
    std::vector<std::string_view> names;
    names.reserve(engines.size());
    for (const isa::Engine engine : engines) names.push_back(name_of(engine));
    return fmt::format("{}", fmt::join(names, " "));
}

std::string cells(const LineProfile& line) {
    return fmt::format("{:>12}{:>12}{:>8}  {:<16}", line.active_cycles, line.wait_cycles, line.instructions,
                       names_of(line.engines));
}

// `lines` belong to one file.
std::string source_text(const std::vector<LineProfile>& lines, const std::vector<std::string>& source) {
    std::string text;
    std::uint32_t shown = 0;  // the last line printed
    const auto print = [&](std::uint32_t number, const std::string& left) {
        if (shown != 0 && number > shown + 1) text += fmt::format("{:>50}{:>6} ...\n", "", "");
        text += fmt::format("{:<50}{:>6} {}\n", left, number, source[number - 1]);
        shown = number;
    };
    const auto total = static_cast<std::uint32_t>(source.size());
    for (const LineProfile& line : lines) {
        if (line.line == 0 || line.line > total) continue;  // the file has changed
        for (std::uint32_t n = std::max(shown + 1, line.line - std::min(line.line - 1, ShownAround));
             n < line.line; ++n)
            print(n, "");
        print(line.line, cells(line));
        const auto next = std::ranges::upper_bound(lines, line.line, {}, &LineProfile::line);
        const std::uint32_t end = next == lines.end() ? total : next->line - 1;
        for (std::uint32_t n = shown + 1; n <= std::min(line.line + ShownAround, end); ++n) print(n, "");
    }
    return text;
}

}  // namespace

std::vector<LineProfile> lines_of(const Profile& profile, const neff::Package& package) {
    const neff::Sources& sources = package.sources;
    std::map<std::pair<std::string, std::uint32_t>, LineProfile> found;
    for (const EngineProfile& engine : profile.engines) {
        const auto& of = sources.of[static_cast<std::size_t>(engine.engine)];
        for (const Execution& execution : engine.executions) {
            if (execution.pc >= of.size() || of[execution.pc] == neff::Sources::None) continue;
            const neff::Sources::Line& place = sources.places.at(of[execution.pc] - 1);
            const std::string& file = sources.files.at(place.file);
            LineProfile& line = found[{file, place.line}];
            line.file = file;
            line.line = place.line;
            ++line.instructions;
            line.active_cycles += execution.active_cycles;
            line.wait_cycles += execution.wait_cycles;
            line.engines.insert(engine.engine);
        }
    }
    std::vector<LineProfile> lines;
    lines.reserve(found.size());
    for (auto& [place, line] : found) lines.push_back(std::move(line));
    return lines;
}

std::string lines_text(const std::vector<LineProfile>& lines) {
    std::string text;
    for (auto first = lines.begin(); first != lines.end();) {
        const auto end =
            std::find_if(first, lines.end(), [&](const LineProfile& l) { return l.file != first->file; });
        std::vector<LineProfile> own(first, end);
        text += fmt::format("\n{:>12}{:>12}{:>8}  {:<16}  {}\n", "executing", "waiting", "count", "engines",
                            first->file);
        const std::vector<std::string> source = read_lines(first->file);
        if (source.empty()) {
            std::ranges::stable_sort(own, std::greater<>(), &LineProfile::active_cycles);
            own.resize(std::min(own.size(), ShownPlaces));
            for (const LineProfile& line : own) text += fmt::format("{:<50}{:>6}\n", cells(line), line.line);
        } else {
            text += source_text(own, source);
        }
        first = end;
    }
    return text;
}

Table lines_table(const std::vector<LineProfile>& lines) {
    Json rows = Json::array();
    for (const LineProfile& line : lines) {
        rows.push_back({{"file", line.file},
                        {"line", line.line},
                        {"instruction_count", line.instructions},
                        {"executing_cycles", line.active_cycles},
                        {"waiting_cycles", line.wait_cycles},
                        {"engines", names_of(line.engines)}});
    }
    return {"SourceLine", std::move(rows)};
}

}  // namespace trnsim::profile
