// Compares the address map of a chip with the addresses of the public driver.
#include "model/chip/address_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <vector>

namespace trnsim::test {
namespace {

using tlm::chip::Layout;

struct MappedTo {
    std::uint64_t size;
    unsigned target;
    bool operator==(const MappedTo&) const = default;
};

std::map<std::uint64_t, MappedTo> map_of(const Layout& layout) {
    std::map<std::uint64_t, MappedTo> map;
    for (const auto& range : tlm::chip::address_map(config::load("trn1"), layout))
        map[range.base] = {range.size, range.target};
    return map;
}

constexpr std::uint64_t GiB = 1ULL << 30, MiB = 1 << 20, Registers = 16 * 0x40000;

TEST(AddressMap, TwoCores) {
    const std::map<std::uint64_t, MappedTo> expected{
        {0x0, {16 * GiB, 0}},           {0x1000000000, {16 * GiB, 1}},   {0xfffc0000000, {64 * MiB, 2}},
        {0xfffc4000000, {64 * MiB, 4}}, {0xffff0000000, {Registers, 3}}, {0xffff0700000, {Registers, 5}}};
    EXPECT_EQ(map_of({{true, true}}), expected);
}

TEST(AddressMap, AnEmptySlotHasDmaEnginesButNoWindow) {
    const std::map<std::uint64_t, MappedTo> expected{{0x0, {16 * GiB, 0}},
                                                     {0x1000000000, {16 * GiB, 1}},
                                                     {0xfffc4000000, {64 * MiB, 3}},
                                                     {0xffff0000000, {Registers, 2}},
                                                     {0xffff0700000, {Registers, 4}}};
    EXPECT_EQ(map_of({{false, true}}), expected);
}

TEST(AddressMap, OtherChipsAreBehindTheLink) {
    const std::map<std::uint64_t, MappedTo> expected{{0x0, {16 * GiB, 0}},
                                                     {0x1000000000, {16 * GiB, 1}},
                                                     {0xffff0000000, {Registers, 2}},
                                                     {1ULL << 48, {255ULL << 48, 3}}};
    EXPECT_EQ(map_of({{false}, true}), expected);
}

// These numbers of a chip with one core must stay, as perturbed runs depend on them.
TEST(AddressMap, NumbersOnTheFabric) {
    const auto one = tlm::chip::ports_of(config::load("trn1"), {{true}});
    EXPECT_EQ(one.slots[0].dma, 0u);
    EXPECT_EQ(one.slots[0].manager, 16u);
    EXPECT_EQ(one.slots[0].tables, 17u);
    EXPECT_EQ(one.host, 18u);
    EXPECT_EQ(one.initiators, 19u);
    EXPECT_EQ(one.slots[0].window, 2u);
    EXPECT_EQ(one.slots[0].registers, 3u);
    EXPECT_EQ(one.targets, 4u);
    const auto two = tlm::chip::ports_of(config::load("trn1"), {{false, true}, true});
    EXPECT_EQ(two.slots[1].dma, 16u);
    EXPECT_EQ(two.slots[1].manager, 32u);
    EXPECT_EQ(two.host, 34u);
    EXPECT_EQ(two.link_in, 35u);
    EXPECT_EQ(two.initiators, 36u);
    EXPECT_EQ(two.link_out, 5u);
    EXPECT_EQ(two.targets, 6u);
}

// The engines, the core and the stack of a slot are on one side; links, host and registers are on none.
TEST(AddressMap, SidesOfTheFabric) {
    const Layout layout{{true, false}, true, true};
    const auto sides = tlm::chip::sides_of(config::load("trn1"), layout, 7);
    const auto ports = tlm::chip::ports_of(config::load("trn1"), layout);
    EXPECT_EQ(sides.bandwidth, 7u);
    std::vector<std::optional<unsigned>> initiators(ports.initiators), targets(ports.targets);
    for (unsigned engine = 0; engine < 16; ++engine) {
        initiators[ports.slots[0].dma + engine] = 0;
        initiators[ports.slots[1].dma + engine] = 1;
    }
    initiators[ports.slots[0].manager] = initiators[ports.slots[0].tables] = 0;
    targets[0] = targets[ports.slots[0].window] = 0;
    targets[1] = 1;
    EXPECT_EQ(sides.initiators, initiators);
    EXPECT_EQ(sides.targets, targets);
}

// Slots that share a stack have no path between them.
TEST(AddressMap, ASharedStackIsOnNoSide) {
    config::Config config = config::load("trn1");
    config.hbm.stacks = 1;
    EXPECT_EQ(tlm::chip::sides_of(config, {{false, false}}, 7).targets,
              std::vector<std::optional<unsigned>>(3));
}

}  // namespace
}  // namespace trnsim::test
