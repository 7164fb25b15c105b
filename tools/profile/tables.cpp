#include "tools/profile/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/numbers.hpp"
#include "base/time/time.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/disassembler.hpp"
#include "tools/profile/advice.hpp"

namespace trnsim::profile {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* SchemaVersion = "7.4.0";

double ns(std::uint64_t fs) {
    return static_cast<double>(fs) / static_cast<double>(FsPerNs);
}

const EngineProfile* find(const Profile& profile, isa::Engine engine) {
    const auto found = std::ranges::find(profile.engines, engine, &EngineProfile::engine);
    return found == profile.engines.end() ? nullptr : &*found;
}

Json metadata(const Profile& profile, const config::Config& config) {
    const auto hertz = [&config](const config::Ratio& ratio) {
        return static_cast<double>(config.core.clock) * static_cast<double>(ratio.numerator) /
               static_cast<double>(ratio.denominator);
    };
    const config::ClockRatio& clocks = config.core.clock_ratio;
    return Json::array({{{"profile_schema_version", SchemaVersion},
                         {"instance_type", config.name},
                         {"is_simulation", true},
                         {"num_physical_cores", 1},
                         {"first_ts", ns(profile.start)},
                         {"last_ts", ns(profile.start + profile.time)},
                         {"hbm_ddr_bandwidth", config::peak_bandwidth(config.hbm)},
                         {"num_dma_engines_per_neuroncore", config.dma.engines},
                         {"tensor_engine_num_rows", config.core.array.rows},
                         {"tensor_engine_num_cols", config.core.array.columns},
                         {"tensor_engine_clock_freq", hertz(clocks.tensor)},
                         {"vector_engine_clock_freq", hertz(clocks.vector)},
                         {"vector_engine_num_channels", config.core.partitions},
                         {"scalar_engine_clock_freq", hertz(clocks.scalar)},
                         {"scalar_engine_num_channels", config.core.partitions},
                         {"gpsimd_engine_clock_freq", hertz(clocks.gpsimd)},
                         {"neuroncore_clock_freq", config.core.clock}}});
}

// Adds figures of the engines, with the engine in their names.
void add_engines(const Profile& profile, Json& row) {
    const double cycle = profile.cycles == 0 ? 0 : ns(profile.time) / static_cast<double>(profile.cycles);
    for (const isa::Engine engine : {isa::Engine::Tensor, isa::Engine::Vector, isa::Engine::Scalar,
                                     isa::Engine::Gpsimd, isa::Engine::Sync}) {
        const EngineProfile* found = find(profile, engine);
        double instruction_time = 0, active_time = 0;
        if (found != nullptr) {
            for (const Execution& execution : found->executions)
                instruction_time += ns(execution.end - execution.start);
            active_time = cycle * static_cast<double>(found->in(CycleClass::Executing));
        }
        const std::string name = fmt::format("{}_engine_", name_of(engine));
        row[name + "instruction_time"] = instruction_time;
        row[name + "active_time"] = active_time;
        row[name + "active_time_percent"] = percent(active_time, ns(profile.time));
        row[name + "instruction_count"] = found == nullptr ? 0 : found->executions.size();
    }
}

Json summary(const Profile& profile, const neff::Package& package, const runtime::Result& result) {
    const runtime::Figures& figures = result.figures;
    const Roofline& roofline = profile.roofline;
    std::uint64_t bytes = 0, packets = 0, inputs = 0, all = 0, read = 0, written = 0;
    for (const QueueProfile& queue : profile.queues) bytes += queue.bytes, packets += queue.packets;
    for (const tlm::Traffic& stack : figures.hbm) read += stack.bytes_read, written += stack.bytes_written;
    for (const neff::Tensor& tensor : package.tensors) {
        if (tensor.kind == neff::TensorKind::Scratch) continue;
        all += neff::tensor_bytes(tensor);
        if (neff::is_input(tensor.kind)) inputs += neff::tensor_bytes(tensor);
    }
    std::size_t activates = 0, transfers = 0;
    for (const OpcodeProfile& opcode : profile.opcodes) {
        if (opcode.opcode == "activation") activates += opcode.instructions;
        if (opcode.opcode == "dma_trigger") transfers += opcode.instructions;
    }
    Json row{{"total_time", ns(profile.time)},
             {"neuroncore_cycle_count", profile.cycles},
             {"hardware_flops", roofline.flops},
             {"mm_arithmetic_intensity", roofline.hbm_bytes > 0 ? Json(roofline.intensity()) : Json()},
             {"peak_flops_bandwidth_ratio", roofline.ridge()},
             {"mfu_estimated_percent", 100 * roofline.mfu()},
             {"hfu_estimated_percent", 100 * roofline.hfu()},
             {"mfu_max_achievable_estimated_percent", percent(roofline.attainable(), roofline.peak_flops)},
             {"mbu_estimated_percent", 100 * roofline.mbu()},
             {"hbm_read_bytes", read},
             {"hbm_write_bytes", written},
             {"inputs_and_weights_size_bytes", inputs},
             {"inputs_outputs_weights_size_bytes", all},
             {"dma_active_time", ns(profile.dma_active_time)},
             {"dma_active_time_percent", percent(ns(profile.dma_active_time), ns(profile.time))},
             {"dma_transfer_total_bytes", bytes},
             {"dma_transfer_count", transfers},
             {"dma_transfer_average_bytes",
              transfers == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(transfers)},
             {"static_dma_packet_count", packets},
             {"dma_queue_count", package.queues.size()},
             {"matmul_instruction_count", figures.matmul.instructions},
             {"activate_instruction_count", activates}};
    add_engines(profile, row);
    return Json::array({std::move(row)});
}

Json instructions(const Profile& profile, const neff::Package& package) {
    const double cycle = profile.cycles == 0 ? 0 : ns(profile.time) / static_cast<double>(profile.cycles);
    Json rows = Json::array();
    for (const EngineProfile& engine : profile.engines) {
        const auto& program = package.programs[static_cast<std::size_t>(engine.engine)];
        for (const Execution& execution : engine.executions) {
            if (execution.pc >= program.size()) continue;
            const isa::InstructionInfo* info = program[execution.pc].info();
            rows.push_back({{"id", rows.size()},
                            {"engine", name_of(engine.engine)},
                            {"pc", execution.pc},
                            {"opcode", info == nullptr ? "illegal" : info->name},
                            {"operands", runtime::describe(package, static_cast<std::uint32_t>(engine.engine),
                                                           execution.pc)},
                            {"start_ts", ns(execution.start)},
                            {"end_ts", ns(execution.end)},
                            {"duration_ns", ns(execution.end - execution.start)},
                            {"evt_wait_time_ns", cycle * static_cast<double>(execution.wait_cycles)}});
        }
    }
    return rows;
}

// Returns the spans in which an engine has an instruction under way.
Json active_times(const Profile& profile) {
    Json rows = Json::array();
    for (const EngineProfile& engine : profile.engines) {
        std::uint64_t start = 0, end = 0;
        const auto add = [&] {
            if (end == 0) return;
            rows.push_back({{"engine", name_of(engine.engine)},
                            {"pcore_idx", 0},
                            {"start_ts", ns(start)},
                            {"end_ts", ns(end)},
                            {"duration_ns", ns(end - start)}});
        };
        for (const Execution& execution : engine.executions) {
            if (end != 0 && execution.start <= end) {
                end = std::max(end, execution.end);
                continue;
            }
            add();
            start = execution.start, end = execution.end;
        }
        add();
    }
    return rows;
}

// Returns a table of this simulator alone: every cycle of an engine is in exactly one class.
Json engine_cycles(const Profile& profile) {
    Json rows = Json::array();
    for (const EngineProfile& engine : profile.engines) {
        Json row{{"engine", name_of(engine.engine)}};
        for (std::size_t c = 0; c < CycleClasses; ++c)
            row[std::string(CycleClassNames[c])] = engine.cycles[c];
        rows.push_back(std::move(row));
    }
    return rows;
}

Json opcode_summary(const Profile& profile) {
    const double cycle = profile.cycles == 0 ? 0 : ns(profile.time) / static_cast<double>(profile.cycles);
    Json rows = Json::array();
    for (const OpcodeProfile& opcode : profile.opcodes) {
        rows.push_back({{"engine", name_of(opcode.engine)},
                        {"opcode", opcode.opcode},
                        {"instruction_count", opcode.instructions},
                        {"instruction_time_ns", cycle * static_cast<double>(opcode.cycles)},
                        {"active_time_ns", cycle * static_cast<double>(opcode.active_cycles)},
                        {"ideal_time_ns", cycle * static_cast<double>(opcode.ideal_cycles)},
                        {"active_time_percent", percent(static_cast<double>(opcode.active_cycles),
                                                        static_cast<double>(profile.cycles))}});
    }
    return rows;
}

Json dma_packets(const Profile& profile, const Recorder& recorder) {
    Json rows = Json::array();
    for (const tlm::trace::Packet& packet : recorder.packets()) {
        const bool known = packet.ring < profile.queues.size();
        const double duration = ns(packet.end - packet.start);
        rows.push_back(
            {{"id", rows.size()},
             {"engine_idx", packet.engine},
             {"queue_idx", packet.ring},
             {"queue_name", known ? profile.queues[packet.ring].name : ""},
             {"variable", known ? profile.queues[packet.ring].variables : ""},
             {"start_ts", ns(packet.start)},
             {"end_ts", ns(packet.end)},
             {"duration_ns", duration},
             {"transfer_bytes", packet.bytes},
             {"read_bytes", packet.bytes},
             {"write_bytes", packet.bytes},
             {"throughput", duration > 0 ? static_cast<double>(packet.bytes) / duration * 1e9 : 0}});
    }
    return rows;
}

Json tensors(const neff::Package& package) {
    constexpr std::array Kinds{"input", "output", "scratch", "update"};
    Json rows = Json::array();
    for (const neff::Tensor& tensor : package.tensors) {
        rows.push_back({{"variable_name", tensor.name},
                        {"type", Kinds.at(static_cast<std::size_t>(tensor.kind))},
                        {"format", name_of(tensor.dtype)},
                        {"shape", fmt::format("[{}]", fmt::join(tensor.shape, ","))},
                        {"size", neff::tensor_bytes(tensor)}});
    }
    return rows;
}

Json warnings(const Profile& profile) {
    Json rows = Json::array();
    for (const std::string& sentence : advice(profile))
        rows.push_back({{"category", "advice"}, {"message", sentence}});
    return rows;
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::vector<Table> tables(const Profile& profile, const neff::Package& package, const config::Config& config,
                          const runtime::Result& result, const Recorder& recorder) {
    return {{"Metadata", metadata(profile, config)},
            {"Summary", summary(profile, package, result)},
            {"Instruction", instructions(profile, package)},
            {"ActiveTime", active_times(profile)},
            {"EngineCycles", engine_cycles(profile)},
            {"OpcodeSummary", opcode_summary(profile)},
            {"DmaPacket", dma_packets(profile, recorder)},
            {"TensorInfo", tensors(package)},
            {"Warning", warnings(profile)}};
}

std::string to_csv(const Json& rows) {
    std::string text;
    if (rows.empty()) return text;
    const auto line = [&text](const std::vector<std::string>& cells) {
        text += fmt::format("{}\n", fmt::join(cells, ","));
    };
    std::vector<std::string> cells;
    for (const auto& [name, value] : rows.front().items()) cells.push_back(quoted(name));
    line(cells);
    for (const Json& row : rows) {
        cells.clear();
        for (const auto& [name, value] : row.items()) {
            cells.push_back(value.is_string() ? quoted(value.get<std::string>())
                            : value.is_null() ? ""
                                              : value.dump());
        }
        line(cells);
    }
    return text;
}

}  // namespace trnsim::profile
