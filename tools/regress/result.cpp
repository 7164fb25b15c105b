#include "tools/regress/result.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace trnsim::regress {
namespace {

using Compact = nlohmann::json;

constexpr std::array<std::string_view, StatusCount> Names{"pass",    "mismatch", "error",  "no error",
                                                          "timeout", "crash",    "cycles", "not run"};

Compact element_json(const WrongElement& element) {
    return {{"engine", static_cast<int>(element.engine)},
            {"number", element.number},
            {"address", element.address},
            {"lane", element.lane}};
}

WrongElement element_of(const Compact& json) {
    return {static_cast<isa::Engine>(json.at("engine").get<int>()), json.at("number"), json.at("address"),
            json.at("lane")};
}

}  // namespace

std::string_view name_of(Status status) {
    return Names[static_cast<std::size_t>(status)];
}

std::string to_text(const CaseResult& result) {
    const Compact json{{"status", static_cast<int>(result.status)},
                       {"message", result.message},
                       {"detail", result.detail},
                       {"cycles", result.cycles},
                       {"engines", result.engines},
                       {"wall_seconds", result.wall_seconds},
                       {"cpu_seconds", result.cpu_seconds},
                       {"place", result.place},
                       {"view", result.view},
                       {"element", result.element ? element_json(*result.element) : Compact()},
                       {"rtl_hash", result.rtl_hash},
                       {"verilator", result.verilator},
                       {"coverage", result.coverage}};
    return json.dump(-1, ' ', false, Compact::error_handler_t::replace);
}

CaseResult from_text(const std::string& text) {
    const Compact json = Compact::parse(text);
    CaseResult result;
    result.status = static_cast<Status>(json.at("status").get<int>());
    result.message = json.at("message");
    result.detail = json.at("detail");
    result.cycles = json.at("cycles");
    result.engines = json.at("engines").get<profile::EngineCycles>();
    result.wall_seconds = json.at("wall_seconds");
    result.cpu_seconds = json.at("cpu_seconds");
    result.place = json.at("place");
    result.view = json.at("view");
    if (!json.at("element").is_null()) result.element = element_of(json.at("element"));
    result.rtl_hash = json.at("rtl_hash");
    result.verilator = json.at("verilator");
    result.coverage = json.at("coverage").get<std::vector<std::uint64_t>>();
    return result;
}

}  // namespace trnsim::regress
