// Compares packets with indices with loops on the host: rows gathered, scattered and summed, indices out of
// bounds skipped or refused.
#include <map>

#include "arch/dma/elements.hpp"
#include "common/random.hpp"
#include "model/dma/bench.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;
using dma::encode;
using dma::ErrorCode;
using dma::Operation;
using dma::ReadMeta;
using dma::Result;
using dma::RowShift;
using dma::WriteMeta;

using List = std::vector<Descriptor>;

constexpr std::uint64_t Area = 1 << 18;  // bytes of a packet on each side
constexpr std::uint64_t IndexAt = 128 << 10;
constexpr std::uint8_t Untouched = 0x5a;

Descriptor index_step(std::uint64_t step) {
    return {.address = step, .length = 8, .meta = encode(ReadMeta{Operation::IndexStep})};
}
Descriptor index_bounds(std::int32_t first, std::int32_t last, std::uint32_t bits = 0) {
    return {.address = dma::index_bounds(first, last),
            .length = 8,
            .meta = encode(ReadMeta{Operation::IndexBounds}) | bits};
}
Descriptor index_at(std::uint64_t address) {
    return {.address = address, .length = 4, .meta = encode(ReadMeta{Operation::Index})};
}
// `row` is the number of the index, counted from 1.
Descriptor row(std::uint64_t address, std::uint32_t length, std::uint32_t row) {
    return {.address = address, .length = length, .meta = row << RowShift};
}

std::vector<std::uint8_t> bytes_of(std::uint32_t value) {
    return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
            static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 24)};
}

// Adds descriptors of `length` bytes, in pieces.
void cut(std::uint64_t address, std::uint32_t length, std::uint32_t number, std::mt19937_64& random,
         List& list) {
    while (length != 0) {
        const auto piece = static_cast<std::uint32_t>(random() % 3 == 0 ? 1 + random() % length : length);
        list.push_back(row(address, piece, number));
        list.back().barrier = random() % 8 == 0;
        address += piece;
        length -= piece;
    }
}

// A table of rows on one side, their indices, and the rows next to each other on the other side.
struct Rows {
    std::uint32_t count, length;  // rows of the table; bytes of a row
    std::int64_t step;            // bytes from one row to the next
    std::int32_t first;           // index of the first row
    std::uint64_t zero;           // address that a row of index 0 would have
    std::uint64_t together;       // address of the other side
    std::vector<std::int32_t> indices;

    bool in_bounds(std::int32_t index) const {
        return index >= first && std::int64_t{index} < std::int64_t{first} + count;
    }
    std::uint64_t address(std::int32_t index) const {
        return zero + static_cast<std::uint64_t>(index * step);
    }
};

