// A server in several processes gives the same times, bits and messages as in one.
#include <gtest/gtest.h>

#include "arch/addresses/pooled.hpp"
#include "arch/collective_cores/registers.hpp"
#include "arch/dma/registers.hpp"
#include "common/random.hpp"
#include "model/processes/run.hpp"
#include "model/system/frame_bytes.hpp"
#include "model/system/linked_server.hpp"
#include "model/system/load_server.hpp"

namespace trnsim::test {
namespace {

namespace neuronlink = tlm::neuronlink;
namespace processes = tlm::processes;
using neuronlink::Frame;
using processes::Exchange;
using tlm::LinkedServer;

constexpr unsigned Counts[] = {1, 2, 3, 4};

// Expects that process 0 returns the same from `work` for every number of processes.
std::string expect_same(const std::function<std::string(LinkedServer&)>& work,
                        tlm::perturb::Seed perturb = {}) {
    std::string first;
    for (const unsigned count : Counts) {
        const std::string text = processes::run(count, [&](Exchange& exchange) {
            LinkedServer server(tlm::load_server("trn1-4"),
                                {.collectives = true, .perturb = perturb, .exchange = &exchange});
            return work(server);
        });
        if (count == 1) first = text;
        EXPECT_EQ(text, first) << count << " processes";
    }
    return first;
}

tlm::collectives::CollectiveCores& cores(LinkedServer& server, unsigned chip) {
    return server.server().chip(chip).collective_cores();
}

std::string text_of(const tlm::RunResult& result) {
    return std::to_string(static_cast<int>(result.outcome)) + " " + std::to_string(result.start) + " " +
           std::to_string(result.end) + " " + result.message;
}

// Each chip's collective core writes to flags of other chips' cores, which wait for them and write in turn.
std::string flags_round(LinkedServer& server) {
    using namespace tlm::collectives;
    const unsigned chips = server.description().chips();
    std::string text;
    for (int i = 0; i < 2; ++i) {
        for (unsigned chip = 0; chip < chips; ++chip) {
            if (!server.here(chip)) continue;
            Channel channel;
            for (std::uint32_t round = 0; round < 30; ++round) {
                Entry entry;
                if (round > 0) entry.waits.push_back({0, round * (chips - 1)});
                for (unsigned other = 0; other < chips; ++other) {
                    if (other != chip)
                        entry.writes.push_back({addresses::pooled_address(other, flag_address(2, 0)), 1});
                }
                channel.push_back(entry);
            }
            cores(server, chip).load(2, {{channel}});
            cores(server, chip).start(2);
        }
        text += text_of(server.run());
        for (unsigned chip = 0; chip < chips; ++chip)
            text +=
                " " + std::to_string(server.largest(server.here(chip) ? cores(server, chip).ended(2) : 0));
        text += '\n';
    }
    return text;
}

TEST(ServerProcesses, TheSameTimes) {
    EXPECT_EQ(expect_same(flags_round).substr(0, 4), "0 0 ");
}

TEST(ServerProcesses, TheSameTimesPerturbed) {
    const auto seed = static_cast<std::uint32_t>(test::seed());
    EXPECT_NE(expect_same(flags_round, seed), expect_same(flags_round, seed + 1));
}

TEST(ServerProcesses, TheSameTimesWithWrongBitsAndLostFrames) {
    const std::string faulty = expect_same([](LinkedServer& server) {
        for (const neuronlink::Cable& cable : server.network().topology().cables) {
            for (const neuronlink::End end : {cable.a, cable.b}) {
                if (!server.here(end.chip)) continue;
                server.network().wire(end).faults().set_rates(
                    {.bit_errors = 3e-5, .drops = 0.01, .seed = end.chip * 4 + end.port});
            }
        }
        return flags_round(server);
    });
    EXPECT_NE(faulty, expect_same(flags_round)) << "there were faults";
}

TEST(ServerProcesses, TheSameMessages) {
    using namespace tlm::collectives;
    const std::string hang = expect_same([](LinkedServer& server) {
        for (const unsigned chip : {1, 3}) {
            if (!server.here(chip)) continue;
            cores(server, chip).load(0, {{{{{{4, chip}}, {}}}}});
            cores(server, chip).start(0);
        }
        return text_of(server.run());
    });
    EXPECT_NE(
        hang.find(
            "nothing can happen any more: chip 1, collective core 0, channel 0 at entry 0 of 1, flag 4 is "
            "0 of 1; chip 3, "),
        std::string::npos)
        << hang;
    const std::string failed = expect_same([](LinkedServer& server) {
        for (const unsigned chip : {2, 3}) {
            if (!server.here(chip)) continue;
            const std::uint64_t doorbell = dma::ring_address(5, 1, dma::RingRegister::Doorbell, 1);
            cores(server, chip).load(0, {{{{{}, {{doorbell, dma::doorbell(1, 1)}}}}}});
            cores(server, chip).start(0);
        }
        return text_of(server.run());
    });
    EXPECT_NE(failed.find("chip 2, core 1, DMA engine 21 ring 1"), std::string::npos) << failed;
    const std::string limited =
        expect_same([](LinkedServer& server) { return text_of(server.run(12'345'678)); });
    EXPECT_NE(limited, "");
}

std::string failure(unsigned count, const std::function<void(LinkedServer&)>& work) {
    try {
        processes::run(count, [&](Exchange& exchange) {
            LinkedServer server(tlm::load_server("trn1-4"), {.collectives = true, .exchange = &exchange});
            work(server);
            return std::string();
        });
    } catch (const processes::Error& error) {
        return error.what();
    }
    return "none";
}

TEST(ServerProcesses, WhatIsRefused) {
    EXPECT_EQ(failure(5, [](LinkedServer&) {}), "5 processes for 4 chips, expected at most one for each");
    EXPECT_EQ(failure(2, [](LinkedServer& server) { server.network().cut(0); }),
              "a link is cut or given up, expected one process, as several cannot route round it");
    EXPECT_EQ(failure(2, [](LinkedServer& server) { server.server().write32(0, 0, 1); }),
              "timed access to a server in several processes, expected it in one");
}

TEST(ServerProcesses, FramesAsBytes) {
    auto random = generator();
    for (int i = 0; i < 200; ++i) {
        Frame frame{.packet = {},
                    .channel = static_cast<std::uint8_t>(random()),
                    .sequence = static_cast<std::uint16_t>(random()),
                    .expected = static_cast<std::uint16_t>(random()),
                    .repeat = random() % 2 == 0,
                    .poll = random() % 2 == 0,
                    .damaged = {}};
        for (auto& limit : frame.limits) limit = static_cast<std::uint16_t>(random());
        if (random() % 2 == 0) frame.damaged.assign(random() % 100, static_cast<std::uint8_t>(random()));
        if (random() % 3 != 0) {
            frame.packet = std::make_shared<const neuronlink::Packet>(neuronlink::Packet{
                .kind = static_cast<neuronlink::Kind>(random() % neuronlink::Kinds),
                .status = static_cast<std::uint8_t>(random()),
                .source = static_cast<std::uint8_t>(random()),
                .destination = static_cast<std::uint8_t>(random()),
                .length = static_cast<std::uint16_t>(random()),
                .tag = static_cast<std::uint32_t>(random()),
                .address = random(),
                .data = std::vector<std::uint8_t>(random() % 50, static_cast<std::uint8_t>(random()))});
        }
        processes::Message message;
        processes::Writer writer(message);
        tlm::put_frame(writer, frame);
        processes::Reader reader(message);
        const Frame back = tlm::get_frame(reader);
        EXPECT_TRUE(reader.at_end());
        EXPECT_EQ(std::tie(back.channel, back.sequence, back.expected, back.repeat, back.poll, back.limits,
                           back.damaged),
                  std::tie(frame.channel, frame.sequence, frame.expected, frame.repeat, frame.poll,
                           frame.limits, frame.damaged));
        ASSERT_EQ(back.packet != nullptr, frame.packet != nullptr);
        if (frame.packet) {
            EXPECT_EQ(*back.packet, *frame.packet);
        }
    }
}

}  // namespace
}  // namespace trnsim::test
