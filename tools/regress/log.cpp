#include "tools/regress/log.hpp"

#include <fmt/format.h>

#include <cctype>

namespace trnsim::regress {

// Keeps letters, digits and other characters that are safe in file names.
std::string file_name(const std::string& id) {
    std::string name;
    for (const char c : id) name += std::isalnum(static_cast<unsigned char>(c)) || c == '=' ? c : '-';
    return name.substr(0, 120);
}

std::string log_text(const Case& one, const config::Config& config, const CaseResult& result,
                     const std::string& output) {
    const Rerun& rerun = *result.rerun;
    std::string text =
        fmt::format("{}\n{}:{}:{}\n", one.id, one.place.file, one.place.line, one.place.column);
    text += fmt::format("configuration {}, RTL {}, {}\n\n", config.name, result.rtl_hash, result.verilator);
    text += fmt::format("{}: {}\n{}", name_of(result.status), result.message, result.detail);
    text += fmt::format("\nrun again alone: {}\n",
                        rerun.same ? "the same" : fmt::format("not the same: {}", rerun.said));
    if (!rerun.wave.empty())
        text +=
            fmt::format("waveform {} of cycles {} to {}\n", rerun.wave, rerun.first_cycle, rerun.last_cycle);
    if (!rerun.reproduce.empty()) text += fmt::format("\n{}\n", rerun.reproduce);
    if (!rerun.show.empty()) text += rerun.show + "\n";
    if (!output.empty()) text += "\noutput of the process:\n" + output;
    return text;
}

}  // namespace trnsim::regress
