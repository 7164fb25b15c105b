// A verilated core by itself: its AXI ports and, if a test wants one, a memory at its manager port.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "arch/config/config.hpp"
#include "isa/isa_tables.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/control/fake_memory.hpp"

namespace trnsim::test {

constexpr std::uint8_t Okay = 0, SlvErr = 2;
constexpr std::uint32_t SbufStride = 1u << 18;

class Core {
  public:
    explicit Core(const std::string& configuration = "small16")
        : config(config::load(config::resolve(configuration))),
          beat(config.core.bus.data_bits / 8),
          model_(tlm::load_core_model(config::rtl_parameters(config))) {}

    config::Config config;
    std::uint32_t beat;  // bytes of a beat
    std::mt19937_64 random = generator();

    tlm::AxiSubordinateIn& in(int port) { return model_->in.port[port]; }
    const tlm::AxiSubordinateOut& out(int port) const { return model_->out.port[port]; }
    bool idle() const { return model_->out.idle; }

    bool halted(int engine) const {
        return static_cast<isa::SeqState>(model_->out.engine[engine].state) == isa::SeqState::Halted;
    }
    bool error() const { return model_->out.error; }
    tlm::MemoryCounts counts() const { return model_->memory_counts(); }
    tlm::EngineCounters counters() const { return model_->engine_counters(); }
    tlm::NumericError numeric() const { return model_->numeric_error(); }
    // The memory at the manager port; without it nothing answers there.
    std::optional<FakeMemory> memory;
    // The table port reads these bytes from address 0 on. The first beat of a burst comes `table_latency` bus
    // cycles later.
    std::vector<std::uint8_t> tables;
    unsigned table_latency = 0;

    // Called after every edge of the bus clock.
    std::function<void()> watch = [] {};

