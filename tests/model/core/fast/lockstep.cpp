#include "lockstep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/isa_tables.hpp"
#include "memory_only.hpp"
#include "model/core/fast/core_function.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "wave_changes.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Ready = 70, Latency = 6;  // memory: ready in percent of cycles, cycles of latency

std::unique_ptr<tlm::core_fast::Functional> functional(const config::Core& core, Values values) {
    if (values == Values::Computed) return std::make_unique<tlm::core_fast::CoreFunction>(core);
    return std::make_unique<MemoryOnly>(core);
}

}  // namespace

Lockstep::Lockstep(std::uint64_t round, const std::string& configuration, Values values)
    : config(config::load(config::resolve(configuration))),
      random(seed() + round),
      memory(random(), Ready, Latency),
      rtl_(tlm::load_core_model(config::rtl_parameters(config))),
      values_(values),
      fast_(std::make_unique<tlm::core_fast::FastModel>(config.core, functional(config.core, values))) {
    rtl_->in.reset_n = fast_->in.reset_n = true;
}

void Lockstep::step() {
    rtl_->step();
    fast_->step();
    ++cycle_;
    if (!recordings_.empty())
        for (tlm::CoreModel* model : {rtl_.get(), fast_.get()}) model->dump_wave(cycle_);
    for (unsigned e = 0; e < completions_.size(); ++e)
        if (rtl_->out.engine[e].completed) completions_[e].push_back(cycle_);
    compare();
}

void Lockstep::compare() {
    if (!difference_.empty() || !compares_pins_) return;
    const auto same = [this](const std::string& what, std::uint64_t want, std::uint64_t got) {
        if (want != got && difference_.empty())
            difference_ =
                fmt::format("cycle {}: {} {}, expected {} as the RTL has it", cycle_, what, got, want);
    };
    const tlm::CoreOut &rtl = rtl_->out, &fast = fast_->out;
    for (unsigned e = 0; e < tlm::Engines; ++e) {
        const auto &want = rtl.engine[e], &got = fast.engine[e];
        const auto name = [e](const char* what) {
            return fmt::format("{} {}", isa::name_of(static_cast<isa::Engine>(e)), what);
        };
        same(name("state"), want.state, got.state);
        same(name("busy"), want.busy, got.busy);
        same(name("issued"), want.issued, got.issued);
        same(name("completed"), want.completed, got.completed);
        if (want.issued) same(name("issue_pc"), want.issue_pc, got.issue_pc);
    }
    same("bus_tick", rtl.bus_tick, fast.bus_tick);
    same("error", rtl.error, fast.error);
    for (std::uint64_t p = 0; p < config.core.bus.ports; ++p) {
        const auto &want = rtl.port[p], &got = fast.port[p];
        same("aw_ready", want.aw_ready, got.aw_ready);
        same("w_ready", want.w_ready, got.w_ready);
        same("b_valid", want.b_valid, got.b_valid);
        if (want.b_valid) same("b_resp", want.b_resp, got.b_resp);
        same("ar_ready", want.ar_ready, got.ar_ready);
        same("r_valid", want.r_valid, got.r_valid);
        if (want.r_valid) same("r_resp", want.r_resp, got.r_resp);
        if (want.r_valid) same("r_last", want.r_last, got.r_last);
    }
    const auto &want = rtl.manager, &got = fast.manager;
    same("m_ar_valid", want.ar_valid, got.ar_valid);
    if (want.ar_valid) same("m_ar_id", want.ar_id, got.ar_id);
    if (want.ar_valid) same("m_ar_len", want.ar_len, got.ar_len);
    if (want.ar_valid) same("m_ar_addr", want.ar_addr, got.ar_addr);
    same("m_aw_valid", want.aw_valid, got.aw_valid);
    if (want.aw_valid) {
        same("m_aw_addr", want.aw_addr, got.aw_addr);
        same("m_aw_id", want.aw_id, got.aw_id);
        same("m_aw_size", want.aw_size, got.aw_size);
    }
    same("m_w_valid", want.w_valid, got.w_valid);
    for (std::size_t word = 0; want.w_valid && word < want.w_data.size(); ++word)
        same("m_w_data", want.w_data[word], got.w_data[word]);
    same("t_ar_valid", rtl.table.ar_valid, fast.table.ar_valid);
    if (rtl.table.ar_valid) same("t_ar_addr", rtl.table.ar_addr, fast.table.ar_addr);
    if (rtl.table.ar_valid) same("t_ar_len", rtl.table.ar_len, fast.table.ar_len);
    same("idle", rtl.idle, fast.idle);
}

