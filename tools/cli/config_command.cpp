// trnsim config list, trnsim config servers, trnsim config show, trnsim config check, trnsim config area
//
// A configuration is that of a chip, or a server; one that names a server where only a chip has the figure
// stands for that of its chips.
#include <fmt/format.h>

#include <memory>

#include "model/estimates/area.hpp"
#include "model/system/load_server.hpp"
#include "tools/cli/commands.hpp"
#include "tools/command/target_config.hpp"

namespace trnsim::cli {

namespace {

void list_chips(std::ostream& out) {
    for (const std::string& known : config::shipped()) {
        const config::Config config = config::load(known);
        out << fmt::format(
            "{:<13} {} x {} array at {} GHz, {} partitions with {} KiB of SBUF each, {} DMA engines\n", known,
            config.core.array.rows, config.core.array.columns, static_cast<double>(config.core.clock) / 1e9,
            config.core.partitions, config.core.sbuf_partition / 1024, config.dma.engines);
    }
}

void list_servers(std::ostream& out) {
    for (const std::string& known : config::shipped_servers()) {
        const config::Server server = tlm::load_server(known);
        out << fmt::format("{:<13} {} chips of {}, {} links\n", known, server.chips(), server.chip_name,
                           tlm::link_topology(server).cables.size());
    }
}

void show(const std::string& given, std::ostream& out) {
    out << (config::is_server(given) ? config::show(tlm::load_server(given))
                                     : config::show(config::load(given)));
}

void check(const std::string& given, std::ostream& out) {
    if (config::is_server(given)) {
        const config::Server server = tlm::load_server(given);
        out << fmt::format("{}: server '{}' of {} chips of {} is sound\n", given, server.name, server.chips(),
                           server.chip_name);
        return;
    }
    const config::Config config = config::load(given);
    out << fmt::format("{}: configuration '{}' is sound\n", config::resolve(given).string(), config.name);
}

void estimate_area(const std::string& given, std::ostream& out) {
    const config::Config config =
        config::is_server(given) ? tlm::load_server(given).chip : config::load(given);
    const estimates::AreaTable table = estimates::load_tables().area;
    out << estimates::show(estimates::estimate_area(config, table), config, table);
}

}  // namespace

void declare_config(Subcommand app, const Environment& environment, int& status) {
    app.require_subcommand();
    auto name = std::make_shared<std::string>();
    const auto add = [&](const char* command, const char* doc,
                         void (*action)(const std::string&, std::ostream&)) {
        Subcommand sub = app.add_subcommand(command, doc);
        sub.add_option("config", *name, "A name or a .yaml file, of a chip or of a server").required();
        sub.callback([name, action, &environment] {
            check_chip_or_server(*name);
            action(*name, environment.out);
        });
    };
    app.add_subcommand("list", "The shipped configurations of chips, then the servers")
        .callback([&environment] {
            list_chips(environment.out);
            list_servers(environment.out);
        });
    app.add_subcommand("servers", "The shipped servers").callback([&environment] {
        list_servers(environment.out);
    });
    add("show", "The effective configuration of a chip or a server", show);
    add("check", "Check a configuration or a server: its mistakes, and where they are", check);
    add("area", "Estimated gates, SRAM bits and area of a core", estimate_area);
}

}  // namespace trnsim::cli
