// Compares the figures of links, memories and DMA engines with the traffic and the faults.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "arch/addresses/pooled.hpp"
#include "model/common/programs.hpp"
#include "model/processes/run.hpp"
#include "model/system/load_server.hpp"
#include "runtime/communicator/server_statistics.hpp"

namespace trnsim::communicator {
namespace {

using nlohmann::json;
using tlm::neuronlink::End;

constexpr std::uint64_t Source = 0x2000000, Sink = 0x8000000;
constexpr std::uint32_t Length = 300'001;
constexpr unsigned Engine = 3;

// Returns the end at the first chip of the cable between two chips.
End end_towards(const tlm::neuronlink::Topology& topology, unsigned from, unsigned to) {
    for (const auto& cable : topology.cables) {
        if (cable.a.chip == from && cable.b.chip == to) return cable.a;
        if (cable.b.chip == from && cable.a.chip == to) return cable.b;
    }
    throw std::logic_error("no cable");
}

// Chip 0 pushes bytes to chip 1; the frames with these numbers are damaged on their way. Returns the
// statistics and the counts of the wire itself.
json push(const std::vector<std::uint64_t>& damaged) {
    return json::parse(tlm::processes::run(1, [&](tlm::processes::Exchange& exchange) {
        config::Server description = tlm::load_server("trn1-4");
        tlm::LinkedServer linked(description, {.check_protocol = true, .exchange = &exchange});
        const End end = end_towards(linked.network().topology(), 0, 1);
        for (const std::uint64_t frame : damaged) linked.network().wire(end).faults().damage(frame, {7});
        linked.server().write(0, Source, std::vector<std::uint8_t>(Length, 1));
        test::ChipAccess access{linked.server(), 0};
        test::start(access, {.core = 0,
                             .engine = Engine,
                             .from = Source,
                             .to = addresses::pooled_address(1, Sink),
                             .length = Length});
        const tlm::RunResult result = linked.run();
        if (result.outcome != tlm::Outcome::Done) throw std::runtime_error(result.message);
        json counted = json::parse(server_statistics(linked));
        counted["wire_frames"] = linked.network().wire(end).faults().frames();
        return counted.dump();
    }));
}

const json& link(const json& statistics, char from, char to) {
    for (const json& link : statistics.at("links")) {
        if (link.at("from").get<std::string>()[0] == from && link.at("to").get<std::string>()[0] == to)
            return link;
    }
    throw std::logic_error("no link");
}

TEST(ServerStatistics, OfWhatWasPushed) {
    const json counted = push({});
    EXPECT_EQ(counted.at("links").size(), 12u);
    for (const json& each : counted.at("links")) {
        const bool pushed = each == link(counted, '0', '1');
        EXPECT_EQ(each.at("sent").at("bytes"), pushed ? Length : 0u) << each;
        EXPECT_EQ(each.at("received").at("bytes"), each.at("sent").at("bytes")) << each;
        EXPECT_EQ(each.at("received").at("packets"), each.at("sent").at("packets")) << each;
        for (const char* name : {"repeated_packets", "retries", "damaged_frames", "lost_packets"})
            EXPECT_EQ(each.at("sent").at(name), 0u) << name << each;
        EXPECT_EQ(each.at("received").at("crc_errors"), 0u);
        EXPECT_EQ(each.at("sent").at("working_lanes"), 16u);
        for (const char* name : {"outages", "outage_seconds", "given_up"})
            EXPECT_EQ(each.at("sent").at(name), 0) << name << each;
    }
    const json& sent = link(counted, '0', '1').at("sent");
    EXPECT_EQ(sent.at("frames"), counted.at("wire_frames"));
    EXPECT_EQ(sent.at("frames"),
              sent.at("packets").get<unsigned>() + sent.at("control_frames").get<unsigned>());
    EXPECT_NEAR(sent.at("utilisation").get<double>() * counted.at("time_seconds").get<double>(),
                sent.at("busy_seconds").get<double>(), 1e-15);
    ASSERT_EQ(counted.at("chips").size(), 4u);
    EXPECT_EQ(counted.at("chips")[0].at("dma")[Engine].at("bytes_read"), Length);
    EXPECT_EQ(counted.at("chips")[0].at("dma")[Engine].at("bytes_written"), Length);
    std::uint64_t written = 0;
    for (const json& stack : counted.at("chips")[1].at("hbm"))
        written += stack.at("bytes_written").get<unsigned>();
    EXPECT_EQ(written, Length);
}

TEST(ServerStatistics, EveryDamagedFrameIsARetry) {
    const json clean = push({}), counted = push({3, 203, 403});
    const json &sent = link(counted, '0', '1').at("sent"), &received = link(counted, '0', '1').at("received");
    EXPECT_EQ(sent.at("damaged_frames"), 3u);
    EXPECT_EQ(received.at("crc_errors"), 3u);
    EXPECT_EQ(sent.at("retries"), 3u);
    EXPECT_GE(sent.at("repeated_packets"), 3u);
    EXPECT_EQ(sent.at("frames"), counted.at("wire_frames"));
    EXPECT_EQ(sent.at("bytes"), Length);
    EXPECT_EQ(received.at("bytes"), Length);
    EXPECT_EQ(sent.at("packets"), link(clean, '0', '1').at("sent").at("packets"));
    EXPECT_GT(sent.at("busy_seconds"), link(clean, '0', '1').at("sent").at("busy_seconds"));
}

TEST(ServerStatistics, ChannelsOfBanks) {
    const std::string text = tlm::processes::run(1, [](tlm::processes::Exchange& exchange) {
        config::Server description = tlm::load_server("trn1-4");
        description.chip.hbm.model = "banked";
        tlm::LinkedServer linked(description, {.exchange = &exchange});
        test::ChipAccess access{linked.server(), 0};
        test::start(access, {.core = 0,
                             .engine = Engine,
                             .from = Source,
                             .to = addresses::pooled_address(1, Sink),
                             .length = 65'536});
        if (linked.run().outcome != tlm::Outcome::Done) throw std::runtime_error("not done");
        return server_statistics(linked);
    });
    const json counted = json::parse(text);
    std::uint64_t written = 0;
    for (const json& stack : counted.at("chips")[1].at("hbm")) {
        for (const json& channel : stack.at("channels")) {
            written += channel.at("bytes_written").get<unsigned>();
            const std::uint64_t bursts =
                (channel.at("bytes_written").get<unsigned>() + channel.at("bytes_read").get<unsigned>()) / 32;
            EXPECT_EQ(channel.at("row_hits").get<unsigned>() + channel.at("row_misses").get<unsigned>() +
                          channel.at("row_conflicts").get<unsigned>(),
                      bursts);
        }
    }
    EXPECT_EQ(written, 65'536u);
}

}  // namespace
}  // namespace trnsim::communicator
