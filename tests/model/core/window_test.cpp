// Tests accesses to the core window through AXI.
#include <chrono>

#include "isa/isa_tables.hpp"
#include "model/core/bench.hpp"

namespace trnsim::test {
namespace {

class Window : public testing::TestWithParam<FakeCore::Style> {};

TEST_P(Window, KeepsWhatRandomAccessesWrite) {
    CoreBench b("b", GetParam());
    elaborate();
    auto random = generator();
    struct Written {
        std::uint64_t number;
        std::uint32_t address;
        std::vector<std::uint8_t> data;
    };
    std::vector<Written> written;
    std::uint32_t address = 0;
    for (std::uint64_t i = 0; i < 150 * scale() && i < 1000; ++i) {
        const auto length = static_cast<std::uint32_t>(1 + random() % (random() % 4 == 0 ? 9000 : 300));
        address += static_cast<std::uint32_t>(random() % 200);
        const auto data = pattern(length, i);
        written.push_back({b.host.write(address, data), address, data});
        address += length;
        if (random() % 16 == 0) sc_core::sc_start(tlm::to_sc(random() % (100 * Ns)));
    }
    sc_core::sc_start();
    std::vector<std::uint64_t> reads;
    for (const Written& w : written) {
        EXPECT_EQ(b.host.replies.at(w.number).status, ::tlm::TLM_OK_RESPONSE);
        reads.push_back(b.host.read(w.address, static_cast<std::uint32_t>(w.data.size())));
    }
    sc_core::sc_start();
    for (std::size_t i = 0; i < reads.size(); ++i) {
        ASSERT_EQ(b.host.replies.at(reads[i]).data, written[i].data);
        std::vector<std::uint8_t> back(written[i].data.size());
        EXPECT_EQ(b.host.debug(::tlm::TLM_READ_COMMAND, written[i].address, back), back.size());
        ASSERT_EQ(back, written[i].data);
    }
    EXPECT_TRUE(b.core.stopped());
}

INSTANTIATE_TEST_SUITE_P(Styles, Window,
                         testing::Values(FakeCore::Style{1, 32, 0, 1}, FakeCore::Style{2, 64, 0, 2},
                                         FakeCore::Style{4, 128, 0, 2}, FakeCore::Style{2, 64, 50, 2},
                                         FakeCore::Style{3, 128, 80, 0}, FakeCore::Style{8, 32, 30, 0},
                                         FakeCore::Style{2, 64, 0, 2, 1}, FakeCore::Style{4, 128, 0, 2, 2},
                                         FakeCore::Style{3, 128, 30, 0, 3}, FakeCore::Style{1, 32, 0, 1, 4}));

TEST(CoreWindow, OneWordAccess) {
    CoreBench b("b");
    elaborate();
    EXPECT_EQ(b.reply(b.host.write32(0x2701804, 0x01020304)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read(0x2701804, 4)).data, (std::vector<std::uint8_t>{4, 3, 2, 1}));
    EXPECT_EQ(b.core.statistics().window.bytes_written, 4u);
}

TEST(CoreWindow, RefusalsOfTheCoreAndOfTheWrapper) {
    CoreBench b("b");
    elaborate();
    EXPECT_EQ(b.reply(b.host.write32(FakeCore::Hole, 1)).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read(FakeCore::Hole + 400, 500)).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read(isa::window::Size - 2, 4)).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read(0, 4)).status, ::tlm::TLM_OK_RESPONSE);
    static unsigned char enables[] = {0xff};
    auto& t = b.host.pool.make(::tlm::TLM_WRITE_COMMAND, 0, 4);
    t.set_byte_enable_ptr(enables);
    t.set_byte_enable_length(1);
    EXPECT_EQ(b.reply(b.host.send(t, tlm::now())).status, ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    std::vector<std::uint8_t> data(4);
    EXPECT_EQ(b.host.debug(::tlm::TLM_READ_COMMAND, FakeCore::Hole, data), 0u);
}

TEST(CoreWindow, CarriesSixteenDmaEnginesBothWays) {
    CoreBench b("b", {4, 128, 0, 2}, false);
    elaborate();
    constexpr int Count = 4000;
    for (int i = 0; i < Count; ++i) {
        b.host.write(512 * i, std::vector<std::uint8_t>(512, 1));
        b.host.read(512 * i + (16 << 20), 512);
    }
    const auto start = std::chrono::steady_clock::now();
    sc_core::sc_start();
    const double wall =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    const double time = static_cast<double>(tlm::now()) / 1e6;
    std::printf("%.0f GB/s each way, %.3f us of wall time per cycle\n", Count * 512 / time,
                wall / static_cast<double>(b.core.statistics().evaluated_cycles));
    EXPECT_GE(Count * 512 / time, 16 * 27.2);
}

}  // namespace
}  // namespace trnsim::test
