// The core window through the AXI ports of the verilated core: memories against a byte-level model,
// semaphores and registers, error responses, concurrent ports, and the clock-stop rule.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "testbench/config/config.hpp"
#include "testbench/isa/isa_tables.hpp"
#include "tests/common/random.hpp"
#include "tlm/core_rtl/core_model.hpp"

namespace trnsim::test {
namespace {

using tlm::AxiSubordinateIn;
using tlm::AxiSubordinateOut;
namespace window = isa::window;

constexpr std::uint8_t Okay = 0, SlvErr = 2;
constexpr std::uint32_t SbufStride = 1u << 18;

class Core {
  public:
    Core()
        : config(config::load(config::resolve("small16"))),
          beat(config.core.bus.data_bits / 8),
          model_(tlm::load_core_model(config::rtl_parameters(config))) {}

    config::Config config;
    std::uint32_t beat;  // bytes
    std::mt19937_64 random = generator();

    AxiSubordinateIn& in(int port) { return model_->in.port[port]; }
    const AxiSubordinateOut& out(int port) const { return model_->out.port[port]; }
    bool idle() const { return model_->out.idle; }

    // To the next edge of the bus clock.
    void bus_edge() {
        while (!model_->out.bus_tick) model_->step();
        model_->step();
    }

    // `data` at any byte address; beats before the first byte are not touched.
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
        in(port).b_ready = true;
        do {
            response = out(port).b_resp;
        } while (!edge_if(out(port).b_valid));
        in(port).b_ready = false;
        return response;
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

  private:
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

    std::unique_ptr<tlm::CoreModel> model_;
};

TEST(CoreBus, RandomAccessesToMemories) {
    Core core;
    const unsigned lanes = core.config.core.partitions;
    std::map<std::uint32_t, std::uint8_t> written;
    const int accesses = static_cast<int>(400 * scale());
    for (int n = 0; n < accesses; ++n) {
        const bool psum = core.random() % 3 == 0;
        const std::uint32_t bytes = psum ? core.config.core.psum_partition : core.config.core.sbuf_partition;
        const std::uint32_t base = psum ? std::uint32_t{window::PsumBase} : 0u;
        const std::uint32_t stride = psum ? std::uint32_t{window::PsumPartitionStride} : SbufStride;
        const std::uint32_t size = 1 + core.random() % 400;
        const std::uint32_t offset = core.random() % 8 == 0 ? bytes - size : core.random() % 2048;
        const std::uint32_t address = base + core.random() % lanes * stride + offset;
        const int port = core.random() % core.config.core.bus.ports;
        std::vector<std::uint8_t> data(size);
        if (core.random() % 2) {
            for (auto& byte : data) byte = static_cast<std::uint8_t>(core.random());
            ASSERT_EQ(core.write(port, address, data), Okay);
            for (std::uint32_t i = 0; i < size; ++i) written[address + i] = data[i];
        } else {
            ASSERT_EQ(core.read(port, address, data), Okay);
            for (std::uint32_t i = 0; i < size; ++i) {
                const auto known = written.find(address + i);
                if (known != written.end()) {
                    ASSERT_EQ(data[i], known->second) << std::hex << address + i;
                }
            }
        }
    }
    EXPECT_GT(written.size(), 1000u);
}

TEST(CoreBus, OutsideMemoryAnswersAnError) {
    Core core;
    const std::uint32_t lanes = core.config.core.partitions;
    const std::uint32_t sbuf = core.config.core.sbuf_partition;
    std::vector<std::uint8_t> data(4);
    for (const std::uint32_t address : {sbuf, lanes * SbufStride, lanes * SbufStride - 4,
                                        window::PsumBase + lanes * window::PsumPartitionStride,
                                        window::EventBase - 4, window::CsrBase + 0xffc, window::Size - 4}) {
        EXPECT_EQ(core.write32(0, address, 1), SlvErr) << std::hex << address;
        EXPECT_EQ(core.read(1, address, data), SlvErr) << std::hex << address;
    }
    EXPECT_EQ(core.write32(0, sbuf - 4, 1), Okay);
    EXPECT_EQ(core.write(0, window::SemSet, {1, 2}), SlvErr) << "half a register";
}

TEST(CoreBus, SemaphoreAliases) {
    Core core;
    std::vector<std::uint32_t> model(256);
    for (int n = 0; n < 300; ++n) {
        const std::uint32_t sem = core.random() % 256, value = core.random() % 1000;
        const int port = core.random() % core.config.core.bus.ports;
        switch (core.random() % 4) {
            case 0:
                EXPECT_EQ(core.write32(port, window::SemSet + 4 * sem, value), Okay);
                model[sem] = value;
                break;
            case 1:
                EXPECT_EQ(core.write32(port, window::SemInc + 4 * sem, value), Okay);
                model[sem] += value;
                break;
            case 2:
                if (model[sem] < value) break;
                EXPECT_EQ(core.write32(port, window::SemDec + 4 * sem, value), Okay);
                model[sem] -= value;
                break;
            default:
                EXPECT_EQ(core.read32(port, window::SemRead + 4 * sem), model[sem]);
        }
    }
}

// All ports at once: every port fills a partition of its own and increments one common semaphore.
TEST(CoreBus, PortsWorkTogether) {
    Core core;
    const int ports = core.config.core.bus.ports;
    for (int p = 0; p < ports; ++p) {
        AxiSubordinateIn& in = core.in(p);
        in.aw_valid = true;
        in.aw_addr = window::SemInc + 4 * 7;
        in.b_ready = true;
        in.w_valid = true;
        in.w_last = true;
        const std::uint32_t byte = in.aw_addr % core.beat;
        in.w_data[byte / 4] = 1;
        in.w_strobe[byte / 32] = 0xfu << (byte % 32);
    }
    std::vector<int> answers(ports);
    constexpr int Rounds = 40;
    for (int edge = 0; edge < 2000; ++edge) {
        for (int p = 0; p < ports; ++p) {
            answers[p] += core.out(p).b_valid;
            if (answers[p] >= Rounds) core.in(p).aw_valid = core.in(p).w_valid = false;
        }
        core.bus_edge();
    }
    int total = 0;
    for (const int n : answers) total += n;
    EXPECT_GE(total, Rounds * ports);
    EXPECT_EQ(core.read32(0, window::SemRead + 4 * 7), static_cast<std::uint32_t>(total));
}

TEST(CoreBus, RestsWhenNothingIsToBeDone) {
    Core core;
    for (int edge = 0; edge < 20; ++edge) core.bus_edge();
    EXPECT_TRUE(core.idle());
    EXPECT_EQ(core.read32(0, isa::csr::Status) & 3u, 1u) << "idle, no error";
    core.in(0).ar_valid = true;
    core.bus_edge();
    EXPECT_FALSE(core.idle());
}

// A failed assertion in the RTL is an exception that names the place.
TEST(CoreBus, AssertionsAreErrorsOfTheRun) {
    Core core;
    core.in(0).aw_valid = true;
    core.in(0).aw_addr = window::SemSet;
    core.in(0).w_valid = true;  // a register access takes one beat, so the first has to be the last
    const auto steps = [&] {
        for (int edge = 0; edge < 4; ++edge) core.bus_edge();
    };
    try {
        steps();
        FAIL() << "the assertion did not fire";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("axi_port.sv"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace trnsim::test
