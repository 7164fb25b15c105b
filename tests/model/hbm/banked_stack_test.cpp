#include "model/hbm/banked_stack.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/random.hpp"
#include "model/common/host.hpp"
#include "model/hbm/command_checker.hpp"

namespace trnsim::tlm::hbm {
namespace {

constexpr Time Us = 1'000'000'000;
constexpr std::uint64_t Capacity = 64ULL << 20;

config::Hbm banked() {
    config::Hbm hbm = config::load("trn1").hbm;
    hbm.model = "banked";
    hbm.capacity = Capacity;
    return hbm;
}

struct Bench : sc_core::sc_module, CommandSink {
    explicit Bench(const sc_core::sc_module_name& name, const config::Hbm& hbm = banked(),
                   perturb::Seed seed = {}, bool traced = true)
        : sc_module(name), stack("stack", hbm, {seed, "stack"}, {}, traced ? this : nullptr), host("host") {
        checkers.bind(host.port.socket, stack.port.socket);
    }
    ~Bench() override { EXPECT_EQ(checkers.findings(), std::vector<std::string>{}); }

    void command(const CommandRecord& record) override { trace.push_back(record); }
    test::Reply reply(std::uint64_t number) {
        sc_core::sc_start();
        return host.replies.at(number);
    }

    std::vector<CommandRecord> trace;
    test::Checkers checkers;
    BankedStack stack;
    test::Host host;
};

bool is_read(const CommandRecord& record) {
    return record.command == Command::Read || record.command == Command::ReadAuto;
}
bool is_write(const CommandRecord& record) {
    return record.command == Command::Write || record.command == Command::WriteAuto;
}

TEST(BankedStack, KeepsWhatWasWritten) {
    Bench b("b");
    test::elaborate();
    const auto data = test::pattern(777, 1);
    EXPECT_EQ(b.reply(b.host.write(1001, data)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read(1001, 777)).data, data);
    EXPECT_EQ(b.stack.traffic().bytes_written, 777u);
    EXPECT_EQ(b.stack.traffic().bytes_read, 777u);
}

TEST(BankedStack, UnloadedLatency) {
    const config::Hbm hbm = banked();
    const config::DramTiming t = timing_of(hbm.banked);
    Bench b("b", hbm);
    test::elaborate();
    // The time is one cycle to the clock edge, the row, and the burst.
    EXPECT_EQ(b.reply(b.host.read(0, 32)).at,
              (1 + t.rcd_rd + t.cl + BurstCycles) * hbm.banked.tck + hbm.banked.read_latency);
    Time start = now();
    EXPECT_EQ(b.reply(b.host.read(32, 32)).at,
              (start / hbm.banked.tck + 1 + t.cl + BurstCycles) * hbm.banked.tck + hbm.banked.read_latency)
        << "the row is open";
    start = now();
    EXPECT_EQ(b.reply(b.host.write(0, test::pattern(32, 2))).at,
              (start / hbm.banked.tck + 1) * hbm.banked.tck + hbm.banked.write_latency);
    EXPECT_EQ(config::unloaded_read_latency(hbm), 120'000'000u) << "preset A: 28.75 ns of DRAM";
}

TEST(BankedStack, RefusesAddressesBeyondItsCapacity) {
    Bench b("b");
    test::elaborate();
    EXPECT_EQ(b.reply(b.host.read(Capacity - 4, 4)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read(Capacity - 4, 5)).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.reply(b.host.write(~std::uint64_t{0}, {1})).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    std::vector<std::uint8_t> data(8);
    EXPECT_EQ(b.host.debug(::tlm::TLM_READ_COMMAND, Capacity - 4, data), 0u);
}

TEST(BankedStack, BackDoorSeesWritesThatWaitForTheirCommands) {
    Bench b("b");
    test::elaborate();
    b.host.write(64, {1, 2, 3});
    std::vector<std::uint8_t> back(3);
    EXPECT_EQ(b.host.debug(::tlm::TLM_READ_COMMAND, 64, back), 3u);
    EXPECT_EQ(back, (std::vector<std::uint8_t>{1, 2, 3}));
    sc_core::sc_start();
}

TEST(BankedStack, RefusesDirectMemoryBecauseTimeAlwaysCounts) {
    Bench b("b");
    test::elaborate();
    Payload payload;
    payload.set_address(0);
    payload.set_command(::tlm::TLM_READ_COMMAND);
    ::tlm::tlm_dmi region;
    EXPECT_FALSE(b.stack.port.socket.get_base_export()->get_direct_mem_ptr(payload, region));
}

// Compares the responses with a flat memory, and with the bytes that the commands, in their order, move in
// the test's own DRAM.
TEST(BankedStack, CommandsMoveWhatTheResponsesHave) {
    auto random = test::generator();
    config::Hbm hbm = banked();
    hbm.banked.write_high = 8;
    hbm.banked.write_low = 2;
    hbm.banked.mapping = random() % 2 == 0 ? "interleaved" : "hashed";
    hbm.banked.page_policy = random() % 2 == 0 ? "adaptive" : "closed";
    Bench b("b", hbm);
    test::elaborate();
    struct Request {
        std::uint64_t number, address;
        std::vector<std::uint8_t> written;  // empty for a read
        std::uint64_t length;
        std::vector<std::uint8_t> expected;
    };
    constexpr std::uint64_t Hot = 8192, Stride = 256 << 10;  // a few bytes of four rows of every bank
    std::vector<std::uint8_t> flat(4 * Hot);
    std::vector<Request> requests;
    const std::uint64_t count = 3000 * test::scale();
    Time at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t row = random() % 4, length = 1 + random() % 600,
                            offset = random() % (Hot - length);
        const std::uint64_t address = row * Stride + offset;
        at += random() % 8 * 1'000'000;
        Request request{0, address, {}, length, {}};
        const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(row * Hot + offset);
        if (random() % 2 == 0) {
            request.written = test::pattern(length, random());
            std::ranges::copy(request.written, begin);
            request.number = b.host.write(address, request.written, at);
        } else {
            request.expected.assign(begin, begin + static_cast<std::ptrdiff_t>(length));
            request.number = b.host.read(address, static_cast<std::uint32_t>(length), at);
        }
        requests.push_back(std::move(request));
    }
    sc_core::sc_start();

    const Mapping mapping(hbm.banked.mapping);
    std::map<std::tuple<unsigned, unsigned, unsigned, std::uint32_t, unsigned>, std::vector<std::uint8_t>>
        dram;
    std::vector<std::vector<std::uint8_t>> moved(count);
    std::vector<Cycle> last(count);
    std::vector<test::CommandChecker> checkers(Channels, test::CommandChecker(timing_of(hbm.banked)));
    // The trace is in the order of time for each channel.
    for (const CommandRecord& record : b.trace) {
        checkers[record.channel].command(record);
        if (!is_read(record) && !is_write(record)) continue;
        const std::uint64_t number = record.sequence - 1;
        Request& request = requests.at(number);
        moved[number].resize(request.length);
        last[number] = std::max(last[number], record.at);
        auto& cell = dram[{record.channel, record.pseudo, record.bank, record.row, record.column}];
        cell.resize(BurstBytes);
        for (std::uint64_t burst = request.address / BurstBytes * BurstBytes;
             burst < request.address + request.length; burst += BurstBytes) {
            if (mapping.decode(burst) !=
                Location{record.channel, record.pseudo, record.bank, record.row, record.column})
                continue;
            for (unsigned i = 0; i < BurstBytes; ++i) {
                if (burst + i < request.address || burst + i >= request.address + request.length) continue;
                std::uint8_t& byte = moved[number][burst + i - request.address];
                if (is_write(record)) cell[i] = request.written[burst + i - request.address];
                byte = cell[i];
            }
        }
    }
    for (const test::CommandChecker& checker : checkers)
        EXPECT_TRUE(checker.broken().empty()) << testing::PrintToString(checker.broken());
    unsigned reordered = 0;
    Cycle newest = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const test::Reply reply = b.host.replies.at(requests[i].number);
        ASSERT_EQ(reply.status, ::tlm::TLM_OK_RESPONSE);
        if (requests[i].written.empty()) {
            ASSERT_EQ(reply.data, requests[i].expected) << "request " << i;
            ASSERT_EQ(moved[i], requests[i].expected) << "request " << i;
            const config::DramTiming t = timing_of(hbm.banked);
            EXPECT_EQ(reply.at, (last[i] + t.cl + BurstCycles) * hbm.banked.tck + hbm.banked.read_latency);
        } else {
            ASSERT_EQ(moved[i], requests[i].written) << "request " << i;
        }
        reordered += last[i] < newest;
        newest = std::max(newest, last[i]);
    }
    EXPECT_GT(reordered, count / 20) << "the commands are not simply in order";
}

TEST(BankedStack, SustainsItsBandwidth) {
    const config::Hbm hbm = banked();
    Bench b("b", hbm, {}, false);
    test::elaborate();
    constexpr std::uint64_t Count = 8000, Bytes = 4096;
    for (std::uint64_t i = 0; i < Count; ++i) b.host.read(i * Bytes % Capacity, Bytes);
    sc_core::sc_start();
    Time last = 0;
    for (const auto& [number, reply] : b.host.replies) last = std::max(last, reply.at);
    const config::DramTiming t = timing_of(hbm.banked);
    const double peak = static_cast<double>(config::peak_bandwidth(hbm)) / static_cast<double>(hbm.stacks);
    EXPECT_NEAR(peak, 409.6e9, 1);
    const double bound = peak * (1 - static_cast<double>(t.rfc_ab) / static_cast<double>(t.refi));
    const double got = Count * Bytes / (static_cast<double>(last) / FsPerSecond);
    EXPECT_LE(got, bound * 1.01);
    EXPECT_GE(got, bound * 0.95);
}

TEST(BankedStack, CostsNothingWhileIdle) {
    Bench b("b", banked(), {}, false);
    test::elaborate();
    b.reply(b.host.read(0, 64));
    sc_core::sc_start(to_sc(100 * Us));
    const auto deltas = sc_core::sc_delta_count();
    EXPECT_FALSE(sc_core::sc_pending_activity());
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    EXPECT_LE(sc_core::sc_delta_count() - deltas, 1u);
    const DramCounts counts = sum(b.stack.dram()->channels);
    const config::Hbm hbm = banked();
    const auto expected = static_cast<double>(now()) / static_cast<double>(timing_of(hbm.banked).refi) /
                          static_cast<double>(hbm.banked.tck) * Channels * PseudoChannels;
    EXPECT_NEAR(static_cast<double>(counts.all_refreshes), expected, 2.0 * Channels * PseudoChannels)
        << "all of them are counted";
}

// Counting refreshes in closed form gives the same counts as issuing them one by one.
TEST(BankedStack, IdleRefreshesAreCountedAsIfTheyWereGiven) {
    for (const char* refresh : {"all_bank", "per_bank"}) {
        config::BankedHbm hbm = banked().banked;
        hbm.refresh = refresh;
        struct Nobody : Requester, CommandSink {
            void admitted(const Entry&, Cycle) override {}
            void moved(const Entry&, Cycle at) override { last = at; }
            void command(const CommandRecord&) override {}
            Cycle last = 0;
        } one, two;
        Channel skipping(hbm, 3, one), giving(hbm, 3, two, &two);
        for (Channel* channel : {&skipping, &giving}) {
            channel->add(0, {10, 1, 0, 7, 5, 0, 4, false});
            channel->advance(3'000'000);
            channel->add(1, {3'000'123, 2, 0, 7, 5, 0, 4, true});
            channel->advance(9'000'000);
        }
        const DramCounts a = skipping.counts(9'000'000), b = giving.counts(9'000'000);
        EXPECT_EQ(a.all_refreshes + a.bank_refreshes, b.all_refreshes + b.bank_refreshes) << refresh;
        EXPECT_GT(a.all_refreshes + a.bank_refreshes, 2000u);
        EXPECT_EQ(a.open_cycles, b.open_cycles);
        EXPECT_EQ(one.last, two.last);
    }
}

TEST(BankedStack, CorrectsAWrongBitAndWritesItBack) {
    Bench b("b");
    test::elaborate();
    const auto data = test::pattern(64, 1);
    b.reply(b.host.write(128, data));
    b.trace.clear();
    b.stack.inject(136, stored_bit(17));
    EXPECT_EQ(b.reply(b.host.read(128, 64)).data, data);
    EXPECT_EQ(b.stack.dram()->corrected, 1u);
    EXPECT_EQ(std::ranges::count_if(b.trace, is_write), 1) << "the scrub";
    EXPECT_EQ(b.reply(b.host.read(128, 64)).data, data);
    EXPECT_EQ(b.stack.dram()->corrected, 1u);
    EXPECT_EQ(b.stack.dram()->uncorrected, 0u);
}

TEST(BankedStack, RefusesAWordWithTwoWrongBits) {
    Bench b("b");
    test::elaborate();
    b.stack.inject(136, stored_bit(17) ^ stored_bit(65));
    EXPECT_EQ(b.reply(b.host.read(128, 64)).status, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(b.stack.dram()->uncorrected, 1u);
    EXPECT_EQ(b.reply(b.host.read(128, 8)).status, ::tlm::TLM_OK_RESPONSE) << "the word beside it";
    EXPECT_EQ(b.reply(b.host.write(136, test::pattern(8, 3))).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.reply(b.host.read(128, 64)).status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.stack.dram()->uncorrected, 1u);
}

TEST(BankedStack, WithoutErrorCorrectionAWrongBitIsRead) {
    config::Hbm hbm = banked();
    hbm.banked.ecc = 0;
    Bench b("b", hbm);
    test::elaborate();
    b.stack.inject(8, stored_bit(1));
    EXPECT_EQ(b.reply(b.host.read(8, 1)).data, std::vector<std::uint8_t>{2});
    EXPECT_EQ(b.stack.dram()->corrected, 0u);
}

TEST(BankedStack, InjectsAsOftenAsItIsTold) {
    config::Hbm hbm = banked();
    hbm.banked.single_upset_every = 10;
    Bench b("b", hbm);
    test::elaborate();
    const auto data = test::pattern(512, 4);
    b.reply(b.host.write(0, data));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(b.reply(b.host.read(0, 512)).data, data);
    EXPECT_EQ(b.stack.dram()->corrected, 10u);
}

TEST(BankedStack, PerturbedAnswersComeLateAndOutOfOrder) {
    Bench b("b", banked(), 1);
    test::elaborate();
    std::vector<std::uint64_t> numbers;
    for (unsigned i = 0; i < 500; ++i) numbers.push_back(b.host.read(64 * i, 64, i * 20'000'000));
    sc_core::sc_start();
    unsigned overtaken = 0;
    for (std::size_t i = 1; i < numbers.size(); ++i)
        overtaken += b.host.replies.at(numbers[i]).at < b.host.replies.at(numbers[i - 1]).at;
    EXPECT_GT(overtaken, 10u);
}

// b_transport from a thread takes as long as the four phases.
struct BlockingBench : sc_core::sc_module {
    explicit BlockingBench(const sc_core::sc_module_name& name)
        : sc_module(name), stack("stack", banked()), host("host"), checker("checker") {
        host.port.socket.bind(checker.target);
        checker.initiator.bind(stack.port.socket);
        SC_HAS_PROCESS(BlockingBench);
        SC_THREAD(run);
    }
    void run() {
        auto& t = host.pool.make(::tlm::TLM_READ_COMMAND, 0, 32);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        host.port.socket->b_transport(t, delay);
        taken = now() + delay.value();
        status = t.get_response_status();
        t.release();
    }
    BankedStack stack;
    test::Host host;
    protocol::Checker checker;
    Time taken = 0;
    Response status = ::tlm::TLM_INCOMPLETE_RESPONSE;
};

TEST(BankedStack, BlockingTransport) {
    BlockingBench b("b");
    sc_core::sc_start();
    const config::Hbm hbm = banked();
    EXPECT_EQ(b.taken, config::unloaded_read_latency(hbm) + (1 + BurstCycles) * hbm.banked.tck);
    EXPECT_EQ(b.status, ::tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(b.checker.violations().empty());
}

}  // namespace
}  // namespace trnsim::tlm::hbm
