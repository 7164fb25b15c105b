// Chips reach each other's memory over the links of a server that is read from a file.
#include <gtest/gtest.h>

#include "arch/addresses/pooled.hpp"
#include "common/random.hpp"
#include "model/common/host.hpp"
#include "model/common/programs.hpp"
#include "model/system/linked_server.hpp"
#include "model/system/load_server.hpp"

namespace trnsim::test {
namespace {

using addresses::pooled_address;
using tlm::Outcome;
using tlm::Time;

constexpr std::uint64_t Source = 0x2000000, Sink = 0x8000000;

tlm::LinkedServer make(const std::string& name, tlm::perturb::Seed perturb = {}) {
    return tlm::LinkedServer(tlm::load_server(name), {.check_protocol = true, .perturb = perturb});
}

std::vector<std::uint8_t> contents(tlm::Server& server, unsigned chip, std::uint64_t address,
                                   std::size_t length) {
    std::vector<std::uint8_t> bytes(length);
    server.read(chip, address, bytes);
    return bytes;
}

void expect_clean(tlm::LinkedServer& linked) {
    for (unsigned chip = 0; chip < linked.description().chips(); ++chip)
        EXPECT_EQ(linked.server().chip(chip).protocol_violations(), std::vector<std::string>{});
    EXPECT_TRUE(linked.network().idle());
    EXPECT_EQ(linked.network().reports(), std::vector<std::string>{});
}

// Every chip pushes to one chip and pulls from another, all at the same time.
void exchange(tlm::perturb::Seed perturb) {
    auto linked = make("trn1.32xlarge", perturb);
    tlm::Server& server = linked.server();
    const unsigned chips = linked.description().chips();
    constexpr std::uint32_t Length = 30'001;
    for (unsigned chip = 0; chip < chips; ++chip) server.write(chip, Source, pattern(Length, chip));
    for (unsigned chip = 0; chip < chips; ++chip) {
        ChipAccess access{server, chip};
        start(access, {.core = 0,
                       .engine = 3,
                       .from = Source,
                       .to = pooled_address((chip + 7) % chips, Sink),
                       .length = Length});
        start(access, {.core = 1,
                       .engine = 5,
                       .from = pooled_address((chip + 10) % chips, Source),
                       .to = 2 * Sink,
                       .length = Length});
    }
    const auto result = linked.run();
    ASSERT_EQ(result.outcome, Outcome::Done) << result.message;
    for (unsigned chip = 0; chip < chips; ++chip) {
        SCOPED_TRACE(chip);
        EXPECT_EQ(contents(server, (chip + 7) % chips, Sink, Length), pattern(Length, chip));
        EXPECT_EQ(contents(server, chip, 2 * Sink, Length), pattern(Length, (chip + 10) % chips));
    }
    expect_clean(linked);
}

TEST(LinkedServer, EveryChipReachesOthers) {
    exchange({});
}

TEST(LinkedServer, PerturbedChipsReachOthers) {
    exchange(static_cast<std::uint32_t>(seed()));
}

// A write of the host over h links takes the frames there and back (docs/neuronlink.md), both fabrics each
// way, and the time of a write to HBM, which is measured within the chip.
TEST(LinkedServer, AWriteTakesTheClosedForm) {
    auto linked = make("trn1.32xlarge");
    tlm::Server& server = linked.server();
    const auto time_of = [&](std::uint64_t address) {
        const Time begin = tlm::now();
        server.write32(0, address, 1);
        return tlm::now() - begin;
    };
    const Time within = time_of(Sink);
    const Time fabric = 2 * linked.description().chip.fabric.latency;
    // A header alone is 1 flit, with 4 bytes 2 flits; each flit is 32 bytes at 35.2 GB/s.
    const Time frame = 32'000'000'000'000'000ULL / 35'200'000'000ULL;
    struct {
        unsigned chip, hops;
    } const table[] = {{1, 1}, {4, 1}, {12, 1}, {3, 1}, {5, 2}, {2, 2}, {10, 4}};
    for (const auto& row : table) {
        SCOPED_TRACE(row.chip);
        const Time links = 4 * 20'000'000 + row.hops * ((2 * frame + 280'000'000) + (frame + 280'000'000));
        const Time took = time_of(pooled_address(row.chip, Sink));
        const Time expected = within + fabric + links;
        EXPECT_NEAR(static_cast<double>(took), static_cast<double>(expected), 4.0 * row.hops)
            << "frames end on whole femtoseconds";
    }
}

// 16 engines push through one link: bursts of 512 B are 17 flits.
TEST(LinkedServer, AStreamTakesTheClosedForm) {
    auto linked = make("trn1.32xlarge");
    tlm::Server& server = linked.server();
    constexpr std::uint32_t Length = 256 << 10;
    ChipAccess chip{server, 0};
    for (unsigned engine = 0; engine < 16; ++engine) {
        start(chip, {.core = 0,
                     .engine = engine,
                     .from = Source + engine * Length,
                     .to = pooled_address(1, Sink + engine * Length),
                     .length = Length});
    }
    const auto result = linked.run();
    ASSERT_EQ(result.outcome, Outcome::Done) << result.message;
    const double expected = 16.0 * Length / 512 * (17 * 32) / 35.2e9;
    const double took = static_cast<double>(result.end - result.start) * 1e-15;
    EXPECT_GT(took, expected * 0.97);
    EXPECT_LT(took, expected * 1.05);
}

TEST(LinkedServer, ACutLinkIsGoneRoundAndAChipThatIsCutOffIsAnError) {
    auto linked = make("inf2-ring");
    tlm::Server& server = linked.server();
    server.write32(0, pooled_address(1, Sink), 5);
    linked.network().cut(0, true);  // between 0 and 1: only the long way round is left
    server.write32(0, pooled_address(1, Sink), 6);
    EXPECT_EQ(server.read32(1, Sink), 6u);
    linked.network().cut(1, true);  // between 1 and 2
    server.write(0, Source, pattern(5'000, 1));
    ChipAccess chip{server, 0};
    start(chip, {.core = 1, .engine = 2, .from = Source, .to = pooled_address(1, Sink), .length = 5'000});
    const auto result = linked.run();
    EXPECT_EQ(result.outcome, Outcome::DmaError);
    EXPECT_NE(result.message.find("chip 0, core 1, DMA engine 18"), std::string::npos) << result.message;
    EXPECT_NE(result.message.find("; links: chip 0: write of 512 bytes at 0x2000008000000: chip 1 cannot be "
                                  "reached: down are 0.E-1.W, 1.E-2.W"),
              std::string::npos)
        << result.message;
    EXPECT_EQ(result.message.find('\n'), std::string::npos);
}

TEST(LinkedServer, OneChipHasNobodyToReach) {
    auto linked = make("trn1.2xlarge");
    linked.server().write32(0, pooled_address(0, Sink), 7);
    EXPECT_EQ(linked.server().read32(0, Sink), 7u);
    try {
        linked.server().read32(0, pooled_address(1, Sink));
        ADD_FAILURE() << "chip 1 answers";
    } catch (const tlm::SimulationError& error) {
        EXPECT_NE(std::string(error.what()).find("TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos);
    }
}

TEST(LinkedServer, WhatStandsInTheSlots) {
    config::Server description = tlm::load_server("trn1-4");
    description.chip = config::load("small8");
    description.slots[2][1] = config::CoreKind::Rtl;
    const auto refusal = [](const config::Server& server, const tlm::LinkedOptions& options) -> std::string {
        try {
            tlm::LinkedServer linked(server, options);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    const tlm::CoreFactory some = [](const char*, const tlm::CoreSetup&) { return nullptr; };
    EXPECT_EQ(refusal(description, {.fast = some}), "trn1-4: chip 2 has a slot of kind rtl, expected none");
    config::Server fast = description;
    fast.slots[2][1] = config::CoreKind::Fast;
    EXPECT_EQ(refusal(fast, {.rtl = some}), "trn1-4: chip 2 has a slot of kind fast, expected none");
    const config::Config config = description.chip;
    int made = 0;
    tlm::LinkedServer linked(description, {.rtl = [&](const char* name, const tlm::CoreSetup& setup) {
                                 ++made;
                                 return tlm::core_of(fake_core(config))(name, setup);
                             }});
    EXPECT_EQ(made, 1);
    for (unsigned chip = 0; chip < 4; ++chip) {
        for (unsigned slot = 0; slot < 2; ++slot)
            EXPECT_EQ(linked.server().chip(chip).has_core(slot), chip == 2 && slot == 1);
    }
}

}  // namespace
}  // namespace trnsim::test
