#include "tools/bench/dma_benchmarks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "arch/config/config.hpp"
#include "arch/dma/elements.hpp"
#include "arch/numerics/format.hpp"
#include "model/dma/dma.hpp"
#include "model/fabric/fabric.hpp"
#include "model/hbm/stack.hpp"
#include "model/protocol/initiator_port.hpp"

namespace trnsim::bench {
namespace {

using dma::Descriptor;
using dma::RingRegister;
using Descriptors = std::vector<Descriptor>;

constexpr unsigned Engines = 16, Rings = 16;
constexpr std::uint64_t Mega = 1ULL << 20, StackBytes = 256 * Mega;
constexpr std::uint64_t Sources = 64 * Mega, Destinations = StackBytes + Sources;  // rings lie below
constexpr std::uint64_t Each = 4 * Mega, PacketBytes = Mega;                       // bytes of an engine
constexpr std::uint64_t Total = Engines * Each;

double seconds_of(const std::function<void()>& action) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    action();
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Two stacks without banks, the engines and a host that drives them.
class Bench : public sc_core::sc_module {
  public:
    Bench(const sc_core::sc_module_name& name, const config::Config& config)
        : sc_module(name),
          fabric_("fabric", Engines + 1, 3, Map, config.fabric.latency),
          low_("low", timing(config)),
          high_("high", timing(config)),
          dma_("dma", Engines, Rings, tlm::dma::engine_timing(config), nullptr, fail),
          host_("host", [](auto&, tlm::Time) {}) {
        for (unsigned i = 0; i < Engines; ++i) dma_.engine(i).port.socket.bind(fabric_.from(i));
        host_.socket.bind(fabric_.from(Engines));
        fabric_.to(0).bind(low_.port.socket);
        fabric_.to(1).bind(high_.port.socket);
        fabric_.to(2).bind(dma_.registers.socket);
    }

    void set_ring(unsigned engine, const Descriptors& m2s, const Descriptors& s2m) {
        using enum RingRegister;
        const std::uint64_t base = engine * Mega;
        write_ring(engine, {M2sBaseLow, M2sBaseHigh, M2sSize}, base, m2s);
        write_ring(engine, {S2mBaseLow, S2mBaseHigh, S2mSize}, base + Mega / 2, s2m);
        sc_core::sc_start();
    }
    // Executes the contents of the rings once.
    void run(std::size_t m2s, std::size_t s2m) {
        for (unsigned i = 0; i < Engines; ++i)
            write(i, RingRegister::Doorbell,
                  dma::doorbell(static_cast<std::uint16_t>(m2s), static_cast<std::uint16_t>(s2m)));
        sc_core::sc_start();
    }

  private:
    static constexpr tlm::fabric::Range Map[] = {
        {0, StackBytes, 0}, {StackBytes, StackBytes, 1}, {dma::RegisterBase, Engines* dma::EngineStride, 2}};

    static tlm::hbm::StackTiming timing(const config::Config& config) {
        const config::Hbm& hbm = config.hbm;
        return {StackBytes, hbm.bandwidth / hbm.stacks, hbm.read_latency, hbm.write_latency};
    }
    [[noreturn]] static void fail(const tlm::dma::EngineError& error) {
        throw std::runtime_error(error.message);
    }

    void write_ring(unsigned engine, const std::array<RingRegister, 3>& registers, std::uint64_t base,
                    const Descriptors& descriptors) {
        auto& payload = pool_.make(::tlm::TLM_WRITE_COMMAND, base,
                                   static_cast<std::uint32_t>(descriptors.size() * dma::DescriptorBytes));
        unsigned char* to = payload.get_data_ptr();
        for (const Descriptor& descriptor : descriptors)
            to = std::ranges::copy(dma::encode(descriptor), to).out;
        host_.socket->transport_dbg(payload);
        payload.release();
        write(engine, registers[0], static_cast<std::uint32_t>(base));
        write(engine, registers[1], static_cast<std::uint32_t>(base >> 32));
        write(engine, registers[2], static_cast<std::uint32_t>(descriptors.size()));
    }
    void write(unsigned engine, RingRegister reg, std::uint32_t value) {
        auto& payload =
            pool_.make(::tlm::TLM_WRITE_COMMAND, dma::ring_address(engine, 0, reg), sizeof(value));
        std::memcpy(payload.get_data_ptr(), &value, sizeof(value));
        host_.send(payload, tlm::now());
    }

    tlm::fabric::Fabric fabric_;
    tlm::hbm::Stack low_, high_;
    tlm::dma::Dma dma_;
    tlm::protocol::PayloadPool pool_;
    tlm::protocol::InitiatorPort host_;
};

// Returns descriptors for `bytes` bytes at `address`, in packets of `packet` bytes.
Descriptors descriptors(std::uint64_t address, std::uint64_t bytes, std::uint64_t packet,
                        std::uint32_t meta) {
    Descriptors list;
    list.reserve(bytes / dma::MaxLength);
    for (std::uint64_t done = 0; done < bytes; done += dma::MaxLength) {
        list.push_back({.address = address + done,
                        .length = dma::MaxLength,
                        .first = done % packet == 0,
                        .last = (done + dma::MaxLength) % packet == 0,
                        .meta = meta});
    }
    return list;
}

// Returns GB read a second of wall time; `narrowing` is the number of bytes read for each byte written.
double rate(std::uint32_t read_meta, std::uint32_t write_meta, std::uint64_t narrowing) {
    constexpr unsigned Rounds = 4;
    tlm::use_femtoseconds();
    const config::Config config = config::load("trn1");
    Bench bench("bench", config);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::size_t m2s_count = 0, s2m_count = 0;
    for (unsigned i = 0; i < Engines; ++i) {
        const Descriptors m2s = descriptors(Sources + i * Each, Each, PacketBytes, read_meta);
        const Descriptors s2m =
            descriptors(Destinations + i * Each, Each / narrowing, PacketBytes, write_meta);
        bench.set_ring(i, m2s, s2m);
        m2s_count = m2s.size();
        s2m_count = s2m.size();
    }
    bench.run(m2s_count, s2m_count);  // makes the pages of the destinations
    const double seconds = seconds_of([&] {
        for (unsigned round = 0; round < Rounds; ++round) bench.run(m2s_count, s2m_count);
    });
    return static_cast<double>(Rounds * Total) / seconds / 1e9;
}

}  // namespace

Figure measure_dma_stream(const Environment&) {
    std::vector<std::uint8_t> from(Total, 1), to(Total);
    const double seconds = seconds_of([&] { std::ranges::copy(from, to.begin()); });
    if (to.back() != 1) throw std::runtime_error("nothing was copied");
    return {rate(0, 0, 1), static_cast<double>(Total) / seconds / 1e9};
}

Figure measure_dma_cast(const Environment&) {
    using namespace tlm::dma;
    const std::vector<float> values(Total / sizeof(float), 1.5f);
    std::vector<std::uint8_t> narrow(Total / 2);
    const double seconds = seconds_of([&] { numerics::from_fp32(values, isa::Dtype::Bf16, narrow.data()); });
    if (narrow.back() == 0) throw std::runtime_error("nothing was converted");
    const std::uint32_t load = encode(ReadMeta{Operation::Load, isa::Dtype::Fp32, 0, 0});
    const std::uint32_t round = encode(WriteMeta{Result::Elements, isa::Dtype::Bf16, isa::Rounding::Core});
    return {rate(load, round, 2), static_cast<double>(Total) / seconds / 1e9};
}

}  // namespace trnsim::bench
