#include <fmt/format.h>

#include <array>

#include "arch/config/config.hpp"
#include "model/estimates/area.hpp"
#include "model/estimates/figures_file.hpp"
#include "model/estimates/tables.hpp"

namespace trnsim::estimates {
namespace {

using config::Document;
using config::Location;

struct AreaRow {
    FigureRow figure;
    double AreaTable::*member;
};
constexpr std::array AreaRows{
    AreaRow{{"logic_density", "MTr/mm2"}, &AreaTable::logic_density},
    AreaRow{{"sram_density", "Mb/mm2"}, &AreaTable::sram_density},
    AreaRow{{"flip_flop", "GE"}, &AreaTable::flip_flop_gates},
};

struct CountRow {
    const char* key;
    double Counts::*member;
};
constexpr std::array CountRows{CountRow{"at", &Counts::at}, CountRow{"gates", &Counts::gates},
                               CountRow{"flip_flop_bits", &Counts::flip_flop_bits},
                               CountRow{"cells", &Counts::cells},
                               CountRow{"memory_bits", &Counts::memory_bits}};

Counts read_counts(const Document& document, const YAML::Node& node, const std::string& name) {
    Counts counts;
    std::map<std::string, Entry> entries;
    for (const CountRow& row : CountRows) {
        entries[row.key] = [&counts, &row, &name](const YAML::Node& found, const Location& place) {
            const bool nothing = found.IsScalar() && found.Scalar() == "0";
            counts.*row.member =
                nothing ? 0 : read_number(found, place, fmt::format("{}.{}", name, row.key), "");
        };
    }
    read_mapping(document, node, document.place(node), name, entries);
    return counts;
}

BlockTable read_block(const Document& document, const YAML::Node& node, const Location& where,
                      const std::string& name) {
    BlockTable block;
    const auto points = [&](const YAML::Node& list, const Location& place) {
        if (!list.IsSequence() || list.size() < 1 || list.size() > 2)
            config::fail(place, RulePoints,
                         fmt::format("{}.points: expected a list of one or two points", name));
        for (const YAML::Node& point : list) {
            block.points.push_back(
                read_counts(document, point, fmt::format("{}.points[{}]", name, block.points.size())));
        }
        if (block.points.front().at >= block.points.back().at && block.points.size() > 1)
            config::fail(place, RuleOrder, fmt::format("{}.points: expected ascending values of 'at'", name));
    };
    const auto variable = [&](const YAML::Node& found, const Location& place) {
        block.variable = read_text(found, place, name + ".variable");
        if (!is_variable(block.variable)) {
            config::fail(place, config::RuleValue,
                         fmt::format("{}.variable: found '{}', expected one of: {}", name, block.variable,
                                     variable_names()));
        }
    };
    read_mapping(
        document, node, where, name,
        {{"module", [&](const YAML::Node& found,
                        const Location& place) { block.module = read_text(found, place, name + ".module"); }},
         {"variable", variable},
         {"points", points},
         {"check", [&](const YAML::Node& found, const Location&) {
              if (!found.IsScalar() || found.Scalar() != "none")
                  block.check = read_counts(document, found, name + ".check");
          }}});
    return block;
}

}  // namespace

AreaTable read_area_table(const std::filesystem::path& path) {
    const Document document(path, "a table of areas");
    AreaTable table;
    const auto figures = [&](const YAML::Node& node, const Location& where) {
        std::vector<FigureRow> rows;
        rows.reserve(std::size(AreaRows));
        for (const AreaRow& row : AreaRows) rows.push_back(row.figure);
        const auto values = read_figures(document, node, where, "figures", rows);
        for (const AreaRow& row : AreaRows) table.*row.member = values.at(std::string(row.figure.key));
    };
    const auto blocks = [&](const YAML::Node& node, const Location& where) {
        std::map<std::string, Entry> entries;
        for (const std::string_view name : block_names()) {
            const std::string key(name);
            entries[key] = [&, key](const YAML::Node& found, const Location& place) {
                table.blocks[key] = read_block(document, found, place, "blocks." + key);
            };
        }
        read_mapping(document, node, where, "blocks", entries);
    };
    const auto text = [](std::string& target, const char* name) {
        return [&target, name](const YAML::Node& node, const Location& where) {
            target = read_text(node, where, name);
        };
    };
    read_mapping(document, document.root(), {document.file()}, "",
                 {{"process", text(table.process, "process")},
                  {"yosys", text(table.yosys, "yosys")},
                  {"figures", figures},
                  {"blocks", blocks}});
    return table;
}

Tables load_tables() {
    return {read_energy_table(config::find_shipped("estimates/energy.yaml")),
            read_area_table(config::find_shipped("estimates/area.yaml"))};
}

}  // namespace trnsim::estimates