void Lockstep::bus_edge() {
    while (!rtl_->out.bus_tick) step();
    drive_memory();
    drive_tables(rtl_->out.table);
    rtl_->in.timestamp = cycle_;
    fast_->in = rtl_->in;
    const tlm::AxiManagerOut seen = rtl_->out.manager;
    step();
    memory.clock({.ar_valid = seen.ar_valid,
                  .aw_valid = seen.aw_valid,
                  .w_valid = seen.w_valid,
                  .ar_id = seen.ar_id,
                  .ar_len = seen.ar_len,
                  .aw_id = seen.aw_id,
                  .aw_size = seen.aw_size,
                  .ar_addr = seen.ar_addr,
                  .aw_addr = seen.aw_addr,
                  .w_data = seen.w_data});
}

void Lockstep::drive_memory() {
    const MemoryOut& from = memory.drive();
    tlm::AxiManagerIn& to = rtl_->in.manager;
    to.ar_ready = from.ar_ready;
    to.r_valid = from.r_valid;
    to.r_last = from.r_last;
    to.r_id = static_cast<std::uint8_t>(from.r_id);
    to.r_resp = static_cast<std::uint8_t>(from.r_resp);
    std::memcpy(to.r_data.data(), from.r_data.bytes().data(), isa::InstructionBytes);
    to.aw_ready = from.aw_ready;
    to.w_ready = from.w_ready;
    to.b_valid = from.b_valid;
    to.b_id = static_cast<std::uint8_t>(from.b_id);
    to.b_resp = static_cast<std::uint8_t>(from.b_resp);
}

std::span<const std::uint8_t> Lockstep::table_beat(std::uint64_t address) const {
    constexpr std::size_t Beat = tlm::TableWords * sizeof(std::uint32_t);
    for (const auto& [base, bytes] : tables_)
        if (address >= base && address - base < bytes.size())
            return std::span(bytes).subspan(address - base, Beat);
    // Returns zeros or, if values count, bytes that may look like a part of a table.
    static std::array<std::uint8_t, Beat> other{};
    other.fill(0);
    if (values_ == Values::Computed) {
        std::mt19937_64 bytes(address);
        for (std::uint8_t& byte : other) byte = static_cast<std::uint8_t>(bytes());
        constexpr unsigned Tag = 0x54;  // the tag of a beat, arch/activation/table_image.hpp
        if (bytes() % 4 != 0) other[3] = static_cast<std::uint8_t>(Tag << 1 | (other[3] & 1));
    }
    return other;
}

// Sends beats in order, some of them later than possible.
void Lockstep::drive_tables(const tlm::AxiTableOut& seen) {
    constexpr std::size_t Beat = tlm::TableWords * sizeof(std::uint32_t);
    tlm::AxiTableIn& to = rtl_->in.table;
    to.r_valid = !table_beats_.empty() && random() % 4 != 0;
    if (to.r_valid) {
        std::memcpy(to.r_data.data(), table_beat(table_beats_.front()).data(), Beat);
        table_beats_.pop_front();
    }
    to.ar_ready = random() % 2 != 0;
    if (!seen.ar_valid || !to.ar_ready) return;
    for (unsigned i = 0; i <= seen.ar_len; ++i) table_beats_.push_back(seen.ar_addr + i * Beat);
}

void Lockstep::reset(unsigned cycles) {
    rtl_->in = {};
    fast_->in = {};
    table_beats_.clear();
    started_ = 0;
    for (unsigned i = 0; i < cycles; ++i) step();
    rtl_->in.reset_n = fast_->in.reset_n = true;
}