Rows random_rows(std::mt19937_64& random, std::uint64_t table, std::uint64_t together, bool skip,
                 bool repeated) {
    Rows rows{};
    rows.length = static_cast<std::uint32_t>(1 + random() % (random() % 4 == 0 ? 2000 : 90));
    rows.count =
        static_cast<std::uint32_t>(1 + random() % std::min<std::uint64_t>(100, 100'000 / rows.length));
    rows.step = rows.length + static_cast<std::int64_t>(random() % 5);
    rows.first = random() % 2 == 0 ? 0 : static_cast<std::int32_t>(random() % 2000) - 1000;
    std::uint64_t row_of_first = table;
    if (random() % 4 == 0) {
        row_of_first = table + (rows.count - 1) * static_cast<std::uint64_t>(rows.step);
        rows.step = -rows.step;
    }
    rows.zero = row_of_first - static_cast<std::uint64_t>(rows.first * rows.step);
    rows.together = together + random() % 8;
    const std::uint64_t most = std::min<std::uint64_t>(dma::MaxIndices, 60'000 / rows.length);
    const std::uint64_t number = 1 + random() % (repeated ? most : std::min<std::uint64_t>(most, rows.count));
    std::vector<std::int32_t> all(rows.count);
    for (std::uint32_t i = 0; i < rows.count; ++i) all[i] = rows.first + static_cast<std::int32_t>(i);
    std::ranges::shuffle(all, random);
    for (std::uint64_t i = 0; i < number; ++i) {
        std::int32_t index = repeated ? all[random() % all.size()] : all[i];
        if (skip && random() % 4 == 0) {
            constexpr std::int32_t Far[] = {INT32_MIN, INT32_MAX};
            const std::int32_t out[] = {rows.first - 1, rows.first + static_cast<std::int32_t>(rows.count),
                                        Far[random() % 2]};
            index = out[random() % 3];
        }
        rows.indices.push_back(index);
    }
    return rows;
}

// Adds the step, the bounds and the indices, which have their own places.
void add_indices(DmaBench& b, const Rows& rows, std::uint64_t at, std::uint32_t bits, List& m2s) {
    m2s.push_back(index_step(static_cast<std::uint64_t>(rows.step)));
    m2s.back().first = true;
    m2s.push_back(index_bounds(rows.first, rows.first + static_cast<std::int32_t>(rows.count) - 1, bits));
    for (std::size_t i = 0; i < rows.indices.size(); ++i) {
        const std::uint64_t address = at + i * 68;
        b.poke(address, bytes_of(static_cast<std::uint32_t>(rows.indices[i])));
        m2s.push_back(index_at(address));
    }
}

void run(DmaBench& b, const List& m2s, const List& s2m, unsigned ring = 3) {
    b.set_ring(0, ring, 48 << 20, m2s, s2m);
    b.ring_doorbell(0, ring, static_cast<unsigned>(m2s.size()), static_cast<unsigned>(s2m.size()));
    sc_core::sc_start();
}

enum class Side : std::uint8_t { Gather, Scatter };

// Moves packets in one ring and compares the memory with a loop over the indices.
void move_rows(Side side, tlm::perturb::Seed perturb) {
    constexpr std::size_t Packets = 12;
    DmaBench b("b", 1, true, perturb);
    elaborate();
    auto random = generator();
    for (std::uint64_t turn = 0; turn < 4 * scale(); ++turn) {
        List m2s, s2m;
        std::vector<std::vector<std::uint8_t>> expected;
        for (std::size_t p = 0; p < Packets; ++p) {
            const bool gather = side == Side::Gather, skip = random() % 2 == 0;
            const std::uint64_t from = Low + (1 + p) * Area, to = High + (1 + p) * Area;
            const Rows rows = random_rows(random, gather ? from : to, gather ? to : from, skip, gather);
            const auto source = pattern(IndexAt, random());
            b.poke(from, source);
            b.poke(to, std::vector<std::uint8_t>(IndexAt, Untouched));
            auto& there = expected.emplace_back(IndexAt, Untouched);
            add_indices(b, rows, from + IndexAt, skip ? dma::SkipBit : 0, m2s);
            const auto total = static_cast<std::uint32_t>(rows.indices.size() * rows.length);
            if (random() % 2 == 0) s2m.push_back({.length = 1, .meta = encode(WriteMeta{Result::Nothing})});
            for (std::uint32_t i = 0; i < rows.indices.size(); ++i)
                cut(rows.zero, rows.length, i + 1, random, gather ? m2s : s2m);
            cut(rows.together, total, 0, random, gather ? s2m : m2s);
            m2s.back().last = true;
            for (std::size_t i = 0; i < rows.indices.size(); ++i) {
                if (!rows.in_bounds(rows.indices[i])) continue;
                const std::uint64_t alone = rows.address(rows.indices[i]);
                const std::uint64_t beside = rows.together + i * rows.length;
                std::copy_n(source.begin() + static_cast<std::ptrdiff_t>((gather ? alone : beside) - from),
                            rows.length,
                            there.begin() + static_cast<std::ptrdiff_t>((gather ? beside : alone) - to));
            }
        }
        run(b, m2s, s2m);
        ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
        EXPECT_TRUE(b.dma.engine(0).idle());
        for (std::size_t p = 0; p < Packets; ++p)
            ASSERT_EQ(b.peek(High + (1 + p) * Area, IndexAt), expected[p]) << "packet " << p;
    }
}

class DmaRows : public testing::TestWithParam<unsigned> {};  // seed of the perturbation; 0: none

tlm::perturb::Seed seed_of(unsigned parameter) {
    return parameter == 0 ? tlm::perturb::Seed{} : tlm::perturb::Seed(parameter);
}

TEST_P(DmaRows, AreGathered) {
    move_rows(Side::Gather, seed_of(GetParam()));
}

TEST_P(DmaRows, AreScattered) {
    move_rows(Side::Scatter, seed_of(GetParam()));
}

// Each index has its own packet, which waits for the writes before it: each row is added to the sum of the
// earlier ones, in integers small enough that fp32 holds them.
TEST_P(DmaRows, RepeatedOnesAreSummedInOrder) {
    DmaBench b("b", 1, true, seed_of(GetParam()));
    elaborate();
    auto random = generator();
    for (std::uint64_t turn = 0; turn < 4 * scale(); ++turn) {
        constexpr std::uint32_t Elements = 37, Count = 5;
        std::vector<std::int32_t> table(Count * Elements);
        const auto poke = [&](std::uint64_t at, const std::vector<std::int32_t>& values) {
            std::vector<std::uint8_t> bytes;
            for (const std::int32_t value : values)
                bytes = bytes + bytes_of(static_cast<std::uint32_t>(value));
            b.poke(at, bytes);
        };
        for (std::int32_t& value : table) value = static_cast<std::int32_t>(random() % 1000);
        poke(High + Area, table);
        List m2s, s2m;
        const auto meta = [](Operation operation, std::uint8_t source, std::uint32_t row) {
            return encode(ReadMeta{operation, isa::Dtype::I32, source, 1}) | row << RowShift;
        };
        for (std::uint64_t i = 0; i < 20; ++i) {
            const Rows rows{.count = Count,
                            .length = 4 * Elements,
                            .step = 4 * Elements,
                            .first = 0,
                            .zero = High + Area,
                            .together = Low + Area + i * 4 * Elements,
                            .indices = {static_cast<std::int32_t>(random() % Count)}};
            std::vector<std::int32_t> added(Elements);
            for (std::int32_t& value : added) value = static_cast<std::int32_t>(random() % 1000);
            poke(rows.together, added);
            add_indices(b, rows, Low + 2 * Area + i * 4, dma::WaitBit, m2s);
            m2s.push_back(
                {.address = rows.together, .length = rows.length, .meta = meta(Operation::Load, 0, 0)});
            m2s.push_back({.address = rows.zero, .length = rows.length, .meta = meta(Operation::Add, 1, 1)});
            m2s.back().last = true;
            s2m.push_back({.address = rows.zero,
                           .length = rows.length,
                           .meta = encode(WriteMeta{Result::Elements, isa::Dtype::I32}) | 1u << RowShift});
            for (std::uint32_t e = 0; e < Elements; ++e)
                table[static_cast<std::uint32_t>(rows.indices[0]) * Elements + e] += added[e];
        }
        run(b, m2s, s2m);
        ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
        std::vector<std::uint8_t> expected;
        for (const std::int32_t value : table)
            expected = expected + bytes_of(static_cast<std::uint32_t>(value));
        ASSERT_EQ(b.peek(High + Area, expected.size()), expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DmaRows, testing::Range(0u, 4u));

// A packet writes nothing and completes if all its rows are left out; the next packet in the ring is moved.
TEST(DmaIndices, APacketOfRowsThatAreLeftOut) {
    DmaBench b("b");
    elaborate();
    b.poke(Low + 64, bytes_of(9));
    b.poke(Low + Area, pattern(4096, 3));
    b.poke(High, std::vector<std::uint8_t>(8192, Untouched));
    List m2s{index_step(100), index_bounds(0, 8, dma::SkipBit), index_at(Low + 64), row(Low + Area, 100, 1)};
    m2s.front().first = m2s.back().last = true;
    m2s = m2s + packet(Low + Area, 300, 300);
    run(b, m2s, {row(High, 100, 0), row(High + 4096, 300, 0)});
    ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
    EXPECT_EQ(b.peek(High, 100), std::vector<std::uint8_t>(100, Untouched));
    EXPECT_EQ(b.peek(High + 4096, 300), b.peek(Low + Area, 300));
    EXPECT_EQ(b.packets.all.size(), 2u);
    EXPECT_EQ(b.dma.engine(0).statistics().data.bytes_written, 300u);
}

// The table is at address 0 and its first row has index 1. The row of index 0, where a row that is left out
// has its descriptor, would be below address 0.
TEST(DmaIndices, RowsLeftOutOfATableAtAddressZero) {
    DmaBench b("b");
    elaborate();
    for (const Side side : {Side::Gather, Side::Scatter}) {
        for (const std::uint32_t length : {1u, 30u, 600u, 4095u, 4096u, 9000u}) {
            const bool gather = side == Side::Gather;
            const std::uint64_t table = Low, together = High;
            b.poke(table, pattern(3 * length, length));
            b.poke(together, pattern(3 * length, length + 1));
            const Rows rows{.count = 3,
                            .length = length,
                            .step = length,
                            .first = 1,
                            .zero = table - length,
                            .together = together,
                            .indices = {3, 4, 1}};
            auto expected = b.peek(gather ? together : table, 3 * length);
            for (const std::size_t i : {0u, 2u}) {
                const std::uint64_t place = gather ? i * length : (rows.indices[i] - 1) * length;
                const auto moved =
                    b.peek(gather ? rows.address(rows.indices[i]) : together + i * length, length);
                std::ranges::copy(moved, expected.begin() + static_cast<std::ptrdiff_t>(place));
            }
            List alone, beside{row(together, 3 * length, 0)}, m2s, s2m;
            for (std::uint32_t i = 1; i <= 3; ++i) alone.push_back(row(rows.zero, length, i));
            add_indices(b, rows, Low + Area, dma::SkipBit, m2s);
            m2s = m2s + (gather ? alone : beside);
            m2s.back().last = true;
            run(b, m2s, gather ? beside : alone);
            ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
            EXPECT_TRUE(b.dma.engine(0).idle()) << length;
            EXPECT_EQ(b.peek(gather ? together : table, 3 * length), expected) << length;
        }
    }
}

struct Bad {
    const char* name;
    List m2s;
    ErrorCode code;
    const char* message;
};

const Descriptor Step = index_step(64), Bounds = index_bounds(0, 7), Five = index_at(Low + 64),
                 Twelve = index_at(Low + 68), Row = row(Low + 4096, 32, 1);

List whole(List list) {
    list.front().first = list.back().last = true;
    return list;
}
Descriptor with(Descriptor descriptor, void (*change)(Descriptor&)) {
    change(descriptor);
    return descriptor;
}

const Bad Cases[] = {
    {"OutOfBounds", whole({Step, Bounds, Five, Twelve, Row}), ErrorCode::OutOfBounds,
     "descriptor 3, address 0x44: index 12 is out of bounds, expected 0 to 7"},
    {"BelowBounds", whole({Step, index_bounds(6, 70), Twelve, Five, Row}), ErrorCode::OutOfBounds,
     "descriptor 3, address 0x40: index 5 is out of bounds, expected 6 to 70"},
    {"NoIndex", whole({Step, index_bounds(8, 7), Five, Row}), ErrorCode::Indices,
     "descriptor 1, address 0x700000008: index bounds 8 to 7, expected an index"},
    {"StepWithin", whole({row(Low, 32, 0), Step, Bounds, Five, Row}), ErrorCode::Indices,
     "descriptor 1, address 0x40: after what the packet reads, expected before it"},
    {"StepTwice", whole({Step, Step, Bounds, Five, Row}), ErrorCode::Indices,
     "descriptor 1, address 0x40: an index step within a packet, expected at its beginning"},
    {"NoStep", whole({Bounds, Five, Row}), ErrorCode::Indices,
     "descriptor 0, address 0x700000000: index bounds, expected after the index step"},
    {"NoBounds", whole({Step, Five, Row}), ErrorCode::Indices,
     "descriptor 1, address 0x40: an index, expected after index bounds"},
    {"NoIndices", whole({Step, Bounds, Row}), ErrorCode::Indices,
     "descriptor 2, address 0x1000: no index before what is read, expected one"},
    {"RowBeyondTheIndices", whole({Step, Bounds, Five, row(Low, 32, 2)}), ErrorCode::Indices,
     "descriptor 3: the row of index 2, expected 1 to 1"},
    {"LengthOfAnIndex", whole({Step, Bounds, with(Five, [](Descriptor& d) { d.length = 8; }), Row}),
     ErrorCode::Indices, "descriptor 2, address 0x40: 8 bytes, expected 4"},
    {"PlaceOfAnIndex", whole({Step, Bounds, with(Five, [](Descriptor& d) { d.address += 2; }), Row}),
     ErrorCode::Indices, "descriptor 2, address 0x42: an index at 0x42, expected a multiple of 4"},
    {"NothingRead", whole({Step, Bounds, Five}), ErrorCode::Indices,
     "descriptor 2, address 0x40: the packet ends with it, expected what it reads"},
    {"BitsOfTheBounds", whole({Step, index_bounds(0, 7, 1u << 10), Five, Row}), ErrorCode::Unsupported,
     "descriptor 1, address 0x700000000: meta word 0x409: bits of the meta word that must be 0"},
    {"ElementsSkipped",
     whole({Step,
            index_bounds(0, 7, dma::SkipBit),
            Five,
            {.address = Low,
             .length = 32,
             .meta = encode(ReadMeta{Operation::Load, isa::Dtype::Fp32, 0, 0}) | 1u << RowShift}}),
     ErrorCode::Indices, "descriptor 3: elements with indices that are skipped, expected bytes"},
    {"IndexRefused", whole({Step, Bounds, index_at(0x500000000), Row}), ErrorCode::Read,
     "descriptor 2, address 0x500000000: read of an index refused (TLM_ADDRESS_ERROR_RESPONSE)"},
};

class DmaIndexError : public testing::TestWithParam<Bad> {};

TEST_P(DmaIndexError, StopsTheEngineWithAMessage) {
    const Bad& bad = GetParam();
    DmaBench b("b");
    elaborate();
    b.poke(Low, std::vector<std::uint8_t>(16384));
    b.poke(Low + 64, bytes_of(5));
    b.poke(Low + 68, bytes_of(12));
    b.poke(Low + 4096, pattern(1024, 5));
    run(b, bad.m2s, {row(High, 32, 0)});
    ASSERT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.errors[0].code, bad.code);
    EXPECT_EQ(b.errors[0].message, std::string("DMA engine 0 ring 3 ") + bad.message);
    b.dma.stop();
    sc_core::sc_start();
    ASSERT_TRUE(b.dma.quiet());
    b.dma.reset();
    run(b, whole({Step, Bounds, Five, Row}), {row(High, 32, 0)});
    EXPECT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.peek(High, 32), b.peek(Low + 4096 + 5 * 64, 32));
}

INSTANTIATE_TEST_SUITE_P(Cases, DmaIndexError, testing::ValuesIn(Cases),
                         [](const testing::TestParamInfo<Bad>& info) { return info.param.name; });

// There are more indices than registers.
TEST(DmaIndices, AtMostSixtyFour) {
    DmaBench b("b");
    elaborate();
    List m2s{Step, Bounds};
    for (unsigned i = 0; i <= dma::MaxIndices; ++i) m2s.push_back(Five);
    m2s.push_back(Row);
    run(b, whole(m2s), {row(High, 32, 0)});
    ASSERT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.errors[0].message,
              "DMA engine 0 ring 3 descriptor 66, address 0x40: more than 64 indices in a packet");
}

// A reset while indices are under way leaves nothing of them.
TEST(DmaIndices, ResetAtAnyTime) {
    DmaBench b("b");
    elaborate();
    auto random = generator();
    b.poke(Low + 64, bytes_of(5));
    b.poke(Low + 68, bytes_of(12));
    b.poke(Low + 4096, pattern(1024, 5));
    const List m2s = whole({Step, index_bounds(0, 7, dma::SkipBit), Five, Twelve, Row, row(Low + 4096, 32, 2),
                            row(Low + 4096, 16, 1)});
    const List s2m{row(High, 32, 0), row(High + 64, 32, 0), row(High + 128, 16, 0)};
    for (std::uint64_t turn = 0; turn < 40 * scale(); ++turn) {
        b.set_ring(0, 3, 48 << 20, m2s, s2m);
        b.ring_doorbell(0, 3, 7, 3);
        sc_core::sc_start(tlm::to_sc((1000 + random() % 2500) * Ns));
        b.dma.stop();
        sc_core::sc_start();
        ASSERT_TRUE(b.dma.quiet());
        b.dma.reset();
    }
    run(b, m2s, s2m);
    EXPECT_EQ(b.errors.size(), 0u);
    EXPECT_EQ(b.peek(High, 32), b.peek(Low + 4096 + 5 * 64, 32));
    EXPECT_EQ(b.peek(High + 128, 16), b.peek(Low + 4096 + 5 * 64, 16));
}

}  // namespace
}  // namespace trnsim::test
