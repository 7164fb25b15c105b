#include "runtime/session/statistics.hpp"

#include <array>
#include <span>
#include <systemc>

#include "arch/target/memory.hpp"
#include "base/time/time.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/session/dram_figures.hpp"
#include "runtime/session/estimates.hpp"
#include "runtime/session/figure_table.hpp"
#include "runtime/session/outcome_name.hpp"

namespace trnsim::runtime {
namespace {

using tlm::DmaStatistics;
using tlm::EngineStatistics;
using tlm::Traffic;

// The sources of the figures of the whole run.
struct Source {
    const Result& result;
    const neff::Package& package;
    const config::Config& config;
    const Figures& figures() const { return result.figures; }
};

// Returns the names, separated by commas.
std::string nan_engines(const tlm::NumericError& error) {
    std::string names;
    for (unsigned e = 0; e < neff::EngineCount; ++e) {
        if ((error.engines >> e & 1) == 0) continue;
        names.append(names.empty() ? "" : ",").append(name_of(static_cast<isa::Engine>(e)));
    }
    return names;
}

constexpr std::array RunFigures{
    Figure<Source>{"versions.trnsim", "", "of the program",
                   [](const Source&) -> Json { return TRNSIM_VERSION; }},
    Figure<Source>{"versions.verilator", "", "that built the core",
                   [](const Source& r) -> Json { return r.result.core.verilator; }},
    Figure<Source>{"versions.systemc", "", "of the library",
                   [](const Source&) -> Json { return std::string(sc_core::sc_release()); }},
    Figure<Source>{"rtl_hash", "",
                   "SHA-256 of the RTL, of what its packages are made from and of its parameters",
                   [](const Source& r) -> Json { return r.result.core.rtl_hash; }},
    Figure<Source>{"kernel.name", "", "of the kernel",
                   [](const Source& r) -> Json { return r.package.name; }},
    Figure<Source>{"kernel.arguments", "", "it was built with",
                   [](const Source& r) -> Json { return r.package.arguments; }},
    Figure<Source>{"chip", "", "number of the chip that executed it",
                   [](const Source& r) -> Json { return r.result.core_id.chip; }},
    Figure<Source>{"core", "", "number of the core of that chip",
                   [](const Source& r) -> Json { return r.result.core_id.core; }},
    Figure<Source>{"fidelity", "", "model of the core at the end",
                   [](const Source& r) -> Json { return name_of(r.result.fidelity); }},
    Figure<Source>{"seed", "", "of stochastic rounding",
                   [](const Source& r) -> Json { return r.result.rounding.seed; }},
    Figure<Source>{"stochastic_rounding", "",
                   "whether narrowing writes round stochastically unless the instruction says otherwise",
                   [](const Source& r) -> Json { return r.result.rounding.stochastic; }},
    Figure<Source>{
        "perturb", "", "seed of random delays and stalls; null: there were none",
        [](const Source& r) -> Json { return r.result.perturb ? Json(*r.result.perturb) : Json(); }},
    Figure<Source>{"random_memory", "", "seed of what HBM, SBUF and PSUM held at first; null: zeros",
                   [](const Source& r) -> Json {
                       return r.result.random_memory ? Json(*r.result.random_memory) : Json();
                   }},
    Figure<Source>{"outcome", "", "done, core error, dma error, hang or stopped",
                   [](const Source& r) -> Json { return name_of(r.result.outcome); }},
    Figure<Source>{"message", "", "what went wrong; empty when done",
                   [](const Source& r) -> Json { return r.result.message; }},
    Figure<Source>{
        "numeric_error.engines", "",
        "that have written a NaN, joined by commas; unless empty, the run has completed with numeric error",
        [](const Source& r) -> Json { return nan_engines(r.figures().numeric); }},
    Figure<Source>{"numeric_error.pc", "", "index of the first instruction that did; null: none has",
                   [](const Source& r) -> Json {
                       return r.figures().numeric.engines ? Json(r.figures().numeric.pc) : Json();
                   }},
    Figure<Source>{"numeric_error.engine", "", "whose instruction it was; null: none",
                   [](const Source& r) -> Json {
                       const tlm::NumericError& error = r.figures().numeric;
                       return error.engines ? Json(name_of(static_cast<isa::Engine>(error.engine))) : Json();
                   }},
    Figure<Source>{"notifications.records", "", "read from the notification queue; null: there was none",
                   [](const Source& r) -> Json {
                       return r.result.notifications ? Json(r.result.notifications->records) : Json();
                   }},
    Figure<Source>{"notifications.dropped", "",
                   "events for which the queue had no room; null: there was none",
                   [](const Source& r) -> Json {
                       return r.result.notifications ? Json(r.result.notifications->dropped) : Json();
                   }},
    Figure<Source>{"checkpoint.begun_seconds", "s",
                   "simulated time from which on engines were held for a checkpoint; null: there was none",
                   [](const Source& r) -> Json {
                       return r.result.checkpoint ? Json(seconds(r.result.checkpoint->begun)) : Json();
                   }},
    Figure<Source>{"checkpoint.quiescent_seconds", "s",
                   "simulated time at which everything under way had ended; null: there was none",
                   [](const Source& r) -> Json {
                       return r.result.checkpoint ? Json(seconds(r.result.checkpoint->quiescent)) : Json();
                   }},
    Figure<Source>{"resumed", "",
                   "whether the run went on from a checkpoint, from which on everything is counted",
                   [](const Source& r) -> Json { return r.result.resumed.has_value(); }},
    Figure<Source>{"start_seconds", "s",
                   "simulated time at which the first engine started, or the run went on",
                   [](const Source& r) -> Json { return seconds(r.figures().start); }},
    Figure<Source>{"simulated_seconds", "s", "simulated time from then to the end",
                   [](const Source& r) -> Json { return seconds(r.figures().time); }},
    Figure<Source>{"cycles", "core cycles", "of the same span",
                   [](const Source& r) -> Json { return r.figures().cycles; }},
    Figure<Source>{"evaluated_cycles", "core cycles",
                   "those of them that were not skipped because the core was idle",
                   [](const Source& r) -> Json { return r.figures().evaluated_cycles; }},
    Figure<Source>{"wall_seconds", "s", "time the simulation took on the host",
                   [](const Source& r) -> Json { return r.figures().wall_seconds; }},
    Figure<Source>{"simulated_khz", "kHz", "cycles / wall_seconds",
                   [](const Source& r) -> Json { return r.figures().simulated_khz(); }},
    Figure<Source>{"mmacs_per_second", "1e6/s", "matmul.macs / wall_seconds",
                   [](const Source& r) -> Json { return r.figures().mmacs_per_second(); }},
    Figure<Source>{"matmul.instructions", "", "multiply_moving instructions",
                   [](const Source& r) -> Json { return r.figures().matmul.instructions; }},
    Figure<Source>{"matmul.macs", "", "multiply-accumulates of the Tensor engine",
                   [](const Source& r) -> Json { return r.figures().matmul.macs; }},
    Figure<Source>{"matmul.onezero_macs", "",
                   "those whose moving operand is marked to hold only 0 and 1, such as transposes",
                   [](const Source& r) -> Json { return r.figures().matmul.onezero_macs; }},
    Figure<Source>{"matmul.ideal_cycles", "Tensor cycles", "what they cost by the published rule (timing.md)",
                   [](const Source& r) -> Json { return r.figures().matmul.ideal_cycles; }},
    Figure<Source>{"matmul.first_cycle", "core cycles", "issue of the first one",
                   [](const Source& r) -> Json { return r.figures().matmul.first_cycle; }},
    Figure<Source>{"matmul.last_cycle", "core cycles", "completion of the last one",
                   [](const Source& r) -> Json { return r.figures().matmul.last_cycle; }},
    Figure<Source>{"matmul.utilisation", "", "ideal_cycles / (last_cycle - first_cycle)",
                   [](const Source& r) -> Json { return r.figures().tensor_utilisation(); }},
    Figure<Source>{"array.matmul_cycles", "Tensor cycles", "in which a moving element entered the array",
                   [](const Source& r) -> Json { return r.figures().matmul_cycles; }},
    Figure<Source>{"array.fast_load_cycles", "Tensor cycles",
                   "in which four columns of a stationary operand entered",
                   [](const Source& r) -> Json { return r.figures().fast_load_cycles; }},
    Figure<Source>{"array.normal_load_cycles", "Tensor cycles", "in which fewer columns of one did",
                   [](const Source& r) -> Json { return r.figures().normal_load_cycles; }},
};

template <isa::SeqState State>
Json cycles_in(const EngineStatistics& engine) {
    return engine.cycles_in_state[static_cast<std::size_t>(State)];
}

Json cycles_by_state(const EngineStatistics& engine) {
    Json states;
    for (std::size_t s = 0; s < engine.cycles_in_state.size(); ++s) {
        states[std::string(isa::name_of(isa::seq_state_values(), static_cast<unsigned>(s)))] =
            engine.cycles_in_state[s];
    }
    return states;
}

// The counts of an engine, with the figures of the run that they need.
struct Engine {
    const EngineStatistics& counted;
    double utilisation;
};
constexpr std::array EngineFigures{
    Figure<Engine>{"issued", "", "instructions issued",
                   [](const Engine& e) -> Json { return e.counted.issued; }},
    Figure<Engine>{"completed", "", "instructions completed",
                   [](const Engine& e) -> Json { return e.counted.completed; }},
    Figure<Engine>{"busy_cycles", "core cycles",
                   "with the data path at work, counted by the engine in its own clock",
                   [](const Engine& e) -> Json { return e.counted.busy_cycles; }},
    Figure<Engine>{"utilisation", "", "busy_cycles / cycles",
                   [](const Engine& e) -> Json { return e.utilisation; }},
    Figure<Engine>{"stall_cycles.instruction_fetch", "core cycles", "waiting for the next instruction",
                   [](const Engine& e) { return cycles_in<isa::SeqState::Fetch>(e.counted); }},
    Figure<Engine>{"stall_cycles.semaphore", "core cycles", "waiting for a semaphore",
                   [](const Engine& e) { return cycles_in<isa::SeqState::WaitSem>(e.counted); }},
    Figure<Engine>{"stall_cycles.engine_busy", "core cycles", "waiting for the data path",
                   [](const Engine& e) { return cycles_in<isa::SeqState::WaitEngine>(e.counted); }},
    Figure<Engine>{"stall_cycles.drain", "core cycles", "waiting for instructions in flight",
                   [](const Engine& e) { return cycles_in<isa::SeqState::Drain>(e.counted); }},
    Figure<Engine>{"cycles_in_state", "core cycles",
                   "one member for each state of the sequencer (seq_state in instruction-set.md)",
                   [](const Engine& e) { return cycles_by_state(e.counted); }},
};

template <tlm::GpsimdClass Class>
Json cycles_in(const tlm::GpsimdCoreCounters& core) {
    return core.in(Class);
}

constexpr std::array GpsimdFigures{
    Figure<tlm::GpsimdCoreCounters>{
        "instructions", "", "that have retired",
        [](const tlm::GpsimdCoreCounters& c) -> Json { return c.instructions(); }},
    Figure<tlm::GpsimdCoreCounters>{
        "cycles", "GpSimd cycles",
        "of the core's clock, which stands while it sleeps: the sum of all that follow",
        [](const tlm::GpsimdCoreCounters& c) -> Json { return c.cycles; }},
    Figure<tlm::GpsimdCoreCounters>{"cycles_in.retired", "GpSimd cycles", "in which an instruction retired",
                                    cycles_in<tlm::GpsimdClass::Retired>},
    Figure<tlm::GpsimdCoreCounters>{
        "cycles_in.fetch", "GpSimd cycles",
        "without an instruction: after a taken branch, its line not in the buffer",
        cycles_in<tlm::GpsimdClass::Fetch>},
    Figure<tlm::GpsimdCoreCounters>{"cycles_in.operand", "GpSimd cycles", "waiting for a register",
                                    cycles_in<tlm::GpsimdClass::Operand>},
    Figure<tlm::GpsimdCoreCounters>{"cycles_in.vector", "GpSimd cycles",
                                    "waiting for the vector unit, or with a vector load or store at work",
                                    cycles_in<tlm::GpsimdClass::Vector>},
    Figure<tlm::GpsimdCoreCounters>{"cycles_in.memory", "GpSimd cycles",
                                    "waiting for a memory's port, or for data of a vector load",
                                    cycles_in<tlm::GpsimdClass::Memory>},
    Figure<tlm::GpsimdCoreCounters>{"cycles_in.unit", "GpSimd cycles",
                                    "waiting for the multiplier, the divider or floating point",
                                    cycles_in<tlm::GpsimdClass::Unit>},
    Figure<tlm::GpsimdCoreCounters>{"cycles_in.trap", "GpSimd cycles", "in which a trap was taken",
                                    cycles_in<tlm::GpsimdClass::Trap>},
    Figure<tlm::GpsimdCoreCounters>{"cycles_in.sleep", "GpSimd cycles",
                                    "halted or in wfi, with an edge for an access to its memory or a start",
                                    cycles_in<tlm::GpsimdClass::Sleep>},
};

constexpr std::array TrafficFigures{
    Figure<Traffic>{"reads", "", "read transactions", [](const Traffic& t) -> Json { return t.reads; }},
    Figure<Traffic>{"writes", "", "write transactions", [](const Traffic& t) -> Json { return t.writes; }},
    Figure<Traffic>{"bytes_read", "B", "read", [](const Traffic& t) -> Json { return t.bytes_read; }},
    Figure<Traffic>{"bytes_written", "B", "written",
                    [](const Traffic& t) -> Json { return t.bytes_written; }},
};

constexpr std::array MemoryFigures{
    Figure<tlm::MemoryCounts>{"wait_cycles.tensor", "Tensor cycles", "streams of moving operands, for SBUF",
                              [](const tlm::MemoryCounts& m) -> Json { return m.moving_waits; }},
    Figure<tlm::MemoryCounts>{"wait_cycles.vector", "Vector cycles", "for the port of SBUF or PSUM it shares",
                              [](const tlm::MemoryCounts& m) -> Json { return m.vector_waits; }},
    Figure<tlm::MemoryCounts>{"wait_cycles.scalar", "Scalar cycles", "for the port of PSUM it shares",
                              [](const tlm::MemoryCounts& m) -> Json { return m.scalar_waits; }},
    Figure<tlm::MemoryCounts>{"wait_cycles.gpsimd", "GpSimd cycles",
                              "for the port of SBUF it shares with Vector",
                              [](const tlm::MemoryCounts& m) -> Json { return m.gpsimd_waits; }},
    Figure<tlm::MemoryCounts>{"wait_cycles.bus", "bus cycles", "beats of all ports, for the slice they go to",
                              [](const tlm::MemoryCounts& m) -> Json { return m.bus_waits; }},
    Figure<tlm::MemoryCounts>{"wait_cycles.sequencers", "bus cycles", "their own accesses, for the slice",
                              [](const tlm::MemoryCounts& m) -> Json { return m.sequencer_waits; }},
    Figure<tlm::MemoryCounts>{"unfounded_additions", "",
                              "result rows added to PSUM words that no matmul had written, at most 65535",
                              [](const tlm::MemoryCounts& m) -> Json { return m.unfounded; }},
    Figure<tlm::MemoryCounts>{"unwritten_reads", "words", "read by engines before anything had written them",
                              [](const tlm::MemoryCounts& m) -> Json { return m.unwritten; }},
    Figure<tlm::MemoryCounts>{"ecc.corrected", "", "words read with one wrong bit, at most 65535",
                              [](const tlm::MemoryCounts& m) -> Json { return m.corrected; }},
    Figure<tlm::MemoryCounts>{"ecc.uncorrected", "", "words read with more, at most 65535",
                              [](const tlm::MemoryCounts& m) -> Json { return m.uncorrected; }},
};

struct Dma {
    const DmaStatistics& counted;
    double utilisation;
};
constexpr std::array DmaFigures{
    Figure<Dma>{"packets", "", "completed", [](const Dma& d) -> Json { return d.counted.packets; }},
    Figure<Dma>{"descriptor_bytes", "B", "descriptors fetched",
                [](const Dma& d) -> Json { return d.counted.descriptor_bytes; }},
    Figure<Dma>{"busy_seconds", "s", "simulated time with a packet at work",
                [](const Dma& d) -> Json { return seconds(d.counted.busy_time); }},
    Figure<Dma>{"utilisation", "", "busy_seconds / simulated_seconds",
                [](const Dma& d) -> Json { return d.utilisation; }},
};

struct Estimated {
    const Estimates& estimates;
    const estimates::Tables& tables;
};
constexpr std::array EstimateFigures{
    Figure<Estimated>{"estimate", "", "always true: nothing here is measured",
                      [](const Estimated&) -> Json { return true; }},
    Figure<Estimated>{"process", "", "the figures are for",
                      [](const Estimated& e) -> Json { return e.tables.energy.process; }},
    Figure<Estimated>{"energy_joules.total", "J", "of the run, sum of the components",
                      [](const Estimated& e) -> Json { return e.estimates.energy.joules; }},
    Figure<Estimated>{"average_watts", "W", "energy_joules.total / simulated_seconds",
                      [](const Estimated& e) -> Json { return e.estimates.energy.average_watts; }},
    Figure<Estimated>{"joules_per_mac", "J", "energy_joules.total / matmul.macs",
                      [](const Estimated& e) -> Json { return e.estimates.energy.joules_per_mac; }},
    Figure<Estimated>{"area.mm2", "mm2", "of the core, logic and SRAM",
                      [](const Estimated& e) -> Json { return e.estimates.area.mm2(); }},
    Figure<Estimated>{"area.gates", "", "of the core's logic, two-input NANDs",
                      [](const Estimated& e) -> Json { return e.estimates.area.gates; }},
    Figure<Estimated>{"area.sram_bits", "", "of the core",
                      [](const Estimated& e) -> Json { return e.estimates.area.sram_bits; }},
};
constexpr std::string_view ComponentPrefix = "energy_joules.";

constexpr std::array ConfigurationFigures{
    Figure<Source>{"configuration.name", "", "of the configuration",
                   [](const Source& r) -> Json { return r.config.name; }},
    Figure<Source>{"configuration.yaml", "", "every key; written to a file it is a configuration again",
                   [](const Source& r) -> Json { return config::show(r.config); }},
};

Json traffic_json(const Traffic& traffic) {
    Json json;
    put_all(json, TrafficFigures, traffic);
    return json;
}

Json dma_json(const Figures& figures, std::size_t index) {
    Json json = traffic_json(figures.dma[index].data);
    put_all(json, DmaFigures, Dma{figures.dma[index], figures.dma_utilisation(index)});
    return json;
}

Json estimates_json(const Estimates& estimates, const estimates::Tables& tables) {
    Json json;
    put_all(json, EstimateFigures, Estimated{estimates, tables});
    for (const estimates::Component& component : estimates.energy.components)
        put(json, std::string(ComponentPrefix) + std::string(component.name), component.joules);
    return json;
}

}  // namespace

std::string to_json(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables) {
    const Figures& figures = result.figures;
    const Source run{result, package, config};
    Json json;
    put_all(json, RunFigures, run);
    for (std::size_t e = 0; e < figures.engine.size(); ++e) {
        put_all(json["engines"][std::string(name_of(static_cast<isa::Engine>(e)))], EngineFigures,
                Engine{figures.engine[e], figures.engine_utilisation(e)});
    }
    json["gpsimd_cores"] = Json::array();
    for (std::size_t k = 0; k < target::gpsimd_cores(package.target); ++k)
        put_all(json["gpsimd_cores"].emplace_back(), GpsimdFigures, figures.gpsimd[k]);
    put_all(json["memories"], MemoryFigures, figures.memories);
    json["core_window"] = traffic_json(figures.window);
    json["core_manager"] = traffic_json(figures.manager);
    json["core_tables"] = traffic_json(figures.tables);
    json["hbm"] = Json::array();
    for (const Traffic& stack : figures.hbm) json["hbm"].push_back(traffic_json(stack));
    for (std::size_t s = 0; s < figures.dram.size(); ++s)
        json["hbm"][s]["dram"] = dram_json(figures.dram[s], figures.time, config.hbm.banked.tck);
    json["dma"] = Json::array();
    for (std::size_t e = 0; e < figures.dma.size(); ++e) json["dma"].push_back(dma_json(figures, e));
    json["estimates"] = estimates_json(estimate(figures, config, tables), tables);
    put_all(json, ConfigurationFigures, run);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<StatisticSection> statistic_sections() {
    std::vector<StatisticInfo> estimated = infos(EstimateFigures);
    for (const estimates::Component& component : estimates::Energy{}.components)
        estimated.push_back({std::string(ComponentPrefix) + std::string(component.name), "J", component.doc});
    return {
        {"The run", {}, infos(RunFigures)},
        {"Engines", {"engines.ENGINE"}, infos(EngineFigures)},
        {"GpSimd cores, see [gpsimd.md](gpsimd.md#where-cycles-go)",
         {"gpsimd_cores[]"},
         infos(GpsimdFigures)},
        {"SBUF and PSUM", {"memories"}, infos(MemoryFigures)},
        {"Traffic: of the core window from outside, of the core itself (fetches and posted writes), of its "
         "loads of activation tables, of each HBM stack of the chip, of the descriptors of each DMA engine "
         "of the core",
         {"core_window", "core_manager", "core_tables", "hbm[]", "dma[]"},
         infos(TrafficFigures)},
        {"HBM with banks (`hbm.model: banked`, see [hbm.md](hbm.md))", {"hbm[].dram"}, dram_figures()},
        {"Channels of HBM with banks", {"hbm[].dram.channels[]"}, dram_channel_figures()},
        {"DMA engines", {"dma[]"}, infos(DmaFigures)},
        {"Estimates, see [estimates.md](estimates.md)", {"estimates"}, std::move(estimated)},
        {"The configuration", {}, infos(ConfigurationFigures)},
    };
}

}  // namespace trnsim::runtime