    // Runs up to and including the next edge of the bus clock.
    void bus_edge() {
        while (!model_->out.bus_tick) step();
        model_->in.timestamp = cycle;
        if (memory) drive_memory();
        if (!tables.empty()) drive_tables();
        const tlm::AxiManagerOut seen = model_->out.manager;
        step();
        ++bus_cycle_;
        if (memory) {
            memory->clock({.ar_valid = seen.ar_valid,
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
        watch();
    }

    // Writes `data` at any byte address; beats before the first byte are not touched.
    std::uint8_t write(int port, std::uint32_t address, const std::vector<std::uint8_t>& data) {
        const std::uint32_t first = address / beat * beat;
        const std::uint32_t beats = (address + data.size() - first + beat - 1) / beat;
        in(port).aw_addr = beats == 1 ? address : first;
        in(port).aw_len = beats - 1;
        handshake(in(port).aw_valid, out(port).aw_ready);
        for (std::uint32_t b = 0; b < beats; ++b) {
            while (random() % 4 == 0) bus_edge();
            in(port).w_data = {};
            in(port).w_strobe = {};
            auto* bytes = reinterpret_cast<std::uint8_t*>(in(port).w_data.data());
            for (std::uint32_t i = 0; i < beat; ++i) {
                const std::uint32_t place = first + b * beat + i;
                if (place < address || place >= address + data.size()) continue;
                bytes[i] = data[place - address];
                in(port).w_strobe[i / 32] |= 1u << (i % 32);
            }
            in(port).w_last = b == beats - 1;
            handshake(in(port).w_valid, out(port).w_ready);
        }
        std::uint8_t response = 0;
        while (random() % 4 == 0) bus_edge();
        in(port).b_ready = true;
        do {
            response = out(port).b_resp;
        } while (!edge_if(out(port).b_valid));
        in(port).b_ready = false;
        return response;
    }

    // These access the memories without the bus.
    void poke(std::uint32_t address, std::span<const std::uint8_t> data) {
        EXPECT_TRUE(model_->debug_write(address, data));
    }
    std::vector<std::uint8_t> peek(std::uint32_t address, std::size_t size) {
        std::vector<std::uint8_t> data(size);
        EXPECT_TRUE(model_->debug_read(address, data));
        return data;
    }

    std::uint8_t read(int port, std::uint32_t address, std::vector<std::uint8_t>& data) {
        const std::uint32_t first = address / beat * beat;
        const std::uint32_t beats = (address + data.size() - first + beat - 1) / beat;
        in(port).ar_addr = beats == 1 ? address : first;
        in(port).ar_len = beats - 1;
        handshake(in(port).ar_valid, out(port).ar_ready);
        std::uint8_t worst = Okay;
        for (std::uint32_t b = 0; b < beats; ++b) {
            for (;;) {
                in(port).r_ready = random() % 3 != 0;
                const bool taken = in(port).r_ready && out(port).r_valid;
                if (taken) {
                    EXPECT_EQ(out(port).r_last, b == beats - 1);
                    worst = std::max(worst, out(port).r_resp);
                    const auto* bytes = reinterpret_cast<const std::uint8_t*>(out(port).r_data.data());
                    for (std::uint32_t i = 0; i < beat; ++i) {
                        const std::uint32_t place = first + b * beat + i;
                        if (place >= address && place < address + data.size())
                            data[place - address] = bytes[i];
                    }
                }
                bus_edge();
                if (taken) break;
            }
        }
        in(port).r_ready = false;
        return worst;
    }

    std::uint8_t write32(int port, std::uint32_t address, std::uint32_t value) {
        std::vector<std::uint8_t> data(4);
        std::memcpy(data.data(), &value, 4);
        return write(port, address, data);
    }
    std::uint32_t read32(int port, std::uint32_t address, std::uint8_t expected = Okay) {
        std::vector<std::uint8_t> data(4);
        EXPECT_EQ(read(port, address, data), expected) << std::hex << address;
        std::uint32_t value = 0;
        std::memcpy(&value, data.data(), 4);
        return value;
    }

    // Number of core cycles with the data path at work.
    std::array<std::uint64_t, tlm::Engines> busy{};
    std::uint64_t cycle = 0;  // number of the next edge
    // Outputs of the last step.
    const tlm::EngineOut& engine(int index) const { return model_->out.engine[index]; }

  private:
    void step() {
        model_->step();
        ++cycle;
        for (std::size_t e = 0; e < busy.size(); ++e) busy[e] += model_->out.engine[e].busy ? 1 : 0;
    }
    void drive_memory() {
        const MemoryOut& from = memory->drive();
        tlm::AxiManagerIn& to = model_->in.manager;
        to.ar_ready = from.ar_ready;
        to.r_valid = from.r_valid;
        to.r_last = from.r_last;
        to.r_id = from.r_id;
        to.r_resp = from.r_resp;
        std::memcpy(to.r_data.data(), from.r_data.bytes().data(), isa::InstructionBytes);
        to.aw_ready = from.aw_ready;
        to.w_ready = from.w_ready;
        to.b_valid = from.b_valid;
        to.b_id = from.b_id;
        to.b_resp = from.b_resp;
    }
    // Beats come in order, one a bus cycle.
    void drive_tables() {
        constexpr std::size_t Beat = tlm::TableWords * sizeof(std::uint32_t);
        tlm::AxiTableIn& to = model_->in.table;
        to.r_valid = !table_beats_.empty() && table_beats_.front().due <= bus_cycle_;
        if (to.r_valid) {
            std::memcpy(to.r_data.data(), tables.data() + table_beats_.front().offset, Beat);
            table_beats_.pop_front();
        }
        to.ar_ready = true;
        const tlm::AxiTableOut& seen = model_->out.table;
        for (unsigned i = 0; seen.ar_valid && i <= seen.ar_len; ++i)
            table_beats_.push_back({bus_cycle_ + 1 + table_latency, seen.ar_addr + i * Beat});
    }
    bool edge_if(bool condition) {
        bus_edge();
        return condition;
    }
    void handshake(bool& valid, const bool& ready) {
        valid = true;
        for (;;) {
            const bool taken = ready;
            bus_edge();
            if (taken) break;
        }
        valid = false;
    }

    struct TableBeat {
        std::uint64_t due, offset;
    };

    std::unique_ptr<tlm::CoreModel> model_;
    std::uint64_t bus_cycle_ = 0;
    std::deque<TableBeat> table_beats_;
};

}  // namespace trnsim::test
