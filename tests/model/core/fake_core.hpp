// A core without engines: a memory behind AXI subordinate ports and a scripted manager port, with random
// back-pressure and random bus ticks. It notes violations of AXI by the wrapper.
#pragma once

#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "common/random.hpp"
#include "model/core/core_model.hpp"
#include "model/hbm/backing_store.hpp"
#include "model/perturb/perturb.hpp"

namespace trnsim::test {

class FakeCore : public tlm::CoreModel {
  public:
    struct Style {
        unsigned ports = 2;
        std::uint32_t beat_bytes = 64;
        unsigned stall = 0;            // percent of ticks on which a ready or a valid is low
        unsigned tick_every = 2;       // cycles between bus ticks; 0: random
        tlm::perturb::Seed perturb{};  // perturbs the wrapper
    };
    struct Fetch {
        std::uint8_t id, beats;
        std::uint64_t address;
    };
    struct Fetched {
        std::uint8_t id, response;
        std::vector<std::uint32_t> words;
    };
    struct Post {
        std::uint8_t id;
        std::uint64_t address;
        std::uint32_t data;
        bool wide = false;  // 16 bytes: data, data + 1, ...
    };

    static constexpr std::uint32_t Hole = 0x3000000;  // addresses from here are refused

    explicit FakeCore(Style style) : style_(style), ports_(style.ports) { out.idle = true; }

    // Members that a test reads and sets.
    std::vector<std::string> faults;
    std::deque<Fetch> fetches;                                        // to send
    std::deque<Post> posts;                                           // to send
    std::deque<Fetch> tables;                                         // bursts to read; IDs are not used
    std::vector<Fetched> fetched;                                     // complete ones
    std::vector<Fetched> tables_read;                                 // an entry for each beat
    std::vector<std::pair<std::uint8_t, std::uint8_t>> acknowledged;  // ID and response of posted writes
    std::function<void(FakeCore&)> script = [](FakeCore&) {};         // at the end of each step
    std::uint64_t steps = 0;                                          // after reset
    tlm::EngineCounters counters;
    bool busy = false;  // keeps the clock running
    tlm::hbm::BackingStore memory;
    std::vector<std::uint64_t> dumps;  // times given to dump_wave()
    bool wave_open = false;
    std::string wave_failure;  // the failure that close_wave() returns

    tlm::EngineCounters engine_counters() const override { return counters; }
    void step() override;
    void open_wave(const std::string&, std::span<const std::string>) override { wave_open = true; }
    void dump_wave(std::uint64_t time_ps) override { dumps.push_back(time_ps); }
    std::string close_wave() override {
        wave_open = false;
        return wave_failure;
    }
    bool debug_read(std::uint32_t offset, std::span<std::uint8_t> data) override {
        if (offset >= Hole) return false;
        memory.read(offset, data);
        return true;
    }
    bool debug_write(std::uint32_t offset, std::span<const std::uint8_t> data) override {
        if (offset >= Hole) return false;
        memory.write(offset, data);
        return true;
    }

  private:
    struct Port {
        bool writing = false, reading = false;
        std::uint32_t write_address = 0, read_address = 0;
        unsigned write_left = 0, read_left = 0;
        bool failed = false;
        tlm::AxiSubordinateIn before{};  // inputs of the last tick
        bool held_aw = false, held_w = false, held_ar = false;
    };

    bool go() { return random_() % 100 >= style_.stall; }
    void tick_port(unsigned number);
    void tick_write(Port& port, const tlm::AxiSubordinateIn& i, tlm::AxiSubordinateOut& o);
    void tick_read(Port& port, const tlm::AxiSubordinateIn& i, tlm::AxiSubordinateOut& o);
    void check_stable(Port& port, const tlm::AxiSubordinateIn& now, const tlm::AxiSubordinateOut& ready);
    void check_burst(std::uint32_t address, unsigned len);
    void tick_manager();
    void tick_tables();
    void take_fetched(const tlm::AxiManagerIn& i);

    Style style_;
    std::mt19937_64 random_ = generator();
    std::vector<Port> ports_;
    std::vector<Fetched> open_ = std::vector<Fetched>(8);     // by ID
    std::deque<std::pair<std::uint8_t, unsigned>> expected_;  // IDs and beats of fetches sent
};

}  // namespace trnsim::test
