#include "testbench/runtime/report.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <systemc>

#include "testbench/runtime/estimates.hpp"

namespace trnsim::runtime {
namespace {

using Json = nlohmann::ordered_json;

constexpr double FsPerSecond = 1e15;
constexpr std::array<std::string_view, 5> OutcomeNames{"done", "core error", "dma error", "hang",
                                                       "stopped"};  // by Outcome

double seconds(std::uint64_t fs) {
    return static_cast<double>(fs) / FsPerSecond;
}

Json to_json(const tlm::Traffic& traffic) {
    return {{"reads", traffic.reads},
            {"writes", traffic.writes},
            {"bytes_read", traffic.bytes_read},
            {"bytes_written", traffic.bytes_written}};
}

Json engine_json(const Figures& figures, std::size_t index) {
    const tlm::EngineStatistics& engine = figures.engine[index];
    Json states;
    for (std::size_t s = 0; s < engine.cycles_in_state.size(); ++s) {
        states[std::string(isa::name_of(isa::seq_state_values(), static_cast<unsigned>(s)))] =
            engine.cycles_in_state[s];
    }
    const auto cycles_in = [&engine](isa::SeqState state) {
        return engine.cycles_in_state[static_cast<std::size_t>(state)];
    };
    return {{"issued", engine.issued},
            {"completed", engine.completed},
            {"busy_cycles", engine.busy_cycles},
            {"utilisation", figures.engine_utilisation(index)},
            {"stall_cycles",
             {{"instruction_fetch", cycles_in(isa::SeqState::Fetch)},
              {"semaphore", cycles_in(isa::SeqState::WaitSem)},
              {"engine_busy", cycles_in(isa::SeqState::WaitEngine)},
              {"drain", cycles_in(isa::SeqState::Drain)}}},
            {"cycles_in_state", states}};
}

Json dma_json(const Figures& figures, std::size_t index) {
    const tlm::DmaStatistics& dma = figures.dma[index];
    Json json = to_json(dma.data);
    json["packets"] = dma.packets;
    json["descriptor_bytes"] = dma.descriptor_bytes;
    json["busy_seconds"] = seconds(dma.busy_time);
    json["utilisation"] = figures.dma_utilisation(index);
    return json;
}

Json versions_json(const tlm::CoreInfo& core) {
    return {{"trnsim", TRNSIM_VERSION},
            {"verilator", core.verilator},
            {"systemc", std::string(sc_core::sc_release())}};
}

Json estimates_json(const Estimates& estimates, const estimates::Tables& tables) {
    Json energy;
    for (const estimates::Component& component : estimates.energy.components)
        energy[std::string(component.name)] = component.joules;
    energy["total"] = estimates.energy.joules;
    return {{"estimate", true},
            {"process", tables.energy.process},
            {"energy_joules", energy},
            {"average_watts", estimates.energy.average_watts},
            {"joules_per_mac", estimates.energy.joules_per_mac},
            {"area",
             {{"mm2", estimates.area.mm2()},
              {"gates", estimates.area.gates},
              {"sram_bits", estimates.area.sram_bits}}}};
}

std::string line(std::string_view name, const std::string& value) {
    return fmt::format("  {:<18} {}\n", name, value);
}

// A value in the largest unit that leaves at least 1, of units a thousand apart; the last for what is less.
template <std::size_t N>
std::string format_scaled(double value, double largest, const std::array<const char*, N>& units) {
    constexpr double Step = 1e3;
    std::size_t unit = 0;
    for (; unit + 1 < N && value < largest; ++unit) largest /= Step;
    return fmt::format("{:.3f} {}", value / largest, units[unit]);
}

std::string format_time(std::uint64_t fs) {
    if (fs < 1'000'000) return fmt::format("{} fs", fs);
    return format_scaled(static_cast<double>(fs), FsPerSecond, std::array{"s", "ms", "us", "ns"});
}

std::string format_energy(const estimates::Energy& energy) {
    std::string text = format_scaled(energy.joules, 1.0, std::array{"J", "mJ", "uJ", "nJ"}) +
                       fmt::format(", {:.3f} W on average", energy.average_watts);
    if (energy.joules_per_mac > 0) text += fmt::format(", {:.2f} pJ a MAC", energy.joules_per_mac * 1e12);
    return text + " (estimate)";
}

}  // namespace

std::string to_json(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables) {
    const Figures& figures = result.figures;
    Json json;
    json["versions"] = versions_json(result.core);
    json["rtl_hash"] = result.core.rtl_hash;
    json["kernel"] = {{"name", package.name}, {"arguments", package.arguments}};
    json["fidelity"] = "rtl";
    json["seed"] = result.rounding.seed;
    json["stochastic_rounding"] = result.rounding.stochastic;
    json["outcome"] = OutcomeNames[static_cast<std::size_t>(result.outcome)];
    json["message"] = result.message;
    json["start_seconds"] = seconds(figures.start);
    json["simulated_seconds"] = seconds(figures.time);
    json["cycles"] = figures.cycles;
    json["evaluated_cycles"] = figures.evaluated_cycles;
    json["wall_seconds"] = figures.wall_seconds;
    json["simulated_khz"] = figures.simulated_khz();
    json["mmacs_per_second"] = figures.mmacs_per_second();
    json["matmul"] = {
        {"instructions", figures.matmul.instructions}, {"macs", figures.matmul.macs},
        {"ideal_cycles", figures.matmul.ideal_cycles}, {"first_cycle", figures.matmul.first_cycle},
        {"last_cycle", figures.matmul.last_cycle},     {"utilisation", figures.tensor_utilisation()}};
    for (std::size_t e = 0; e < figures.engine.size(); ++e) {
        json["engines"][std::string(name_of(static_cast<isa::Engine>(e)))] = engine_json(figures, e);
    }
    json["core_window"] = to_json(figures.window);
    json["core_manager"] = to_json(figures.manager);
    json["hbm"] = Json::array();
    for (const tlm::Traffic& stack : figures.hbm) json["hbm"].push_back(to_json(stack));
    json["dma"] = Json::array();
    for (std::size_t e = 0; e < figures.dma.size(); ++e) json["dma"].push_back(dma_json(figures, e));
    json["estimates"] = estimates_json(estimate(figures, config, tables), tables);
    json["configuration"] = {{"name", config.name}, {"yaml", config::show(config)}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summary(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables) {
    const Figures& figures = result.figures;
    std::string text = fmt::format("{} on {}: {}\n", package.name, config.name,
                                   OutcomeNames[static_cast<std::size_t>(result.outcome)]);
    text += line("simulated time",
                 fmt::format("{}, from {} to {}", format_time(figures.time), format_time(figures.start),
                             format_time(figures.start + figures.time)));
    text += line("cycles", fmt::format("{} ({} evaluated)", figures.cycles, figures.evaluated_cycles));
    for (std::size_t e = 0; e < figures.engine.size(); ++e) {
        if (package.programs[e].empty()) continue;
        text += line(fmt::format("{} engine", name_of(static_cast<isa::Engine>(e))),
                     fmt::format("{:5.1f} % busy, {} instructions", 100 * figures.engine_utilisation(e),
                                 figures.engine[e].completed));
    }
    if (figures.matmul.instructions != 0) {
        text += line("matmul", fmt::format("{:5.1f} % of peak from first to last, {:.3f} million MACs",
                                           100 * figures.tensor_utilisation(),
                                           static_cast<double>(figures.matmul.macs) / 1e6));
    }
    if (!figures.dma.empty()) {
        double busiest = 0;
        for (std::size_t e = 0; e < figures.dma.size(); ++e)
            busiest = std::max(busiest, figures.dma_utilisation(e));
        text += line("DMA", fmt::format("{:5.1f} % busy (busiest engine), {} bytes", 100 * busiest,
                                        figures.dma_bytes()));
    }
    text += line("energy", format_energy(estimate(figures, config, tables).energy));
    text += line("rounding",
                 fmt::format("{}, seed {}", result.rounding.stochastic ? "stochastic" : "nearest even",
                             result.rounding.seed));
    text += line("wall time", fmt::format("{:.2f} s", figures.wall_seconds));
    text += line("speed", fmt::format("{:.1f} simulated kHz, {:.1f} MMAC/s", figures.simulated_khz(),
                                      figures.mmacs_per_second()));
    return text;
}

}  // namespace trnsim::runtime