void Lockstep::write32(std::uint32_t address, std::uint32_t value) {
    auto& in = rtl_->in.port[0];
    const auto& out = rtl_->out.port[0];
    const std::uint32_t beat = static_cast<std::uint32_t>(config.core.bus.data_bits / 8),
                        byte = address % beat;
    in.aw_addr = address;
    in.aw_len = 0;
    in.w_last = true;
    in.w_data = {};
    in.w_strobe = {};
    in.w_data[byte / 4] = value;
    in.w_strobe[byte / 32] = 0xfu << byte % 32;
    const auto handshake = [this](bool& valid, const bool& ready) {
        valid = true;
        for (bool taken = false; !taken;) {
            while (!rtl_->out.bus_tick) step();
            taken = ready;
            bus_edge();
        }
        valid = false;
    };
    handshake(in.aw_valid, out.aw_ready);
    handshake(in.w_valid, out.w_ready);
    in.b_ready = true;
    for (bool taken = false; !taken;) {
        while (!rtl_->out.bus_tick) step();
        taken = out.b_valid;
        bus_edge();
    }
    in.b_ready = false;
}

std::uint32_t Lockstep::read32(std::uint32_t address) {
    auto& in = rtl_->in.port[0];
    in.ar_addr = address;
    in.ar_len = 0;
    in.ar_valid = true;
    for (bool taken = false; !taken;) {
        while (!rtl_->out.bus_tick) step();
        taken = rtl_->out.port[0].ar_ready;
        bus_edge();
    }
    in.ar_valid = false;
    in.r_ready = true;
    std::uint32_t value = 0, other = 0;
    for (bool taken = false; !taken;) {
        while (!rtl_->out.bus_tick) step();
        taken = rtl_->out.port[0].r_valid;
        const auto word = address % (config.core.bus.data_bits / 8) / 4;
        value = rtl_->out.port[0].r_data[word];
        other = fast_->out.port[0].r_data[word];
        bus_edge();
    }
    in.r_ready = false;
    if (value != other && difference_.empty())
        difference_ = fmt::format("cycle {}: word at 0x{:x} {}, expected {} as the RTL has it", cycle_,
                                  address, other, value);
    return value;
}

void Lockstep::load_and_start(unsigned engine, std::uint64_t address, const Program& program) {
    memory.load(address, program);
    const std::uint32_t registers = isa::csr::EngineStride * engine;
    write32(isa::csr::EngineProgramLo + registers, static_cast<std::uint32_t>(address));
    write32(isa::csr::EngineProgramHi + registers, static_cast<std::uint32_t>(address >> 32));
    write32(isa::csr::EngineProgramLength + registers, static_cast<std::uint32_t>(program.size()));
    write32(isa::csr::EngineStart + registers, 1);
    started_ |= 1u << engine;
}

bool Lockstep::finish(std::uint64_t edges) {
    const auto over = [this] {
        for (unsigned e = 0; e < tlm::Engines; ++e) {
            const auto state = static_cast<isa::SeqState>(rtl_->out.engine[e].state);
            if ((started_ >> e & 1) != 0 && state != isa::SeqState::Halted) return false;
        }
        return true;
    };
    bool done = false;
    for (std::uint64_t edge = 0; edge < edges && !done && difference_.empty(); ++edge) {
        bus_edge();
        done = rtl_->out.error || over();
    }
    for (unsigned edge = 0; edge < 600; ++edge) bus_edge();
    return done;
}

void Lockstep::fill(std::uint32_t word) {
    fill([word] { return word; });
}

// Fills words with special values: their halves are valid as bf16 and fp16, their bytes as fp8.
void Lockstep::fill_at_random() {
    static constexpr std::array<std::uint16_t, 18> Halves{0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x3f80,
                                                          0xbf80, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0xff81,
                                                          0x3c00, 0x7bff, 0x7c00, 0xfc01, 0x7e7e, 0x7c7c};
    fill([this] {
        const auto bits = static_cast<std::uint32_t>(random());
        const auto half = [this](std::uint32_t other) {
            return random() % 4 == 0 ? std::uint32_t{Halves[random() % Halves.size()]} : other & 0xffff;
        };
        if (random() % 2 == 0) return half(bits) | half(bits >> 16) << 16;
        const auto few =
            static_cast<float>(static_cast<int>(bits % 65) - 32) / 4;  // sums of these stay finite
        return std::bit_cast<std::uint32_t>(few);
    });
}

