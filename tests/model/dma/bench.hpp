// DMA engines on a fabric with two memories, and the software side of their rings.
#pragma once

#include <gtest/gtest.h>

#include "arch/config/config.hpp"
#include "model/common/host.hpp"
#include "model/dma/dma.hpp"
#include "model/fabric/fabric.hpp"
#include "model/hbm/stack.hpp"

namespace trnsim::test {

constexpr tlm::Time Ns = 1'000'000;
constexpr std::uint64_t Low = 0;              // first memory; rings and sources
constexpr std::uint64_t High = 0x1000000000;  // second memory; destinations
constexpr std::uint64_t MemoryBytes = 64 << 20;
constexpr unsigned Chip = 5;  // number of the bench's chip

// Returns the figures of configs/trn1.yaml.
inline const config::Config& trn1() {
    static const config::Config config = config::load("trn1");
    return config;
}

// Keeps the packets.
class Packets : public tlm::trace::Sink {
  public:
    std::vector<tlm::trace::Packet> all;
    void instruction(const tlm::trace::Instruction&) override {}
    void packet(const tlm::trace::Packet& packet) override { all.push_back(packet); }
};

class DmaBench : public sc_core::sc_module {
  public:
    explicit DmaBench(const sc_core::sc_module_name& name, unsigned engines = 1, bool check = true,
                      tlm::perturb::Seed perturb = {}, const config::Config& config = trn1())
        : sc_module(name),
          fabric("fabric", engines + 1, 3, map(), config.fabric.latency, perturb),
          low("low", stack(config), {perturb, "low"}),
          high("high", stack(config), {perturb, "high"}),
          dma("dma", engines, 16, tlm::dma::engine_timing(config), &packets,
              [this](const auto& error) { errors.push_back(error); }, perturb, {.chip = Chip, .core = 0}),
          host("host") {
        const auto bind = [&](auto& initiator, auto& target) {
            check ? checkers.bind(initiator, target) : initiator.bind(target);
        };
        for (unsigned i = 0; i < engines; ++i) bind(dma.engine(i).port.socket, fabric.from(i));
        bind(host.port.socket, fabric.from(engines));
        bind(fabric.to(0), low.port.socket);
        bind(fabric.to(1), high.port.socket);
        bind(fabric.to(2), dma.registers.socket);
    }
    ~DmaBench() override {
        EXPECT_EQ(checkers.findings(), std::vector<std::string>{});
        EXPECT_LE(host.pool.in_use(), 0u);
    }

    Packets packets;
    Checkers checkers;
    tlm::fabric::Fabric fabric;
    tlm::hbm::Stack low, high;
    tlm::dma::Dma dma;
    Host host;
    std::vector<tlm::dma::EngineError> errors;

    void poke(std::uint64_t address, std::vector<std::uint8_t> data) {
        ASSERT_EQ(host.debug(::tlm::TLM_WRITE_COMMAND, address, data), data.size());
    }
    std::vector<std::uint8_t> peek(std::uint64_t address, std::size_t length) {
        std::vector<std::uint8_t> data(length);
        EXPECT_EQ(host.debug(::tlm::TLM_READ_COMMAND, address, data), length);
        return data;
    }

    // Sets up a ring with these descriptors at `base`, and s2m half a MiB after it.
    void set_ring(unsigned engine, unsigned ring, std::uint64_t base, const std::vector<dma::Descriptor>& m2s,
                  const std::vector<dma::Descriptor>& s2m) {
        using R = dma::RingRegister;
        constexpr std::uint64_t S2mOffset = 512 * 1024;
        write_ring(engine, ring, {R::M2sBaseLow, R::M2sBaseHigh, R::M2sSize}, base, m2s);
        write_ring(engine, ring, {R::S2mBaseLow, R::S2mBaseHigh, R::S2mSize}, base + S2mOffset, s2m);
        sc_core::sc_start(tlm::to_sc(200 * Ns));
    }

    void ring_doorbell(unsigned engine, unsigned ring, unsigned m2s, unsigned s2m) {
        host.write32(dma::ring_address(engine, ring, dma::RingRegister::Doorbell),
                     dma::doorbell(static_cast<std::uint16_t>(m2s), static_cast<std::uint16_t>(s2m)));
    }

    std::uint32_t register_value(std::uint64_t address) {
        const auto number = host.read(address, 4);
        while (!host.replies.contains(number)) sc_core::sc_start(tlm::to_sc(10 * Ns));
        const Reply& reply = host.replies.at(number);
        EXPECT_EQ(reply.status, ::tlm::TLM_OK_RESPONSE);
        return reply.data[0] | reply.data[1] << 8 | reply.data[2] << 16 |
               static_cast<std::uint32_t>(reply.data[3]) << 24;
    }

  private:
    static std::span<const tlm::fabric::Range> map() {
        static constexpr tlm::fabric::Range Map[] = {
            {Low, MemoryBytes, 0}, {High, MemoryBytes, 1}, {dma::RegisterBase, 16 * dma::EngineStride, 2}};
        return Map;
    }
    static tlm::hbm::StackTiming stack(const config::Config& c) {
        return {MemoryBytes, c.hbm.bandwidth / c.hbm.stacks, c.hbm.read_latency, c.hbm.write_latency};
    }
    void write_ring(unsigned engine, unsigned ring, std::array<dma::RingRegister, 3> registers,
                    std::uint64_t base, const std::vector<dma::Descriptor>& descriptors) {
        std::vector<std::uint8_t> bytes;
        for (const auto& descriptor : descriptors) {
            const auto encoded = dma::encode(descriptor);
            bytes.insert(bytes.end(), encoded.begin(), encoded.end());
        }
        poke(base, bytes);
        const std::array<std::uint32_t, 3> values{static_cast<std::uint32_t>(base),
                                                  static_cast<std::uint32_t>(base >> 32),
                                                  static_cast<std::uint32_t>(descriptors.size())};
        for (int i = 0; i < 3; ++i) host.write32(dma::ring_address(engine, ring, registers[i]), values[i]);
    }
};

// Returns one packet of `total` bytes in descriptors of `each` bytes.
inline std::vector<dma::Descriptor> packet(std::uint64_t address, std::uint64_t total, std::uint32_t each) {
    std::vector<dma::Descriptor> list;
    for (std::uint64_t done = 0; done < total; done += each) {
        const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(each, total - done));
        list.push_back(
            {.address = address + done, .length = length, .first = done == 0, .last = done + each >= total});
    }
    return list;
}

template <typename T>
std::vector<T> operator+(std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

}  // namespace trnsim::test
