// Tests collective cores between two hosts: one writes their registers, the other answers their writes.
#include <gtest/gtest.h>

#include <cstring>

#include "common/temporary_directory.hpp"
#include "model/collectives/collective_cores.hpp"
#include "model/common/host.hpp"

namespace trnsim::test {
namespace {

using tlm::collectives::CollectiveCores;

constexpr std::uint64_t Refused = 0xbad0;

// Takes 32-bit writes and answers them 100 ns later.
class Target : public sc_core::sc_module, private tlm::protocol::TargetModel {
  public:
    explicit Target(const sc_core::sc_module_name& name) : sc_module(name), port("port", *this) {}
    tlm::protocol::TargetPort port;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> seen;

  private:
    bool request(tlm::Payload& payload, tlm::Time at) override {
        std::uint32_t value = 0;
        std::memcpy(&value, payload.get_data_ptr(), sizeof(value));
        seen.emplace_back(payload.get_address(), value);
        payload.set_response_status(payload.get_address() == Refused ? ::tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                                     : ::tlm::TLM_OK_RESPONSE);
        port.respond(payload, at + 100'000'000);
        return true;
    }
    unsigned debug(tlm::Payload&) override { return 0; }
};

// Keeps the entries of collective cores.
struct Notes : tlm::trace::Sink {
    void instruction(const tlm::trace::Instruction&) override {}
    void packet(const tlm::trace::Packet&) override {}
    void collective_entry(const tlm::trace::CollectiveEntry& entry) override { entries.push_back(entry); }

    std::vector<tlm::trace::CollectiveEntry> entries;
};

struct Bench {
    Bench()
        : host("host"),
          target("target"),
          cores(
              "cores", [this] { ++rests; }, {}, &notes, 7) {
        checkers.bind(host.port.socket, cores.registers.socket);
        checkers.bind(cores.port.socket, target.port.socket);
        elaborate();
    }
    ~Bench() { EXPECT_EQ(checkers.findings(), std::vector<std::string>{}); }

    tlm::Response write(unsigned core, std::uint64_t offset, std::uint32_t value) {
        const auto tag = host.write32(core * collective_cores::Stride + offset, value);
        sc_core::sc_start(1, sc_core::SC_US);
        return host.replies.at(tag).status;
    }
    tlm::Response flag(unsigned core, unsigned number, std::uint32_t value = 1) {
        return write(core, collective_cores::Flags + 4 * number, value);
    }
    std::vector<std::uint64_t> addresses() const {
        std::vector<std::uint64_t> all;
        for (const auto& [address, value] : target.seen) all.push_back(address);
        return all;
    }

