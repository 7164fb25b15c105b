// A wrapper around a fake core, with a host on its window and a memory on its manager port.
#pragma once

#include <gtest/gtest.h>

#include "model/common/host.hpp"
#include "model/core/fake_core.hpp"
#include "model/core/pin_core.hpp"
#include "model/hbm/stack.hpp"

namespace trnsim::test {

constexpr tlm::Time Ns = 1'000'000;
constexpr std::uint64_t MemoryBytes = 1 << 20;
constexpr addresses::CoreId Id{.chip = 3, .core = 1};

class Instructions : public tlm::trace::Sink {
  public:
    std::vector<tlm::trace::Instruction> all;
    void instruction(const tlm::trace::Instruction& instruction) override { all.push_back(instruction); }
    void packet(const tlm::trace::Packet&) override {}
};

struct CoreBench : sc_core::sc_module {
    explicit CoreBench(const sc_core::sc_module_name& name, FakeCore::Style style = {}, bool check = true)
        : sc_module(name),
          fake(new FakeCore(style)),
          core("core", {config_of(style), Id, &sink, [this] { ++stops; }, style.perturb},
               std::unique_ptr<tlm::CoreModel>(fake)),
          host("host"),
          memory("memory", {MemoryBytes, 410'000'000'000, 120 * Ns, 60 * Ns}),
          tables("tables", {MemoryBytes, 410'000'000'000, 120 * Ns, 60 * Ns}) {
        if (check) {
            checkers.bind(host.port.socket, core.window.socket);
        } else {
            host.port.socket.bind(core.window.socket);
        }
        checkers.bind(core.manager.port.socket, memory.port.socket);
        checkers.bind(core.tables.port.socket, tables.port.socket);
    }
    ~CoreBench() override {
        EXPECT_EQ(checkers.findings(), std::vector<std::string>{});
        EXPECT_EQ(fake->faults, std::vector<std::string>{});
        EXPECT_EQ(host.pool.in_use(), 0u);
    }

    // Runs until nothing is left to do and returns the reply to an access.
    Reply reply(std::uint64_t number) {
        sc_core::sc_start();
        return host.replies.at(number);
    }

    Checkers checkers;
    Instructions sink;
    int stops = 0;
    FakeCore* fake;  // owned by core
    tlm::PinCore core;
    Host host;
    tlm::hbm::Stack memory, tables;

  private:
    static config::Core config_of(const FakeCore::Style& style) {
        config::Core config{};
        config.clock = 2'800'000'000;
        config.clock_ratio = {{1, 1}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}};
        config.bus = {style.ports, style.beat_bytes * 8};
        return config;
    }
};

}  // namespace trnsim::test
