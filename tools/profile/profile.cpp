#include "tools/profile/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "arch/cost/cost.hpp"
#include "base/numbers/numbers.hpp"
#include "base/time/time.hpp"
#include "isa/disassembler.hpp"
#include "isa/matmul_passes.hpp"
#include "isa/opcode_class.hpp"

namespace trnsim::profile {
namespace {

bool waits(const isa::Instruction& instruction) {
    return instruction.get(isa::field::WaitMode) != static_cast<std::uint64_t>(isa::WaitMode::None);
}

EngineProfile profile_of(isa::Engine engine, const std::vector<isa::Instruction>& program,
                         const std::vector<tlm::trace::Instruction>& events, std::uint64_t first_cycle,
                         std::uint64_t last_cycle) {
    EngineProfile profile;
    profile.engine = engine;
    std::uint64_t rest = first_cycle;  // time from which on the engine is at rest
    const auto add = [&profile](CycleClass to, std::uint64_t cycles) {
        profile.cycles[static_cast<std::size_t>(to)] += cycles;
    };
    for (const tlm::trace::Instruction& event : events) {
        const std::uint64_t issue = std::clamp(event.issue_cycle, first_cycle, last_cycle);
        const std::uint64_t end = std::clamp(event.completion_cycle, issue, last_cycle);
        const std::uint64_t waited = issue > rest ? issue - rest : 0;
        if (event.pc < program.size() && waits(program[event.pc])) {
            add(CycleClass::Semaphore, waited);
            const auto semaphore = static_cast<std::uint8_t>(program[event.pc].get(isa::field::WaitSem));
            if (waited != 0) profile.wait_cycles[semaphore] += waited;
        } else {
            add(profile.executions.empty() ? CycleClass::Before : CycleClass::Issue, waited);
        }
        const std::uint64_t active = end - std::min(end, std::max(issue, rest));
        add(CycleClass::Executing, active);
        rest = std::max(rest, end);
        profile.executions.push_back(
            {event.pc, event.start, event.end, event.completion_cycle - event.issue_cycle, active, waited});
    }
    add(CycleClass::After, last_cycle - rest);
    return profile;
}

// Returns the core cycles for which an instruction occupies its engine if nothing delays it. Returns 0 for
// instructions that sequencers execute and for commands that run programs on GpSimd cores, which have no such
// figure.
std::uint64_t ideal_cycles(const cost::Costs& costs, isa::Engine engine, const isa::Instruction& instruction,
                           unsigned stationary_parts) {
    const isa::InstructionInfo* info = instruction.info();
    const bool known = info != nullptr && (info->engines >> static_cast<unsigned>(engine) & 1) != 0;
    if (!known || isa::is_control(info->opcode)) return 0;
    const cost::Cycles cycles = costs.of(engine, instruction, {.stationary_parts = stationary_parts});
    return cycles.exception == cost::Exception::Microcode ? 0 : cycles.occupies;
}

std::vector<OpcodeProfile> opcodes_of(const std::vector<EngineProfile>& engines, const neff::Package& package,
                                      const config::Config& config) {
    const cost::Costs costs(config);
    std::map<std::pair<isa::Engine, std::string>, OpcodeProfile> found;
    for (const EngineProfile& engine : engines) {
        const auto& program = package.programs[static_cast<std::size_t>(engine.engine)];
        isa::MatmulPasses passes;
        for (const Execution& execution : engine.executions) {
            if (execution.pc >= program.size()) continue;
            const isa::InstructionInfo* info = program[execution.pc].info();
            const std::string name(info == nullptr ? "illegal" : info->name);
            OpcodeProfile& opcode = found[{engine.engine, name}];
            opcode.engine = engine.engine;
            opcode.opcode = name;
            ++opcode.instructions;
            opcode.cycles += execution.cycles;
            opcode.active_cycles += execution.active_cycles;
            const isa::Instruction& instruction = program[execution.pc];
            opcode.ideal_cycles += ideal_cycles(costs, engine.engine, instruction, passes.stationary_parts());
            passes.next(instruction);
        }
    }
    std::vector<OpcodeProfile> opcodes;
    opcodes.reserve(found.size());
    for (auto& [key, opcode] : found) opcodes.push_back(std::move(opcode));
    std::ranges::stable_sort(opcodes, std::greater<>(), &OpcodeProfile::active_cycles);
    return opcodes;
}

// Returns the length of the union of spans of time.
std::uint64_t united(std::vector<std::pair<std::uint64_t, std::uint64_t>> spans) {
    std::ranges::sort(spans);
    std::uint64_t length = 0, reached = 0;
    for (const auto& [start, end] : spans) {
        if (end <= reached) continue;
        length += end - std::max(start, reached);
        reached = end;
    }
    return length;
}

std::vector<QueueProfile> queues_of(const neff::Package& package, const Recorder& recorder) {
    std::vector<QueueProfile> queues(package.queues.size());
    std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> spans(queues.size());
    for (std::size_t q = 0; q < queues.size(); ++q) {
        queues[q].name = package.queues[q].name;
        queues[q].variables = neff::transfer_names(package, static_cast<std::uint32_t>(q));
    }
    for (const tlm::trace::Packet& packet : recorder.packets()) {
        if (packet.ring >= queues.size()) continue;
        QueueProfile& queue = queues[packet.ring];
        queue.bytes += packet.bytes;
        queue.descriptors += packet.descriptors;
        ++queue.packets;
        spans[packet.ring].emplace_back(packet.start, packet.end);
    }
    for (std::size_t q = 0; q < queues.size(); ++q) queues[q].active_time = united(std::move(spans[q]));
    return queues;
}

std::map<std::uint8_t, Changes> semaphores_of(const neff::Package& package) {
    std::map<std::uint8_t, std::set<std::string>> names;
    std::map<std::uint8_t, Changes> changes;
    for (const neff::Transfer& transfer : package.transfers) {
        names[transfer.semaphore].insert("DMA '" + transfer.name + "'");
        changes[transfer.semaphore].load |= transfer.to.place == neff::Pattern::Space::Core;
    }
    for (std::size_t e = 0; e < package.programs.size(); ++e) {
        for (const isa::Instruction& instruction : package.programs[e]) {
            if (instruction.get(isa::field::UpdateMode) == static_cast<std::uint64_t>(isa::UpdateMode::None))
                continue;
            names[static_cast<std::uint8_t>(instruction.get(isa::field::UpdateSem))].insert(
                std::string(name_of(static_cast<isa::Engine>(e))));
        }
    }
    constexpr std::size_t Shown = 3;
    for (const auto& [semaphore, all] : names) {
        const std::vector<std::string> first(all.begin(),
                                             std::next(all.begin(), std::min(all.size(), Shown)));
        changes[semaphore].by = fmt::format("{}", fmt::join(first, ", "));
        if (all.size() > Shown) changes[semaphore].by += fmt::format(" and {} more", all.size() - Shown);
    }
    return changes;
}

Roofline roofline_of(const config::Config& config, const runtime::Figures& figures) {
    const config::Ratio& clock = config.core.clock_ratio.tensor;
    const double tensor_clock = static_cast<double>(config.core.clock) *
                                static_cast<double>(clock.numerator) / static_cast<double>(clock.denominator);
    Roofline roofline;
    roofline.flops = 2.0 * static_cast<double>(figures.matmul.macs);
    roofline.model_flops = 2.0 * static_cast<double>(figures.matmul.macs - figures.matmul.onezero_macs);
    for (const tlm::Traffic& stack : figures.hbm)
        roofline.hbm_bytes += static_cast<double>(stack.bytes_read + stack.bytes_written);
    roofline.peak_flops = 2.0 * static_cast<double>(config.core.array.rows) *
                          static_cast<double>(config.core.array.columns) * tensor_clock;
    roofline.bandwidth = static_cast<double>(config::peak_bandwidth(config.hbm));
    roofline.seconds = static_cast<double>(figures.time) / FsPerSecond;
    return roofline;
}

}  // namespace

double QueueProfile::mean_descriptor() const {
    return ratio(static_cast<double>(bytes), static_cast<double>(descriptors));
}

double Roofline::intensity() const {
    return hbm_bytes > 0 ? flops / hbm_bytes : std::numeric_limits<double>::infinity();
}

double Roofline::ridge() const {
    return ratio(peak_flops, bandwidth);
}

double Roofline::attainable() const {
    return std::min(peak_flops, intensity() * bandwidth);
}

double Roofline::achieved() const {
    return ratio(flops, seconds);
}

double Roofline::mfu() const {
    return ratio(ratio(model_flops, seconds), peak_flops);
}

double Roofline::hfu() const {
    return ratio(achieved(), peak_flops);
}

double Roofline::mbu() const {
    return ratio(ratio(hbm_bytes, seconds), bandwidth);
}

std::vector<EngineProfile> engines_of(const neff::Package& package, const config::Config& config,
                                      const runtime::Figures& figures,
                                      const Recorder::Instructions& instructions) {
    // The cycle in which the first engine started, counted from time 0.
    const auto first = static_cast<std::uint64_t>(static_cast<double>(figures.start) *
                                                  static_cast<double>(config.core.clock) / FsPerSecond);
    std::vector<EngineProfile> engines;
    for (std::size_t e = 0; e < package.programs.size(); ++e) {
        if (package.programs[e].empty()) continue;
        engines.push_back(profile_of(static_cast<isa::Engine>(e), package.programs[e], instructions[e], first,
                                     first + figures.cycles));
        engines.back().computes = figures.engine[e].busy_cycles != 0;
    }
    return engines;
}

Profile analyse(const neff::Package& package, const config::Config& config, const runtime::Result& result,
                const Recorder& recorder) {
    const runtime::Figures& figures = result.figures;
    Profile profile;
    profile.cycles = figures.cycles;
    profile.start = figures.start;
    profile.time = figures.time;
    profile.engines = engines_of(package, config, figures, recorder.instructions());
    profile.opcodes = opcodes_of(profile.engines, package, config);
    profile.queues = queues_of(package, recorder);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    for (const tlm::trace::Packet& packet : recorder.packets()) spans.emplace_back(packet.start, packet.end);
    profile.dma_active_time = united(std::move(spans));
    for (std::size_t d = 0; d < figures.dma.size(); ++d)
        profile.dma_busiest = std::max(profile.dma_busiest, figures.dma_utilisation(d));
    const config::Ratio& clock = config.core.clock_ratio.tensor;
    profile.array_utilisation = ratio(static_cast<double>(figures.matmul_cycles * clock.denominator),
                                      static_cast<double>(figures.cycles * clock.numerator));
    profile.roofline = roofline_of(config, figures);
    profile.footprint = footprint(package);
    profile.target = package.target;
    profile.semaphores = semaphores_of(package);
    return profile;
}

}  // namespace trnsim::profile
