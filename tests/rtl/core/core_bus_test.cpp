// The core window through the AXI ports of the verilated core: memories compared with a byte-level model,
// semaphores and registers, error responses, concurrent ports, and the rule for stopping the clock.
#include <gtest/gtest.h>

#include <map>

#include "tests/rtl/core/core_bench.hpp"

namespace trnsim::test {
namespace {

namespace window = isa::window;

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
        const bool longest = n % 50 == 0;  // a burst may have 256 beats
        const std::uint32_t size =
            longest ? 255 * core.beat + core.random() % core.beat : 1 + core.random() % 400;
        const std::uint32_t offset = longest || core.random() % 8 == 0 ? bytes - size : core.random() % 2048;
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
    for (const std::uint32_t address :
         {sbuf, lanes * SbufStride, lanes * SbufStride - 4, window::PsumBase - 4,
          window::PsumBase + lanes * window::PsumPartitionStride, window::EventBase - 4,
          window::CsrBase + 0xffc, window::Size - 4}) {
        for (int port = 0; port < static_cast<int>(core.config.core.bus.ports); ++port) {
            EXPECT_EQ(core.write32(port, address, 1), SlvErr) << std::hex << address;
            EXPECT_EQ(core.read(port, address, data), SlvErr) << std::hex << address;
        }
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

// All ports work at once: each fills a partition of its own, and all increment one semaphore.
TEST(CoreBus, PortsWorkTogether) {
    Core core;
    const int ports = core.config.core.bus.ports;
    for (int p = 0; p < ports; ++p) {
        tlm::AxiSubordinateIn& in = core.in(p);
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
