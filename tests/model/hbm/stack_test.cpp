#include "model/hbm/stack.hpp"

#include <gtest/gtest.h>

#include "model/common/host.hpp"

namespace trnsim::tlm::hbm {
namespace {

constexpr Time Ns = 1'000'000;
constexpr StackTiming Timing{1 << 20, 410'000'000'000, 120 * Ns, 60 * Ns};

struct Bench : sc_core::sc_module {
    explicit Bench(const sc_core::sc_module_name& name, perturb::Seed seed = {})
        : sc_module(name), stack("stack", Timing, {seed, "stack"}), host("host") {
        checkers.bind(host.port.socket, stack.port.socket);
    }
    ~Bench() override { EXPECT_EQ(checkers.findings(), std::vector<std::string>{}); }

    test::Reply reply(std::uint64_t number) {
        sc_core::sc_start();
        return host.replies.at(number);
    }

    test::Checkers checkers;
    Stack stack;
    test::Host host;
};

TEST(Stack, KeepsWhatWasWritten) {
    Bench b("b");
    test::elaborate();
    const auto data = test::pattern(777, 1);
    EXPECT_EQ(b.reply(b.host.write(1001, data)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read(1001, 777)).data, data);
    EXPECT_EQ(b.stack.traffic().bytes_written, 777u);
    EXPECT_EQ(b.stack.traffic().bytes_read, 777u);
}

TEST(Stack, UnloadedLatency) {
    Bench b("b");
    test::elaborate();
    const Time transfer = duration(512, Timing.bandwidth);
    EXPECT_EQ(b.reply(b.host.read(0, 512)).at, 120 * Ns + transfer);
    Time start = now();
    EXPECT_EQ(b.reply(b.host.write(0, test::pattern(512, 2))).at - start, 60 * Ns + transfer);
    start = now();
    EXPECT_EQ(b.reply(b.host.read(0, 4)).at - start, 120 * Ns + duration(AccessBytes, Timing.bandwidth));
}

TEST(Stack, SustainsItsBandwidth) {
    Bench b("b");
    test::elaborate();
    constexpr int Count = 2000;
    std::uint64_t last = 0;
    for (int i = 0; i < Count; ++i) {
        last = i % 2 == 0 ? b.host.read(512 * (i % 1000), 512)
                          : b.host.write(512 * (i % 1000), test::pattern(512, i));
    }
    const Time busy = b.reply(last).at - 60 * Ns;  // the last is a write
    EXPECT_NEAR(static_cast<double>(busy), 1e15 * Count * 512 / 410e9, 1e15 * Count * 512 / 410e9 * 1e-4);
}

TEST(Stack, HoldsRequestsOffBeyondItsBacklog) {
    Bench b("b");
    test::elaborate();
    for (int i = 0; i < 300; ++i) b.host.read(512 * i, 512);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_GE(b.stack.traffic().bytes_read, BacklogBytes);
    EXPECT_LE(b.stack.traffic().bytes_read, BacklogBytes + 512);  // one request may exceed the limit
    sc_core::sc_start();
    EXPECT_EQ(b.stack.traffic().bytes_read, 300u * 512);
}

TEST(Stack, RefusesAddressesBeyondItsCapacity) {
    Bench b("b");
    test::elaborate();
    EXPECT_EQ(b.reply(b.host.read((1 << 20) - 4, 4)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read((1 << 20) - 4, 5)).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.reply(b.host.write(~std::uint64_t{0}, {1})).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    std::vector<std::uint8_t> data(8);
    EXPECT_EQ(b.host.debug(::tlm::TLM_READ_COMMAND, (1 << 20) - 4, data), 0u);
}

TEST(Stack, HonoursByteEnables) {
    Bench b("b");
    test::elaborate();
    static unsigned char enables[] = {0xff, 0x00};
    auto& t = b.host.pool.make(::tlm::TLM_WRITE_COMMAND, 0, 4);
    std::fill_n(t.get_data_ptr(), 4, std::uint8_t{0x77});
    t.set_byte_enable_ptr(enables);
    t.set_byte_enable_length(2);
    b.reply(b.host.send(t, now()));
    EXPECT_EQ(b.reply(b.host.read(0, 4)).data, (std::vector<std::uint8_t>{0x77, 0, 0x77, 0}));
}

TEST(Stack, BackDoorTakesNoTime) {
    Bench b("b");
    test::elaborate();
    auto data = test::pattern(100, 3);
    EXPECT_EQ(b.host.debug(::tlm::TLM_WRITE_COMMAND, 5, data), 100u);
    std::vector<std::uint8_t> back(100);
    EXPECT_EQ(b.host.debug(::tlm::TLM_READ_COMMAND, 5, back), 100u);
    EXPECT_EQ(back, data);
    EXPECT_EQ(now(), 0u);
    EXPECT_EQ(b.stack.traffic().reads, 0u);
}

// b_transport from a thread takes as long as the four phases.
struct BlockingBench : sc_core::sc_module {
    explicit BlockingBench(const sc_core::sc_module_name& name)
        : sc_module(name), stack("stack", Timing), host("host"), checker("checker") {
        host.port.socket.bind(checker.target);
        checker.initiator.bind(stack.port.socket);
        SC_HAS_PROCESS(BlockingBench);
        SC_THREAD(run);
    }
    void run() {
        auto& t = host.pool.make(::tlm::TLM_READ_COMMAND, 0, 512);
        sc_core::sc_time delay = to_sc(10 * Ns);
        host.port.socket->b_transport(t, delay);
        taken = now() + delay.value();
        status = t.get_response_status();
        t.release();
    }
    Stack stack;
    test::Host host;
    protocol::Checker checker;
    Time taken = 0;
    Response status = ::tlm::TLM_INCOMPLETE_RESPONSE;
};

TEST(Stack, BlockingTransport) {
    BlockingBench b("b");
    sc_core::sc_start();
    EXPECT_EQ(b.taken, 130 * Ns + duration(512, Timing.bandwidth));
    EXPECT_EQ(b.status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(b.checker.violations().empty());
}

// Accesses under way at the same time may take place in any order; an answered access has taken place.
TEST(Stack, PerturbedAccessesOvertakeEachOther) {
    Bench b("b", 1);
    test::elaborate();
    unsigned before = 0, after = 0, overtaken = 0;
    for (std::uint8_t round = 1; round <= 100; ++round) {
        const auto write = b.host.write(0, {round});
        const auto read = b.host.read(0, 1);
        const auto other = b.host.read(64, 1);
        sc_core::sc_start();
        const std::uint8_t seen = b.host.replies.at(read).data[0];
        ASSERT_TRUE(seen == round || seen + 1 == round) << unsigned{seen};
        (seen == round ? after : before) += 1;
        overtaken += b.host.replies.at(other).at < b.host.replies.at(read).at;
        EXPECT_EQ(b.reply(b.host.read(0, 1)).data[0], round);
        EXPECT_GE(b.host.replies.at(write).at, 60 * Ns);
    }
    EXPECT_GT(before, 10u);
    EXPECT_GT(after, 10u);
    EXPECT_GT(overtaken, 10u);
}

TEST(Stack, PerturbedRefusalsAreAnswered) {
    Bench b("b", 1);
    test::elaborate();
    EXPECT_EQ(b.reply(b.host.read((1 << 20) - 2, 4)).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.stack.traffic().reads, 0u);
}

}  // namespace
}  // namespace trnsim::tlm::hbm
