#include "testbench/parity/observation.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "arch/addresses/addresses.hpp"
#include "arch/checkpoint/archive.hpp"
#include "base/time/cycles.hpp"
#include "isa/core_window.hpp"
#include "model/system/system.hpp"
#include "runtime/session/observer.hpp"
#include "testbench/parity/comparable.hpp"

namespace trnsim::parity {
namespace {

constexpr std::uint32_t Semaphores = 256;

// A chip with one core as the runtime's machine; `sink` receives its events.
class Machine final : public runtime::Machine {
  public:
    Machine(const config::Config& config, const tlm::CoreFactory& core, tlm::trace::Sink* sink)
        : system_(config, core, {.sink = sink}) {}

    void write32(std::uint64_t address, std::uint32_t value) override { system_.write32(address, value); }
    std::uint32_t read32(std::uint64_t address) override { return system_.read32(address); }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        system_.write(address, data);
    }
    void read(std::uint64_t address, std::span<std::uint8_t> data) override { system_.read(address, data); }
    tlm::RunResult run(std::uint64_t limit) override { return system_.run(limit); }
    tlm::Statistics statistics() const override { return system_.chip().statistics(); }
    std::optional<tlm::RunResult> quiesce(const runtime::Watch&) override { return system_.quiesce(); }
    void resume() override { system_.resume(); }
    void save(checkpoint::SystemState& state) override { system_.save(state); }
    void load(const checkpoint::SystemState& state) override { system_.load(state); }
    void switch_model() override { system_.chip().core().switch_model(); }

  private:
    tlm::System system_;
};

std::uint64_t cycles_of(const config::Config& config, std::uint64_t time) {
    return time_to_cycles(time, config.core.clock);
}

class Listener final : public tlm::trace::Sink {
  public:
    Listener(tlm::trace::Sink& next, const config::Config& config, Observation& observation)
        : next_(next), config_(config), observation_(observation) {}

    void instruction(const tlm::trace::Instruction& event) override {
        next_.instruction(event);
        observation_.instructions.at(event.engine)
            .push_back({event.pc, event.issue_cycle, event.completion_cycle});
    }
    void packet(const tlm::trace::Packet& packet) override {
        next_.packet(packet);
        observation_.packets.push_back(
            {packet.engine, packet.ring, cycles_of(config_, packet.start), cycles_of(config_, packet.end)});
    }

  private:
    tlm::trace::Sink& next_;
    const config::Config& config_;
    Observation& observation_;
};

void read_memories(Machine& machine, const config::Core& core, Observation& observation) {
    const auto partitions = static_cast<std::uint32_t>(core.partitions);
    const std::uint64_t window = addresses::core_window(0);
    observation.sbuf.resize(partitions * core.sbuf_partition);
    observation.psum.resize(partitions * core.psum_partition);
    for (std::uint64_t p = 0; p < partitions; ++p) {
        machine.read(window + p * isa::sbuf_partition_stride(partitions),
                     std::span(observation.sbuf).subspan(p * core.sbuf_partition, core.sbuf_partition));
        machine.read(window + isa::window::PsumBase + p * isa::window::PsumPartitionStride,
                     std::span(observation.psum).subspan(p * core.psum_partition, core.psum_partition));
    }
    for (std::uint32_t s = 0; s < Semaphores; ++s)
        observation.semaphores.push_back(
            machine.read32(window + isa::window::SemRead + s * sizeof(std::uint32_t)));
}

void read_state(Machine& machine, Observation& observation) {
    checkpoint::SystemState state;
    machine.save(state);
    for (const std::vector<checkpoint::PageState>& pages : state.chips.front().hbm) {
        for (const checkpoint::PageState& page : pages) {
            observation.hbm.push_back(static_cast<std::uint32_t>(page.number));
            observation.hbm.push_back(
                static_cast<std::uint32_t>(crc32_z(0, page.bytes.data(), page.bytes.size())));
        }
    }
    checkpoint::CoreState core = comparable(std::move(state.chips.front().slots.front().core));
    checkpoint::Writer writer;
    checkpoint::archive(writer, core);
    observation.state = std::move(writer.data());
}

std::vector<Counted> counted(const tlm::CoreStatistics& core) {
    std::vector<Counted> all;
    for (unsigned e = 0; e < neff::EngineCount; ++e) {
        const auto name = isa::name_of(static_cast<isa::Engine>(e));
        const tlm::EngineStatistics& engine = core.engine[e];
        all.push_back({fmt::format("{} busy cycles", name), engine.busy_cycles});
        all.push_back({fmt::format("{} issued", name), engine.issued});
        all.push_back({fmt::format("{} completed", name), engine.completed});
        for (unsigned s = 0; s < engine.cycles_in_state.size(); ++s)
            all.push_back({fmt::format("{} cycles {}", name, isa::name_of(static_cast<isa::SeqState>(s))),
                           engine.cycles_in_state[s]});
    }
    const auto add_traffic = [&all](const char* name, const tlm::Traffic& traffic) {
        all.push_back({fmt::format("{} reads", name), traffic.reads});
        all.push_back({fmt::format("{} writes", name), traffic.writes});
        all.push_back({fmt::format("{} bytes read", name), traffic.bytes_read});
        all.push_back({fmt::format("{} bytes written", name), traffic.bytes_written});
    };
    add_traffic("window", core.window);
    add_traffic("manager", core.manager);
    add_traffic("tables", core.tables);
    const tlm::MemoryCounts& memories = core.memories;
    for (const auto& [name, value] : {std::pair{"moving waits", memories.moving_waits},
                                      {"vector waits", memories.vector_waits},
                                      {"scalar waits", memories.scalar_waits},
                                      {"bus waits", memories.bus_waits},
                                      {"sequencer waits", memories.sequencer_waits},
                                      {"unfounded sums", memories.unfounded}})
        all.push_back({name, value});
    all.push_back({"matmul cycles", core.matmul_cycles});
    all.push_back({"fast load cycles", core.fast_load_cycles});
    all.push_back({"normal load cycles", core.normal_load_cycles});
    return all;
}

// Writes numbers and texts one after the other.
class Writer {
  public:
    void number(std::uint64_t value) { raw(&value, sizeof(value)); }
    template <typename T>
    void list(const std::vector<T>& values) {
        number(values.size());
        raw(values.data(), values.size() * sizeof(T));
    }
    void text(const std::string& value) {
        number(value.size());
        raw(value.data(), value.size());
    }
    std::string take() { return std::move(text_); }