void Lockstep::fill(const std::function<std::uint32_t()>& next) {
    std::vector<std::uint8_t> bytes(std::max(config.core.sbuf_partition, config.core.psum_partition));
    const auto put_partition = [&](std::uint32_t address, std::size_t size) {
        for (std::size_t i = 0; i < size; i += 4) {
            const std::uint32_t word = next();
            std::memcpy(&bytes[i], &word, 4);
        }
        put(address, std::span(bytes).first(size));
    };
    const auto stride = isa::sbuf_partition_stride(static_cast<std::uint32_t>(config.core.partitions));
    for (std::uint32_t p = 0; p < config.core.partitions; ++p) {
        put_partition(p * stride, config.core.sbuf_partition);
        put_partition(isa::window::PsumBase + p * isa::window::PsumPartitionStride,
                      config.core.psum_partition);
    }
}

void Lockstep::record(const std::filesystem::path& folder, const std::vector<std::string>& scopes) {
    recordings_ = folder;
    rtl_->open_wave(folder / "rtl.fst", scopes);
    fast_->open_wave(folder / "fast.fst", scopes);
}

std::string Lockstep::recorded() {
    EXPECT_EQ(rtl_->close_wave(), "");
    EXPECT_EQ(fast_->close_wave(), "");
    const WaveChanges rtl = read_changes(recordings_ / "rtl.fst"),
                      fast = read_changes(recordings_ / "fast.fst");
    recordings_.clear();
    EXPECT_FALSE(fast.empty());
    for (const auto& [name, changes] : fast) recorded_changes_ += changes.size();
    return test::difference(rtl, fast);
}

std::string Lockstep::counted() const {
    std::string text;
    const auto same = [&text](const char* what, std::uint64_t want, std::uint64_t got) {
        if (want != got) text += fmt::format("{} {}, expected {} as the RTL has it\n", what, got, want);
    };
    const tlm::EngineCounters want = rtl_->engine_counters(), got = fast_->engine_counters();
    for (unsigned e = 0; e < tlm::Engines; ++e)
        same(std::string(isa::name_of(static_cast<isa::Engine>(e))).c_str(), want.busy[e], got.busy[e]);
    same("matmul cycles", want.matmul, got.matmul);
    same("fast load cycles", want.fast_load, got.fast_load);
    same("normal load cycles", want.normal_load, got.normal_load);
    const tlm::MemoryCounts wanted = rtl_->memory_counts(), found = fast_->memory_counts();
    same("moving waits", wanted.moving_waits, found.moving_waits);
    same("vector waits", wanted.vector_waits, found.vector_waits);
    same("scalar waits", wanted.scalar_waits, found.scalar_waits);
    same("gpsimd waits", wanted.gpsimd_waits, found.gpsimd_waits);
    same("bus waits", wanted.bus_waits, found.bus_waits);
    same("sequencer waits", wanted.sequencer_waits, found.sequencer_waits);
    const tlm::GpsimdCounters cores = rtl_->gpsimd_counters(), counted = fast_->gpsimd_counters();
    for (std::size_t k = 0; k < cores.size(); ++k) {
        same(fmt::format("gpsimd core {} cycles", k).c_str(), cores[k].cycles, counted[k].cycles);
        for (std::size_t c = 0; c < tlm::GpsimdClasses; ++c)
            same(fmt::format("gpsimd core {} {}", k, tlm::GpsimdClassNames[c]).c_str(), cores[k].in_class[c],
                 counted[k].in_class[c]);
    }
    return text;
}

std::string Lockstep::memories() const {
    std::string text;
    const auto compare = [&](std::uint32_t address, std::size_t size) {
        std::vector<std::uint8_t> want(size), got(size);
        if (!rtl_->debug_read(address, want) || !fast_->debug_read(address, got))
            text += fmt::format("0x{:x}: no memory\n", address);
        for (std::size_t at = 0; at < size; ++at) {
            if (want[at] == got[at]) continue;
            text +=
                fmt::format("0x{:x}: {}, expected {} as the RTL has it\n", address + at, got[at], want[at]);
            return;
        }
    };
    for (unsigned k = 0; k < tlm::gpsimd_cores(config.core.partitions); ++k)
        compare(isa::window::GpsimdTcmBase + k * isa::window::GpsimdTcmStride, isa::window::GpsimdTcmStride);
    const auto stride = isa::sbuf_partition_stride(static_cast<std::uint32_t>(config.core.partitions));
    for (std::uint32_t p = 0; p < config.core.partitions; ++p) {
        compare(p * stride, config.core.sbuf_partition);
        compare(isa::window::PsumBase + p * isa::window::PsumPartitionStride, config.core.psum_partition);
    }
    return text;
}

}  // namespace trnsim::test
