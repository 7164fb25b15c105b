#include "runtime/waves/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "arch/firmware/disassembler.hpp"
#include "arch/firmware/image.hpp"
#include "arch/firmware/instruction_table.hpp"
#include "base/files/files.hpp"
#include "isa/isa_tables.hpp"
#include "runtime/session/observer.hpp"

namespace trnsim::waves {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t NoIndex = 0xffff'ffff;  // the index that the probes show where nothing executes

constexpr const char* Figures = "run.json";

std::string table_name(std::string_view whose) {
    return fmt::format("program_{}.txt", whose);
}

constexpr const char* Cores = "cores";  // the GpSimd cores together

std::vector<std::string> table_names() {
    std::vector<std::string> names{table_name(Cores)};
    for (std::size_t e = 0; e < neff::EngineCount; ++e)
        names.push_back(table_name(isa::name_of(static_cast<isa::Engine>(e))));
    return names;
}

// Returns the table for the code of all images, without the constants in it. A word alone is the key of its
// instruction, so branches are shown with offsets.
std::string table_of_cores(const neff::Package& package) {
    std::map<std::uint32_t, std::string> words{{0, "-"}};
    for (const neff::GpsimdImage& bytes : package.images) {
        for (const firmware::Segment& segment : firmware::parse(bytes.bytes, bytes.name).segments) {
            for (std::size_t at = 0; segment.executable && at + 4 <= segment.bytes.size(); at += 4) {
                std::uint32_t word = 0;
                std::memcpy(&word, &segment.bytes[at], sizeof word);
                if (firmware::find_instruction(word) != nullptr && !words.contains(word))
                    words.emplace(word, firmware::disassemble(word));
            }
        }
    }
    std::string table;
    for (const auto& [word, text] : words) table += fmt::format("{:08x} {}\n", word, text);
    return table;
}

Element element_of(const nlohmann::json& figures) {
    Element element{figures.at("name"), figures.at("cycle"), figures.at("expected"), figures.at("found")};
    if (!figures.at("lane").is_null()) element.lane = figures.at("lane");
    return element;
}

void write_tables(const fs::path& folder, const neff::Package& package) {
    for (std::uint32_t e = 0; e < package.programs.size(); ++e) {
        std::string table = fmt::format("{:08x} -\n", NoIndex);
        for (std::size_t pc = 0; pc < package.programs[e].size(); ++pc)
            table += fmt::format("{:08x} {}\n", pc, runtime::describe(package, e, pc));
        files::write(folder / table_name(isa::name_of(static_cast<isa::Engine>(e))), table);
    }
    files::write(folder / table_name(Cores), table_of_cores(package));
}

void write_figures(const fs::path& folder, const Run& run) {
    nlohmann::ordered_json figures{{"clock", run.clock}, {"start", run.start}, {"end", run.end}};
    if (run.element) {
        const Element& element = *run.element;
        figures["element"] = {
            {"name", element.name},
            {"cycle", element.cycle},
            {"expected", element.expected},
            {"found", element.found},
            {"lane", element.lane ? nlohmann::ordered_json(*element.lane) : nlohmann::ordered_json()}};
    }
    files::write(folder / Figures, figures.dump(1) + "\n");
}

std::optional<Run> read_figures(const fs::path& folder) {
    const fs::path path = folder / Figures;
    if (!fs::is_regular_file(path)) return std::nullopt;
    const auto bytes = files::read(path);
    const auto refuse = [&path](const char* found) {
        return std::runtime_error(fmt::format(
            "{}: found {}, expected the figures of a run, as a recording leaves them", path.string(), found));
    };
    const auto figures = nlohmann::json::parse(bytes, nullptr, false);
    if (!figures.is_object()) throw refuse("no JSON object");
    try {
        Run run{figures.at("clock"), figures.at("start"), figures.at("end")};
        if (run.clock == 0) throw refuse("a clock of 0");
        if (figures.contains("element")) run.element = element_of(figures.at("element"));
        return run;
    } catch (const nlohmann::json::exception&) {
        throw refuse("keys that are missing or of another type");
    }
}

}  // namespace

Run run_of(const runtime::Result& result, const config::Config& config) {
    const bool waited = result.outcome == tlm::Outcome::Hang && !result.spinning;
    const std::uint64_t idle = waited ? std::min(result.figures.time, config.runtime.timeout) : 0;
    return {config.core.clock, result.figures.start, result.figures.start + result.figures.time - idle};
}

fs::path folder_of(const fs::path& recording) {
    return fs::path(recording).replace_extension(".wave");
}

fs::path table_of(const fs::path& recording, isa::Engine engine) {
    return folder_of(recording) / table_name(isa::name_of(engine));
}

void write_run(const fs::path& recording, const Run& run, const neff::Package& package) {
    const fs::path folder = folder_of(recording);
    fs::create_directories(folder);
    write_tables(folder, package);
    write_figures(folder, run);
}

void begin_run(const fs::path& under_way, std::uint64_t clock, const neff::Package& package) {
    const fs::path folder = under_way.parent_path();
    write_tables(folder, package);
    if (clock != 0) write_figures(folder, {.clock = clock});
}

void recover_run(const fs::path& recording, const fs::path& under_way, std::uint64_t start,
                 std::uint64_t end) {
    const fs::path from = under_way.parent_path(), to = folder_of(recording);
    std::vector<std::string> names{Figures};
    for (const std::string& name : table_names()) names.push_back(name);
    for (const std::string& name : names) {
        std::error_code none;
        fs::remove(to / name, none);
        if (!fs::exists(from / name)) continue;
        fs::create_directories(to);
        files::write(to / name, files::read(from / name));
    }
    if (std::optional<Run> run = read_figures(to)) {
        run->start = start;
        run->end = end;
        write_figures(to, *run);
    }
}

std::optional<Run> read_run(const fs::path& recording) {
    return read_figures(folder_of(recording));
}

}  // namespace trnsim::waves
