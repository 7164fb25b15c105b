#include "model/hbm/mapping.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <tuple>

#include "arch/config/schema.hpp"
#include "common/random.hpp"

namespace trnsim::tlm::hbm {
namespace {

auto tuple_of(const Location& l) {
    return std::tuple(l.channel, l.pseudo, l.bank, l.row, l.column);
}

class Mappings : public testing::TestWithParam<std::string> {};

TEST_P(Mappings, EveryBurstHasAPlaceOfItsOwn) {
    const Mapping mapping(GetParam());
    constexpr std::uint64_t Bytes = 4ULL << 20;  // 16 rows of every bank
    std::set<std::tuple<unsigned, unsigned, unsigned, std::uint32_t, unsigned>> places;
    for (std::uint64_t address = 0; address < Bytes; address += BurstBytes) {
        const Location place = mapping.decode(address);
        EXPECT_LT(place.channel, Channels);
        EXPECT_LT(place.pseudo, PseudoChannels);
        EXPECT_LT(place.bank, Banks);
        EXPECT_LT(place.row, 16u);
        EXPECT_LT(place.column, Columns);
        EXPECT_TRUE(places.insert(tuple_of(place)).second) << address;
        EXPECT_EQ(mapping.decode(address + BurstBytes - 1), place);
    }
    EXPECT_EQ(places.size(), Bytes / BurstBytes);
}

// The pieces give the same bursts as a mapping of each burst alone.
TEST_P(Mappings, PiecesAreTheBurstsOfTheRequest) {
    const Mapping mapping(GetParam());
    auto random = test::generator();
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t address = random() % (16ULL << 30), length = 1 + random() % 5000;
        std::multiset<std::tuple<unsigned, unsigned, unsigned, std::uint32_t, unsigned>> expected, got;
        for (std::uint64_t burst = address / BurstBytes; burst <= (address + length - 1) / BurstBytes;
             ++burst)
            expected.insert(tuple_of(mapping.decode(burst * BurstBytes)));
        mapping.for_each_piece(address, length, [&](Location place, unsigned bursts) {
            for (unsigned b = 0; b < bursts; ++b, ++place.column) got.insert(tuple_of(place));
        });
        ASSERT_EQ(got, expected) << address << " " << length;
    }
}

INSTANTIATE_TEST_SUITE_P(, Mappings, testing::Values("interleaved", "hashed", "row"));

TEST(Mapping, SpreadsAsItsTableSays) {
    const Mapping interleaved("interleaved");
    EXPECT_EQ(interleaved.decode(0), (Location{0, 0, 0, 0, 0}));
    EXPECT_EQ(interleaved.decode(32), (Location{0, 0, 0, 0, 1}));
    EXPECT_EQ(interleaved.decode(64), (Location{0, 0, 4, 0, 0})) << "another bank group";
    EXPECT_EQ(interleaved.decode(256), (Location{0, 1, 0, 0, 0}));
    EXPECT_EQ(interleaved.decode(512), (Location{1, 0, 0, 0, 0}));
    EXPECT_EQ(interleaved.decode(4096), (Location{0, 0, 0, 0, 4}));
    EXPECT_EQ(interleaved.decode(256 << 10), (Location{0, 0, 0, 1, 0}));
    EXPECT_EQ(Mapping("hashed").decode(3 * (256 << 10)), (Location{0, 0, 3, 3, 0}));
    EXPECT_EQ(Mapping("row").decode(1024), (Location{0, 1, 0, 0, 0}));
}

// The configuration and the table have the same names.
TEST(Mapping, HasEveryNameOfTheConfiguration) {
    const auto& choice = std::get<config::Choice>(config::find_field("hbm.banked.mapping")->value);
    EXPECT_EQ(choice.options.size(), mappings().size());
    for (const std::string_view name : choice.options) EXPECT_NO_THROW(Mapping{name});
    EXPECT_THROW(Mapping("nothing"), std::invalid_argument);
}

}  // namespace
}  // namespace trnsim::tlm::hbm
