#include "runtime/loader/segments.hpp"

#include <gtest/gtest.h>

#include <map>

#include "common/gather_package.hpp"
#include "common/random.hpp"
#include "common/sample_package.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/neff/check.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/transposed.hpp"

namespace trnsim::loader {
namespace {

using neff::Pattern;

const std::vector<std::uint64_t> Addresses{0x10000, 0x900000, 0x20000};

// Returns the system address of every byte, in element order.
std::vector<std::uint64_t> bytes_of(const Pattern& p, std::uint32_t element) {
    const std::uint64_t base =
        p.offset + (p.place == Pattern::Space::Core ? CoreWindowBase : Addresses[p.tensor]);
    std::vector<std::uint64_t> bytes;
    for (std::uint32_t i3 = 0; i3 < p.count[3]; ++i3) {
        for (std::uint32_t i2 = 0; i2 < p.count[2]; ++i2) {
            for (std::uint32_t i1 = 0; i1 < p.count[1]; ++i1) {
                for (std::uint32_t i0 = 0; i0 < p.count[0]; ++i0) {
                    const std::int64_t at = i0 * p.step[0] + i1 * p.step[1] + i2 * p.step[2] + i3 * p.step[3];
                    for (std::uint32_t b = 0; b < element; ++b)
                        bytes.push_back(base + static_cast<std::uint64_t>(at) + b);
                }
            }
        }
    }
    return bytes;
}

void expect_same_bytes(const neff::Transfer& transfer, const std::vector<Segment>& segments) {
    std::vector<std::uint64_t> from, to;
    for (const Segment& segment : segments) {
        ASSERT_GT(segment.bytes, 0u);
        ASSERT_LE(segment.bytes, MaxSegmentBytes);
        for (std::uint32_t b = 0; b < segment.bytes; ++b) {
            from.push_back(segment.from + b);
            to.push_back(segment.to + b);
        }
    }
    EXPECT_EQ(from, bytes_of(transfer.from, transfer.element_bytes));
    EXPECT_EQ(to, bytes_of(transfer.to, transfer.element_bytes));
}

TEST(Segments, OneForEachPartition) {
    const neff::Package package = test::sample_package();
    const auto segments = expand(package, package.transfers[0], Addresses);
    ASSERT_EQ(segments.size(), 4u);
    EXPECT_EQ(segments[2], (Segment{0x10000 + 64, CoreWindowBase + 0x80100, 32}));
    expect_same_bytes(package.transfers[0], segments);
}

// Each partition is a row and has the place of its index.
TEST(Segments, RowsHaveTheirIndices) {
    const neff::Package package = test::gather_package();
    const auto gathered = expand(package, package.transfers[1], Addresses);
    ASSERT_EQ(gathered.size(), 5u);
    for (std::uint64_t p = 0; p < 5; ++p) {
        EXPECT_EQ(gathered[p], (Segment{0x10000, CoreWindowBase + 0x40000 * p + 0x100, 24,
                                        CoreWindowBase + 0x40000 * p + 0x200}));
    }
    expect_same_bytes(package.transfers[1], gathered);
    const auto scattered = expand(package, package.transfers[2], Addresses);
    EXPECT_EQ(scattered.at(3), (Segment{CoreWindowBase + 0xc0100, 0x20000, 24, CoreWindowBase + 0xc0200}));
}

// Rows are cut where an index ends, even if both sides are contiguous there; long rows have several segments.
TEST(Segments, RowsAreNotMerged) {
    neff::Package package = test::gather_package();
    package.tensors[0].shape = {9, 1 << 17};
    package.tensors[2].shape = {9, 1 << 17};
    neff::Transfer& transfer = package.transfers[1];
    transfer.element_bytes = 1;
    transfer.from = {Pattern::Space::Tensor, 0, 0, {1, 0, 0, 0}, {100'000, 2, 1, 1}};
    transfer.to = {Pattern::Space::Tensor, 2, 8, {1, 0, 0, 0}, {200'000, 1, 1, 1}};
    transfer.indirect->index.count[0] = 4;
    const auto segments = expand(package, transfer, Addresses);
    ASSERT_EQ(segments.size(), 4u);
    for (std::uint64_t row = 0; row < 4; ++row) {
        EXPECT_EQ(segments[row], (Segment{0x10000 + row % 2 * 50'000, 0x20008 + row * 50'000, 50'000,
                                          CoreWindowBase + 0x40000 * row + 0x200}));
    }
    transfer.indirect->index.count[0] = 2;
    const auto two = expand(package, transfer, Addresses);
    ASSERT_EQ(two.size(), 4u);
    EXPECT_EQ(two[0].bytes + two[1].bytes, 100'000u);
    EXPECT_EQ(two[0].index, two[1].index);
    EXPECT_NE(two[1].index, two[2].index);
}

std::vector<std::uint64_t> bytes_of(const std::vector<Run>& runs) {
    std::vector<std::uint64_t> bytes;
    for (const Run& run : runs) {
        for (std::uint32_t b = 0; b < run.bytes; ++b) bytes.push_back(run.address + b);
    }
    return bytes;
}

// Every element is moved once to the place that the patterns give; a contiguous side has a run for each row
// or column.
TEST(Segments, TilesOfATranspose) {
    auto random = test::generator();
    neff::Package package = test::sample_package();
    package.tensors[0].shape = package.tensors[1].shape = {1 << 20};
    for (std::uint64_t i = 0; i < 40 * test::scale(); ++i) {
        const std::uint32_t element = 1U << random() % 3;
        const auto inner = static_cast<std::uint32_t>(1 + random() % 80);
        const auto middle = static_cast<std::uint32_t>(1 + random() % 3);
        const auto outer = static_cast<std::uint32_t>(2 + random() % 80);
        const auto near = static_cast<std::int64_t>(element), far = std::int64_t{outer} * near + 4;
        neff::Transfer transfer;
        transfer.element_bytes = element;
        transfer.transposes = true;
        // The outermost dimension is the contiguous one of one side, the innermost that of the other side.
        transfer.from = {
            Pattern::Space::Tensor, 0, 12, {far * middle, far, near, 0}, {inner, middle, outer, 1}};
        transfer.to = {Pattern::Space::Tensor,
                       1,
                       7,
                       {near, inner * near, inner * near * middle, 0},
                       {inner, middle, outer, 1}};
        if (random() % 2 == 0) std::swap(transfer.from.step, transfer.to.step);
        const bool apart = random() % 4 == 0;
        if (apart) {
            for (std::int64_t& step : transfer.to.step) step *= 2;
        }
        std::map<std::uint64_t, std::uint64_t> moved, expected;
        for (const Segment& segment : expand(package, transfer, Addresses)) {
            const TransposedTile& tile = *segment.tile;
            const std::vector<std::uint64_t> from = bytes_of(tile.from), to = bytes_of(tile.to);
            ASSERT_LE(tile.to.size(), tile.from.size() + 1);
            ASSERT_EQ(from.size(), std::size_t{tile.rows} * tile.columns * element);
            ASSERT_EQ(to.size(), from.size());
            ASSERT_LE(std::max(tile.rows, tile.columns), TileSide);
            if (!apart) {
                ASSERT_LE(tile.to.size(), tile.columns);
                ASSERT_LE(tile.from.size(), std::max(tile.rows, tile.columns - 1));
            }
            for (std::size_t at = 0; at < from.size(); ++at) {
                const std::size_t row = at / element / tile.columns, column = at / element % tile.columns;
                moved[to[(column * tile.rows + row) * element + at % element]] = from[at];
            }
        }
        const auto from = bytes_of(transfer.from, element), to = bytes_of(transfer.to, element);
        for (std::size_t at = 0; at < from.size(); ++at) expected[to[at]] = from[at];
        ASSERT_EQ(moved, expected) << i;
    }
}

TEST(Segments, ContiguousSidesMergeUpTo64KiB) {
    neff::Package package = test::sample_package();
    package.tensors[0].shape = {1 << 18};
    package.tensors[1].shape = {1 << 18};
    const Pattern all{Pattern::Space::Tensor, 0, 0, {4, 4096, 0, 0}, {1024, 40, 1, 1}};  // 160 KiB
    neff::Transfer transfer{0, 4, all, all, 0, "t"};
    transfer.to.tensor = 1;
    const auto segments = expand(package, transfer, Addresses);
    ASSERT_EQ(segments.size(), 3u);
    EXPECT_EQ(segments[0].bytes, 0x10000u);
    EXPECT_EQ(segments[2].bytes, 0x8000u);
    expect_same_bytes(transfer, segments);
}

TEST(Segments, PartitionsOfPsumAreCutThoughTheyAdjoin) {
    neff::Package package = test::sample_package();
    const Pattern psum{Pattern::Space::Core, 0, isa::window::PsumBase, {4, 0x4000, 0, 0}, {4096, 3, 1, 1}};
    const neff::Transfer transfer{
        0, 4, psum, {Pattern::Space::Tensor, 0, 0, {4, 0, 0, 0}, {3 * 4096, 1, 1, 1}}, 0, "t"};
    const auto segments = expand(package, transfer, Addresses);
    ASSERT_EQ(segments.size(), 3u);
    expect_same_bytes(transfer, segments);
}

TEST(Segments, RandomPatternsCoverTheSameBytesInOrder) {
    auto generator = test::generator();
    const auto random = [&generator](std::uint64_t limit) { return generator() % limit; };
    const neff::Package package = test::sample_package();
    for (std::uint64_t i = 0; i < 400 * test::scale(); ++i) {
        const std::uint32_t element = 1u << random(3);
        const std::array<std::uint32_t, 4> count{
            static_cast<std::uint32_t>(1 + random(9)), static_cast<std::uint32_t>(1 + random(5)),
            static_cast<std::uint32_t>(1 + random(4)), static_cast<std::uint32_t>(1 + random(3))};
        neff::Transfer transfer{0, element, {}, {}, 0, "t"};
        std::int64_t packed = element;
        for (std::size_t dim = 0; dim < 4; ++dim) {
            transfer.from.step[dim] =
                random(2) != 0 ? packed : static_cast<std::int64_t>(random(5000)) - 2500;
            packed *= count[dim];
        }
        transfer.from.count = count;
        transfer.from.offset = 40000;
        transfer.to = {Pattern::Space::Core, 0, 0, {}, {}};
        transfer.to.count = count;
        if (random(3) == 0) transfer.to.count = {count[0] * count[1], count[2] * count[3], 1, 1};
        transfer.to.step = {element, 0x40000, 0x1000, random(2) != 0 ? 0x2000 : -0x2000};
        transfer.to.offset = 0x8000;
        expect_same_bytes(transfer, expand(package, transfer, Addresses));
    }
}

TEST(Segments, HolesBetweenPartitionsAreRefused) {
    neff::Package package = test::sample_package();
    package.transfers[0].to.offset = 192 * 1024 - 16;  // partitions hold 192 of 256 KiB
    neff::check(package);
    EXPECT_EQ(test::message_of<Error>([&] { expand(package, package.transfers[0], Addresses); }),
              "transfer 'load a' reaches sbuf[0+0x3000f]: a partition of SBUF has 0x30000 bytes");
}

}  // namespace
}  // namespace trnsim::loader
