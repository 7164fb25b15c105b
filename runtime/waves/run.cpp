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

fs::path figures_of(const fs::path& recording) {
    return folder_of(recording) / "run.json";
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
    return folder_of(recording) / fmt::format("program_{}.txt", isa::name_of(engine));
}

void write_run(const fs::path& recording, const Run& run, const neff::Package& package) {
    fs::create_directories(folder_of(recording));
    for (std::uint32_t e = 0; e < package.programs.size(); ++e) {
        std::string table = fmt::format("{:08x} -\n", NoIndex);
        for (std::size_t pc = 0; pc < package.programs[e].size(); ++pc)
            table += fmt::format("{:08x} {}\n", pc, runtime::describe(package, e, pc));
        files::write(table_of(recording, static_cast<isa::Engine>(e)), table);
    }
    files::write(folder_of(recording) / "program_cores.txt", table_of_cores(package));
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
    files::write(figures_of(recording), figures.dump(1) + "\n");
}

std::optional<Run> read_run(const fs::path& recording) {
    const fs::path path = figures_of(recording);
    if (!fs::is_regular_file(path)) return std::nullopt;
    const auto bytes = files::read(path);
    try {
        const auto figures = nlohmann::json::parse(bytes);
        Run run{figures.at("clock"), figures.at("start"), figures.at("end")};
        if (run.clock == 0) throw std::runtime_error("the clock is 0");
        if (figures.contains("element")) run.element = element_of(figures.at("element"));
        return run;
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
    }
}

}  // namespace trnsim::waves
