#include "tools/sweep/store.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "arch/config/server_schema.hpp"
#include "base/files/files.hpp"
#include "runtime/waves/view.hpp"
#include "tools/cores/hash.hpp"

namespace trnsim::sweep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct RecordingInfo {
    const char *name, *extension;
};
constexpr std::array Recordings{RecordingInfo{"trace", ".trace.json"},
                                RecordingInfo{"wave", ".fst"}};  // by Recording

// Returns the path relative to the folder of the sweep.
fs::path point_file(const std::string& identity, const char* extension) {
    return fs::path("points") / (identity + extension);
}

}  // namespace

namespace {

// Describes a server apart from its chips' configuration.
std::string description(config::Server server) {
    std::string text = fmt::format("\nserver {} chips={}", server.name, server.chips());
    for (const config::SlotKinds& slots : server.slots) text += fmt::format(" {}", slots.size());
    const config::LinkShape& shape = server.topology;
    text += fmt::format("\ntopology {} {} x {}", static_cast<int>(shape.kind), shape.rows, shape.columns);
    for (const auto& [one, other] : shape.links) text += fmt::format(" {}-{}", one, other);
    for (const config::ServerField& field : config::server_schema()) {
        if (const auto* number = std::get_if<config::ServerNumber>(&field.value))
            text += fmt::format("\n{}={}", field.key, number->of(server));
    }
    return text;
}

}  // namespace

std::string identity(const Sweep& sweep, const Point& point) {
    const std::string own = point.own == nullptr ? "" : point.own->file.string() + "\n";
    return cores::hash_of(own +
                          fmt::format("{} {}\nseed={} stochastic={} perturb={} check={} fidelity={}\n{}",
                                      point.kernel, point.argument_text, sweep.seed, point.stochastic,
                                      point.perturb ? fmt::format("{}", *point.perturb) : "none", sweep.check,
                                      runtime::name_of(point.fidelity), config::show(point.config)) +
                          (point.server ? description(*point.server) : ""));
}

std::string to_text(const PointResult& result) {
    const Json json{{"status", name_of(result.status)},  {"reason", result.reason},
                    {"rtl_hash", result.rtl_hash},       {"verilator", result.verilator},
                    {"origin", result.origin},           {"wall_seconds", result.wall_seconds},
                    {"cpu_seconds", result.cpu_seconds}, {"metrics", result.metrics}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

PointResult from_text(const std::string& text) {
    const Json json = Json::parse(text);
    PointResult result;
    result.status = status_of(json.at("status").get<std::string>());
    result.reason = json.at("reason").get<std::string>();
    result.rtl_hash = json.at("rtl_hash").get<std::string>();
    result.verilator = json.at("verilator").get<std::string>();
    if (json.contains("origin")) result.origin = json.at("origin").get<Origin>();
    result.wall_seconds = json.at("wall_seconds").get<double>();
    result.cpu_seconds = json.at("cpu_seconds").get<double>();
    result.metrics = json.at("metrics").get<std::map<std::string, double>>();
    return result;
}

Store::Store(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    fs::create_directories(folder_ / "points", error);
    if (error) throw files::Error(fmt::format("{}: cannot be made: {}", folder_.string(), error.message()));
}

fs::path Store::file_of(const std::string& identity) const {
    return folder_ / point_file(identity, ".json");
}

bool Store::empty() const {
    return fs::is_empty(folder_ / "points");
}

void Store::clean() const {
    for (const fs::path& folder : {folder_, folder_ / "points"}) files::remove_leftovers(folder);
}

fs::path Store::file_of(Recording recording, const std::string& identity) const {
    return folder_ / point_file(identity, Recordings[static_cast<std::size_t>(recording)].extension);
}

std::map<std::string, std::string> Store::recordings(const std::string& identity) const {
    std::map<std::string, std::string> found;
    for (const RecordingInfo& info : Recordings) {
        const fs::path file = point_file(identity, info.extension);
        if (fs::is_regular_file(folder_ / file)) found.emplace(info.name, file.generic_string());
    }
    return found;
}

std::optional<PointResult> Store::find(const std::string& identity, bool any) const {
    const fs::path path = file_of(identity);
    if (!fs::is_regular_file(path)) return std::nullopt;
    try {
        const std::vector<std::uint8_t> bytes = files::read(path);
        PointResult result = from_text({bytes.begin(), bytes.end()});
        const bool lasting = result.status == Status::Ok || result.status == Status::Mismatch;
        if (any || lasting) return result;
    } catch (const std::exception&) {  // not a result
    }
    return std::nullopt;
}

void Store::put(const std::string& identity, const PointResult& result) const {
    files::write(file_of(identity), to_text(result));
}

void Store::remove(const std::string& identity) const {
    fs::remove(file_of(identity));
    for (const RecordingInfo& info : Recordings) fs::remove(folder_ / point_file(identity, info.extension));
    waves::remove_beside(file_of(Recording::Wave, identity));
}

}  // namespace trnsim::sweep