    Checkers checkers;
    Host host;
    Target target;
    int rests = 0;
    Notes notes;
    CollectiveCores cores;
};

using Addresses = std::vector<std::uint64_t>;
constexpr auto Ok = ::tlm::TLM_OK_RESPONSE, Error = ::tlm::TLM_ADDRESS_ERROR_RESPONSE;

TEST(CollectiveCores, ChannelsWaitInOrderAndOvertakeEachOther) {
    Bench bench;
    bench.cores.load(
        4, {{{{{{0, 2}}, {{0x10, 7}}}, {{}, {{0x14, 8}, {0x18, 9}}}}, {{{{1, 1}, {2, 1}}, {{0x20, 1}}}}}});
    EXPECT_TRUE(bench.cores.idle());
    EXPECT_FALSE(bench.cores.has_run());
    EXPECT_EQ(bench.flag(4, 0), Ok);
    EXPECT_EQ(bench.write(4, collective_cores::Start, 1), Ok);
    EXPECT_EQ(bench.flag(4, 2), Ok);
    EXPECT_EQ(bench.addresses(), Addresses{});
    EXPECT_EQ(bench.cores.state(),
              "collective core 4, channel 0 at entry 0 of 2, flag 0 is 1 of 2; "
              "collective core 4, channel 1 at entry 0 of 1, flag 1 is 0 of 1");
    bench.flag(4, 1);
    EXPECT_EQ(bench.addresses(), (Addresses{0x20}));
    bench.flag(4, 0);
    EXPECT_EQ(bench.addresses(), (Addresses{0x20, 0x10, 0x14, 0x18}));
    EXPECT_EQ(bench.target.seen[1].second, 7u);
    EXPECT_TRUE(bench.cores.idle());
    EXPECT_EQ(bench.rests, 1);
    EXPECT_EQ(bench.cores.started(4), 1'000'000'000u);
    EXPECT_EQ(bench.cores.ended(4), 4'000'000'000u + 100'000'000u) << "with the last answer";
}

// The entries of a channel follow each other without a gap, from the start until the last one leaves.
TEST(CollectiveCores, ReportsWhenEntriesLeave) {
    Bench bench;
    bench.cores.load(
        4, {{{{{{0, 2}}, {{0x10, 7}}}, {{}, {{0x14, 8}, {0x18, 9}}}}, {{{{1, 1}, {2, 1}}, {{0x20, 1}}}}}});
    bench.write(4, collective_cores::Start, 1);
    for (const unsigned flag : {0u, 2u, 1u, 0u}) bench.flag(4, flag);
    std::vector<std::vector<std::uint64_t>> found;
    for (const auto& entry : bench.notes.entries) {
        EXPECT_EQ(entry.chip, 7u);
        EXPECT_EQ(entry.core, 4u);
        found.push_back({entry.channel, entry.entry, entry.waits, entry.doorbells, entry.start / FsPerUs,
                         entry.end / FsPerUs});
    }
    EXPECT_EQ(found, (std::vector<std::vector<std::uint64_t>>{
                         {1, 0, 2, 1, 0, 3}, {0, 0, 1, 1, 0, 4}, {0, 1, 0, 2, 4, 4}}));
}

// Each channel goes on where it waited, with its counts: nothing is lost and nothing is done twice.
TEST(CollectiveCores, GoOnFromACheckpoint) {
    Bench bench;
    const collective_cores::Program program{
        {{{{{0, 1}}, {{0x10, 7}}}, {{{1, 2}}, {{0x14, 8}}}}, {{{{2, 1}}, {{0x20, 1}}}}}};
    bench.cores.load(4, program);
    bench.write(4, collective_cores::Start, 1);
    bench.flag(4, 0);
    bench.flag(4, 1);
    EXPECT_TRUE(bench.cores.quiescent());
    const auto state = bench.cores.save();
    const std::string waits = bench.cores.state();
    bench.cores.stop();
    bench.cores.clear();
    const auto error = [&] { return message_of<checkpoint::Error>([&] { bench.cores.load(state); }); };
    EXPECT_EQ(error(), "2 channels of a collective core in the checkpoint, expected 0");
    bench.cores.load(4, {{program.channels[0], {}}});
    EXPECT_EQ(error(), "3 flags of a collective core in the checkpoint, expected 2");
    bench.cores.load(4, {{{program.channels[1].front()}, program.channels[0]}});
    EXPECT_EQ(error(), "");
    bench.cores.clear();
    bench.cores.load(4, {{{}, program.channels[1]}});
    EXPECT_EQ(error(), "entry 1 of a channel of 0 in the checkpoint");
    bench.cores.clear();
    bench.cores.load(4, program);
    bench.cores.load(state);
    EXPECT_TRUE(bench.cores.has_run());
    EXPECT_FALSE(bench.cores.idle());
    EXPECT_EQ(bench.cores.state(), waits);
    bench.host.write32(4 * collective_cores::Stride + collective_cores::Flags + 4, 1);
    sc_core::sc_start(50, sc_core::SC_NS);
    EXPECT_FALSE(bench.cores.quiescent()) << "a write is not answered";
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_TRUE(bench.cores.quiescent());
    EXPECT_EQ(bench.addresses(), (Addresses{0x10, 0x14}));
    bench.flag(4, 2);
    EXPECT_EQ(bench.addresses(), (Addresses{0x10, 0x14, 0x20}));
    EXPECT_TRUE(bench.cores.idle());
}

TEST(CollectiveCores, AFlagCountsWhatIsWritten) {
    Bench bench;
    bench.cores.load(0, {{{{{{3, 10}}, {{0x10, 0}}}}}});
    bench.cores.start(0);
    bench.flag(0, 3, 9);
    EXPECT_EQ(bench.addresses(), Addresses{});
    bench.flag(0, 3, 5);
    EXPECT_EQ(bench.addresses(), (Addresses{0x10}));
    bench.cores.load(0, {{{{{{3, 10}}, {{0x10, 0}}}}}});  // flags are 0 after a load
    bench.cores.start(0);
    bench.flag(0, 3, 9);
    EXPECT_EQ(bench.addresses().size(), 1u);
    bench.flag(0, 3, 1);
    EXPECT_EQ(bench.addresses().size(), 2u);
}

TEST(CollectiveCores, WhatIsRefused) {
    Bench bench;
    bench.cores.load(1, {{{{{{3, 1}}, {}}}}});
    EXPECT_EQ(bench.flag(1, 3, 0), Ok);
    EXPECT_EQ(bench.flag(1, 4), Error) << "no flag of the program";
    EXPECT_EQ(bench.flag(2, 0), Error);
    EXPECT_EQ(bench.write(6, collective_cores::Start, 1), Error) << "six cores";
    EXPECT_EQ(bench.write(1, 4, 1), Error);
    const auto read = bench.host.read(collective_cores::Stride + collective_cores::Flags, 4, tlm::now());
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(bench.host.replies.at(read).status, Error);
    bench.cores.start(1);
    EXPECT_THROW(bench.cores.load(1, {}), std::logic_error);
    EXPECT_THROW(bench.cores.load(6, {}), std::out_of_range);
    EXPECT_THROW(bench.cores.load(0, {{{{{{collective_cores::FlagCount, 1}}, {}}}}}), std::out_of_range);
    bench.cores.stop();
    EXPECT_TRUE(bench.cores.idle());
}

TEST(CollectiveCores, AnAnswerThatIsAnErrorEndsTheCore) {
    Bench bench;
    bench.cores.load(2, {{{{{}, {{Refused, 1}}}, {{{0, 1}}, {}}}}});
    bench.cores.start(2);
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(bench.cores.error(), "collective core 2: write to 0xbad0: TLM_ADDRESS_ERROR_RESPONSE");
    EXPECT_TRUE(bench.cores.idle());
    EXPECT_EQ(bench.rests, 1);
    bench.cores.clear();
    EXPECT_EQ(bench.cores.error(), "");
}

}  // namespace
}  // namespace trnsim::test