  private:
    void raw(const void* data, std::size_t size) { text_.append(static_cast<const char*>(data), size); }
    std::string text_;
};

class Reader {
  public:
    explicit Reader(const std::string& text) : text_(text) {}
    std::uint64_t number() {
        std::uint64_t value = 0;
        raw(&value, sizeof(value));
        return value;
    }
    template <typename T>
    void list(std::vector<T>& values) {
        values.resize(number());
        raw(values.data(), values.size() * sizeof(T));
    }
    std::string text() {
        std::string value(number(), '\0');
        raw(value.data(), value.size());
        return value;
    }

  private:
    void raw(void* data, std::size_t size) {
        if (size > text_.size() - at_) throw std::runtime_error("the report of a run is cut off");
        if (size != 0) std::memcpy(data, text_.data() + at_, size);
        at_ += size;
    }
    const std::string& text_;
    std::size_t at_ = 0;
};

}  // namespace

Observation observe(const neff::Package& package, const config::Config& config, const runtime::Arrays& inputs,
                    const runtime::Rounding& rounding, const tlm::CoreFactory& core,
                    const runtime::Checkpoints& checkpoints) {
    Observation observation;
    runtime::Observer observer(package, nullptr);
    Listener listener(observer, config, observation);
    runtime::Prepared prepared = checkpoints.resume != nullptr ? runtime::prepare_resumed(package, config)
                                                               : runtime::prepare(package, config, inputs);
    prepared.run.rounding = rounding;
    prepared.run.checkpoints = checkpoints;
    Machine machine(config, core, &listener);
    const auto begin = std::chrono::steady_clock::now();
    const runtime::Result result = runtime::execute(machine, package, prepared, observer);
    observation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    observation.message = result.message;
    const tlm::CoreStatistics statistics = machine.statistics().core;
    observation.cycles = result.figures.cycles;
    observation.counted = counted(statistics);
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_output(tensor.kind) || !result.done()) continue;
        const auto& data = result.outputs.at(tensor.name).data;
        observation.outputs.insert(observation.outputs.end(), data.begin(), data.end());
    }
    observation.end = cycles_of(config, result.figures.start + result.figures.time);
    observation.checkpoint = result.checkpoint.has_value();
    if (result.checkpoint) observation.drain = cycles_of(config, result.checkpoint->drain());
    read_memories(machine, config.core, observation);
    if (result.done()) read_state(machine, observation);
    return observation;
}

std::string to_text(const Observation& observation) {
    Writer writer;
    writer.text(observation.message);
    for (const auto& instructions : observation.instructions) writer.list(instructions);
    writer.list(observation.packets);
    writer.number(observation.cycles);
    writer.number(observation.counted.size());
    for (const Counted& counted : observation.counted) {
        writer.text(counted.name);
        writer.number(counted.value);
    }
    writer.list(observation.sbuf);
    writer.list(observation.psum);
    writer.list(observation.outputs);
    writer.list(observation.semaphores);
    writer.list(observation.hbm);
    writer.list(observation.state);
    writer.number(observation.drain);
    writer.number(observation.end);
    writer.number(observation.checkpoint ? 1 : 0);
    writer.number(static_cast<std::uint64_t>(observation.seconds * 1e9));
    return writer.take();
}

Observation from_text(const std::string& text) {
    Reader reader(text);
    Observation observation;
    observation.message = reader.text();
    for (auto& instructions : observation.instructions) reader.list(instructions);
    reader.list(observation.packets);
    observation.cycles = reader.number();
    observation.counted.resize(reader.number());
    for (Counted& counted : observation.counted) {
        counted.name = reader.text();
        counted.value = reader.number();
    }
    reader.list(observation.sbuf);
    reader.list(observation.psum);
    reader.list(observation.outputs);
    reader.list(observation.semaphores);
    reader.list(observation.hbm);
    reader.list(observation.state);
    observation.drain = reader.number();
    observation.end = reader.number();
    observation.checkpoint = reader.number() != 0;
    observation.seconds = static_cast<double>(reader.number()) * 1e-9;
    return observation;
}

}  // namespace trnsim::parity
