#include "tools/regress/baseline.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "arch/config/document.hpp"
#include "arch/config/units.hpp"
#include "base/files/files.hpp"

namespace trnsim::regress {

std::filesystem::path baseline_file(const std::filesystem::path& list) {
    return std::filesystem::path(list).replace_extension(".cycles.json");
}

Baseline read_baseline(const std::filesystem::path& path) {
    Baseline baseline;
    if (!std::filesystem::exists(path)) return baseline;
    const config::Document document(path, "a baseline of cycles");  // JSON is YAML
    for (const auto& entry : document.root()) {
        const std::string id = entry.first.Scalar(),
                          text = entry.second.IsScalar() ? entry.second.Scalar() : "";
        const auto cycles = config::parse_quantity(text, config::Quantity::Count);
        if (!cycles || *cycles == 0)
            config::fail(document.place(entry.second), "cycles",
                         fmt::format("{}: found '{}', expected a number of cycles", id, text));
        if (!baseline.emplace(id, *cycles).second)
            config::fail(document.place(entry.first), config::RuleKeyTwice,
                         fmt::format("{}: found twice, expected once", id));
    }
    return baseline;
}

void write_baseline(const std::filesystem::path& path, const Baseline& baseline) {
    files::write(path, nlohmann::json(baseline).dump(1) + "\n");
}

std::filesystem::path engines_file(const std::filesystem::path& list) {
    return std::filesystem::path(list).replace_extension(".engines.json");
}

EngineBaseline read_engines(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) return {};
    try {
        const auto bytes = files::read(path);
        return nlohmann::json::parse(bytes.begin(), bytes.end()).get<EngineBaseline>();
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(fmt::format(
            "{}: found no cycles by engine and class, expected those that --update-baseline writes",
            path.string()));
    }
}

// Writes a line for each case, so that a difference shows in review.
void write_engines(const std::filesystem::path& path, const EngineBaseline& baseline) {
    std::string text;
    for (const auto& [id, engines] : baseline)
        text += fmt::format("{}\n {}: {}", text.empty() ? "" : ",", nlohmann::json(id).dump(),
                            nlohmann::json(engines).dump());
    files::write(path, "{" + text + "\n}\n");
}

std::string compare(const Baseline& baseline, const std::string& id, std::uint64_t cycles) {
    if (baseline.empty()) return "";
    const auto found = baseline.find(id);
    if (found == baseline.end())
        return fmt::format("{} cycles, none in the baseline (--update-baseline adds them)", cycles);
    const auto expected = static_cast<double>(found->second);
    const double change = (static_cast<double>(cycles) - expected) / expected;
    if (std::abs(change) <= MaxChange) return "";
    return fmt::format("{} cycles, {:+.2f} % against {} of the baseline, expected within {:g} %", cycles,
                       100 * change, found->second, 100 * MaxChange);
}

}  // namespace trnsim::regress
