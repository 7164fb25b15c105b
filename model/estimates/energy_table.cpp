#include <fmt/format.h>

#include <array>

#include "arch/config/units.hpp"
#include "model/estimates/figures_file.hpp"
#include "model/estimates/tables.hpp"

namespace trnsim::estimates {
namespace {

using config::Document;
using config::Location;

struct EnergyRow {
    FigureRow figure;
    double EnergyTable::*member;
};
constexpr std::array EnergyRows{
    EnergyRow{{"mac_fp8", "pJ"}, &EnergyTable::mac_fp8},
    EnergyRow{{"mac_bf16", "pJ"}, &EnergyTable::mac_bf16},
    EnergyRow{{"mac_fp16", "pJ"}, &EnergyTable::mac_fp16},
    EnergyRow{{"mac_tf32", "pJ"}, &EnergyTable::mac_tf32},
    EnergyRow{{"mac_fp32", "pJ"}, &EnergyTable::mac_fp32},
    EnergyRow{{"addition", "pJ"}, &EnergyTable::addition},
    EnergyRow{{"multiplication", "pJ"}, &EnergyTable::multiplication},
    EnergyRow{{"hbm", "pJ/bit"}, &EnergyTable::hbm},
    EnergyRow{{"wire", "pJ/bit/mm"}, &EnergyTable::wire},
    EnergyRow{{"wire_length", "mm"}, &EnergyTable::wire_length},
    EnergyRow{{"static_power", "W/mm2"}, &EnergyTable::static_power},
};

SramPoint read_sram_point(const Document& document, const YAML::Node& node, const std::string& name) {
    SramPoint point;
    read_mapping(document, node, document.place(node), name,
                 {{"capacity",
                   [&](const YAML::Node& found, const Location& place) {
                       const std::string text = read_text(found, place, name + ".capacity");
                       const auto bytes = config::parse_quantity(text, config::Quantity::Size);
                       if (!bytes || *bytes == 0) {
                           config::fail(place, RuleNumber,
                                        fmt::format("{}.capacity: found '{}', expected {}", name, text,
                                                    config::describe(config::Quantity::Size)));
                       }
                       point.capacity = static_cast<double>(*bytes);
                   }},
                  {"value",
                   [&](const YAML::Node& found, const Location& place) {
                       point.energy = read_number(found, place, name + ".value", "pJ");
                   }},
                  {"source", [&](const YAML::Node& found, const Location& place) {
                       read_text(found, place, name + ".source");
                   }}});
    return point;
}

std::vector<SramPoint> read_sram(const Document& document, const YAML::Node& node, const Location& where) {
    if (!node.IsSequence() || node.size() == 0)
        config::fail(where, RuleList, fmt::format("sram: found {}, expected a list", config::kind(node)));
    std::vector<SramPoint> points;
    for (const YAML::Node& item : node) {
        points.push_back(read_sram_point(document, item, fmt::format("sram[{}]", points.size())));
        if (points.size() > 1 && points.back().capacity <= points[points.size() - 2].capacity) {
            config::fail(document.place(item), RuleOrder,
                         "sram: expected capacities in ascending order, found one that is not");
        }
    }
    return points;
}

}  // namespace

EnergyTable read_energy_table(const std::filesystem::path& path) {
    const Document document(path, "a table of energies");
    EnergyTable table;
    const auto figures = [&](const YAML::Node& node, const Location& where) {
        std::vector<FigureRow> rows;
        rows.reserve(std::size(EnergyRows));
        for (const EnergyRow& row : EnergyRows) rows.push_back(row.figure);
        const auto values = read_figures(document, node, where, "figures", rows);
        for (const EnergyRow& row : EnergyRows) table.*row.member = values.at(std::string(row.figure.key));
    };
    read_mapping(
        document, document.root(), {document.file()}, "",
        {{"process", [&](const YAML::Node& node,
                         const Location& where) { table.process = read_text(node, where, "process"); }},
         {"figures", figures},
         {"sram", [&](const YAML::Node& node, const Location& where) {
              table.sram = read_sram(document, node, where);
          }}});
    return table;
}

}  // namespace trnsim::estimates
