// trnsim config list, trnsim config servers, trnsim config show, trnsim config check, trnsim config area
#include <fmt/format.h>

#include <memory>

#include "model/estimates/area.hpp"
#include "model/system/load_server.hpp"
#include "tools/cli/commands.hpp"

namespace trnsim::cli {

void declare_config(Subcommand app, const Environment& environment, int& status) {
    app.require_subcommand();
    auto name = std::make_shared<std::string>();
    const auto add = [&](const char* command, const char* doc, auto action) {
        Subcommand sub = app.add_subcommand(command, doc);
        sub.add_option("config", *name, "A name or a .yaml file").required();
        sub.callback([name, action, &environment] { action(config::load(*name), *name, environment.out); });
    };
    app.add_subcommand("list", "The shipped configurations").callback([&environment] {
        for (const std::string& known : config::shipped()) {
            const config::Config config = config::load(known);
            environment.out << fmt::format(
                "{:<10} {} x {} array at {} GHz, {} partitions with {} KiB of SBUF each, {} DMA engines\n",
                known, config.core.array.rows, config.core.array.columns,
                static_cast<double>(config.core.clock) / 1e9, config.core.partitions,
                config.core.sbuf_partition / 1024, config.dma.engines);
        }
    });
    app.add_subcommand("servers", "The shipped servers").callback([&environment] {
        for (const std::string& known : config::shipped_servers()) {
            const config::Server server = tlm::load_server(known);
            environment.out << fmt::format("{:<13} {} chips of {}, {} links\n", known, server.chips(),
                                           server.chip_name, tlm::link_topology(server).cables.size());
        }
    });
    add("show", "The effective configuration",
        [](const config::Config& config, const std::string&, std::ostream& out) {
            out << config::show(config);
        });
    add("check", "Check a configuration: its mistakes, and where they are",
        [](const config::Config& config, const std::string& given, std::ostream& out) {
            out << fmt::format("{}: configuration '{}' is sound\n", config::resolve(given).string(),
                               config.name);
        });
    add("area", "Estimated gates, SRAM bits and area of a core",
        [](const config::Config& config, const std::string&, std::ostream& out) {
            const estimates::AreaTable table = estimates::load_tables().area;
            out << estimates::show(estimates::estimate_area(config, table), config, table);
        });
}

}  // namespace trnsim::cli
