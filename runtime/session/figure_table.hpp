// Figures as rows of a table: names, meanings, and functions that compute them.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/session/statistics.hpp"

namespace trnsim::runtime {

using Json = nlohmann::ordered_json;

// A figure of a `Source` and the function that computes it.
template <typename Source>
struct Figure {
    std::string_view name, unit, doc;
    Json (*value)(const Source&);
};

// Sets member `name` of nested objects; its parts are joined by dots.
inline void put(Json& json, std::string_view name, Json value) {
    Json* at = &json;
    for (std::size_t dot = 0; (dot = name.find('.')) != std::string_view::npos; name.remove_prefix(dot + 1))
        at = &(*at)[std::string(name.substr(0, dot))];
    (*at)[std::string(name)] = std::move(value);
}

template <typename Source, std::size_t N>
void put_all(Json& json, const std::array<Figure<Source>, N>& figures, const Source& source) {
    for (const Figure<Source>& figure : figures) put(json, figure.name, figure.value(source));
}

template <typename Source, std::size_t N>
void list(std::vector<StatisticInfo>& infos, const std::array<Figure<Source>, N>& figures) {
    for (const Figure<Source>& figure : figures)
        infos.push_back({std::string(figure.name), figure.unit, figure.doc});
}

template <typename... Figures>
std::vector<StatisticInfo> infos(const Figures&... figures) {
    std::vector<StatisticInfo> all;
    (list(all, figures), ...);
    return all;
}

}  // namespace trnsim::runtime
