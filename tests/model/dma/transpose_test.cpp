// Compares packets that transpose with loops on the host, and tests their times and those that are refused.
#include "model/dma/transpose.hpp"
#include "arch/dma/elements.hpp"
#include "common/random.hpp"
#include "model/dma/bench.hpp"
#include "model/dma/indices.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;
using dma::encode;
using dma::ErrorCode;
using dma::Operation;
using dma::ReadMeta;
using dma::Result;
using dma::WriteMeta;

using List = std::vector<Descriptor>;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t Area = 1 << 17;  // bytes of a packet on each side
constexpr std::uint8_t Untouched = 0x5a;

Descriptor shape(std::uint32_t rows, std::uint32_t columns, std::uint32_t element) {
    return {.address = dma::transpose_shape(rows, columns, element),
            .length = 8,
            .meta = encode(ReadMeta{Operation::Transpose})};
}

Descriptor nothing() {
    return {.length = 1, .meta = encode(WriteMeta{Result::Nothing})};
}

List whole(List list) {
    list.front().first = list.back().last = true;
    return list;
}

// Adds descriptors of `length` bytes, in pieces.
void cut(std::uint64_t address, std::uint32_t length, std::mt19937_64& random, List& list) {
    while (length != 0) {
        const auto piece = static_cast<std::uint32_t>(random() % 4 == 0 ? 1 + random() % length : length);
        list.push_back({.address = address, .length = piece});
        address += piece;
        length -= piece;
    }
}

void start(DmaBench& b, const List& m2s, const List& s2m, unsigned ring = 3) {
    b.set_ring(0, ring, 48 << 20, m2s, s2m);
    b.ring_doorbell(0, ring, static_cast<unsigned>(m2s.size()), static_cast<unsigned>(s2m.size()));
}

void run(DmaBench& b, const List& m2s, const List& s2m) {
    start(b, m2s, s2m);
    sc_core::sc_start();
}

// A matrix with gaps between rows, and its transpose, which has gaps as well.
struct Matrix {
    std::uint32_t rows, columns, element;
    std::uint64_t from, from_step, to, to_step;
};

Matrix random_matrix(std::mt19937_64& random, std::uint64_t from, std::uint64_t to) {
    Matrix m{};
    m.element = 1U << random() % 3;
    const auto most = [&](std::uint32_t limit) {
        constexpr std::uint32_t Small = 9;
        return static_cast<std::uint32_t>(1 +
                                          random() % (random() % 3 == 0 ? std::min(Small, limit) : limit));
    };
    const bool tall = random() % 2 == 0;
    const std::uint32_t one = most(200), other = most(dma::MaxTransposedElements / one);
    m.rows = tall ? one : other;
    m.columns = tall ? other : one;
    // Any address is allowed, as the engine moves bytes.
    m.from = from + random() % 700;
    m.to = to + random() % 700;
    m.from_step = m.columns * m.element + random() % 9;
    m.to_step = m.rows * m.element + random() % 9;
    return m;
}

void add(const Matrix& m, std::mt19937_64& random, List& m2s, List& s2m) {
    const std::size_t first = m2s.size();
    m2s.push_back(shape(m.rows, m.columns, m.element));
    if (random() % 2 == 0) s2m.push_back(nothing());
    for (std::uint32_t row = 0; row < m.rows; ++row)
        cut(m.from + row * m.from_step, m.columns * m.element, random, m2s);
    for (std::uint32_t column = 0; column < m.columns; ++column)
        cut(m.to + column * m.to_step, m.rows * m.element, random, s2m);
    m2s[first].first = m2s.back().last = true;
}

// Computes the packet's result in its area.
void transpose(const Matrix& m, const Bytes& source, std::uint64_t from, Bytes& there, std::uint64_t to) {
    for (std::uint32_t row = 0; row < m.rows; ++row) {
        for (std::uint32_t column = 0; column < m.columns; ++column) {
            for (std::uint32_t byte = 0; byte < m.element; ++byte)
                there[m.to - to + column * m.to_step + row * m.element + byte] =
                    source[m.from - from + row * m.from_step + column * m.element + byte];
        }
    }
}

class DmaTranspose : public testing::TestWithParam<unsigned> {};  // seed of the perturbation; 0: none

// Transposing packets are among packets of bytes, in one ring.
TEST_P(DmaTranspose, OfAnyShape) {
    constexpr std::size_t Packets = 12;
    DmaBench b("b", 1, true, GetParam() == 0 ? tlm::perturb::Seed{} : tlm::perturb::Seed(GetParam()));
    elaborate();
    auto random = generator();
    for (std::uint64_t turn = 0; turn < 6 * scale(); ++turn) {
        List m2s, s2m;
        std::vector<Bytes> expected;
        for (std::size_t p = 0; p < Packets; ++p) {
            const std::uint64_t from = Low + (1 + p) * Area, to = High + (1 + p) * Area;
            const Bytes source = pattern(Area, random());
            b.poke(from, source);
            b.poke(to, Bytes(Area, Untouched));
            Bytes& there = expected.emplace_back(Area, Untouched);
            if (random() % 4 == 0) {
                const auto length = static_cast<std::uint32_t>(1 + random() % 5000);
                m2s = m2s + packet(from, length, 512);
                s2m = s2m + packet(to, length, 300);
                std::copy_n(source.begin(), length, there.begin());
                continue;
            }
            const Matrix m = random_matrix(random, from, to);
            add(m, random, m2s, s2m);
            transpose(m, source, from, there, to);
        }
        for (Descriptor& descriptor : m2s) descriptor.barrier = random() % 32 == 0;
        run(b, m2s, s2m);
        ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
        EXPECT_TRUE(b.dma.engine(0).idle());
        for (std::size_t p = 0; p < Packets; ++p)
            ASSERT_EQ(b.peek(High + (1 + p) * Area, Area), expected[p]) << "packet " << p;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DmaTranspose, testing::Range(0u, 4u));

// Transposes the largest matrix, in its own place.
TEST(DmaTransposed, InPlace) {
    DmaBench b("b");
    elaborate();
    const Matrix m{64, 64, 4, Low + Area, 256, Low + Area, 256};
    const Bytes source = pattern(Area, 4);
    b.poke(Low + Area, source);
    Bytes expected = source;
    transpose(m, source, Low + Area, expected, Low + Area);
    run(b, whole({shape(64, 64, 4), {.address = Low + Area, .length = 16384}}),
        {{.address = Low + Area, .length = 16384}});
    ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
    EXPECT_EQ(b.peek(Low + Area, Area), expected);
}

// A barrier on the shape holds for the reads.
TEST(DmaTransposed, ABarrierOnTheShape) {
    DmaBench b("b");
    elaborate();
    List m2s = packet(Low + Area, 8192, 2048);
    m2s = m2s + whole({shape(8, 8, 1), {.address = Low, .length = 64}});
    m2s[m2s.size() - 2].barrier = true;
    run(b, m2s, packet(High + Area, 8192, 2048) + List{{.address = High, .length = 64}});
    ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
    ASSERT_EQ(b.packets.all.size(), 2u);
    EXPECT_GE(b.packets.all[1].start, b.packets.all[0].end);
}

TEST(DmaTransposed, ResetAtAnyTime) {
    DmaBench b("b");
    elaborate();
    auto random = generator();
    const Bytes source = pattern(Area, 9);
    b.poke(Low + Area, source);
    for (std::uint64_t turn = 0; turn < 40 * scale(); ++turn) {
        List m2s, s2m;
        for (int p = 0; p < 3; ++p) add(random_matrix(random, Low + Area, High + Area), random, m2s, s2m);
        start(b, m2s, s2m);
        sc_core::sc_start(tlm::to_sc((1000 + random() % 6000) * Ns));
        b.dma.stop();
        sc_core::sc_start();
        ASSERT_TRUE(b.dma.quiet());
        b.dma.reset();
    }
    const Matrix m{50, 30, 2, Low + Area, 61, High + Area, 101};
    List m2s, s2m;
    add(m, random, m2s, s2m);
    b.poke(High + Area, Bytes(Area, Untouched));
    Bytes expected(Area, Untouched);
    transpose(m, source, Low + Area, expected, High + Area);
    run(b, m2s, s2m);
    ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
    EXPECT_EQ(b.peek(High + Area, Area), expected);
}

// Returns the GB/s of one engine for matrices of `rows` x `columns`, with a descriptor for each row and each
// column.
double rate(DmaBench& b, std::uint32_t rows, std::uint32_t columns, std::uint32_t element) {
    constexpr std::uint64_t Count = 100;
    const std::uint64_t bytes = std::uint64_t{rows} * columns * element;
    const std::size_t before = b.packets.all.size();
    List m2s, s2m;
    for (std::uint64_t i = 0; i < Count; ++i) {
        List one{shape(rows, columns, element)};
        one = one + packet(Low + (8 << 20) + i * bytes, bytes, columns * element);
        one[1].first = false;
        m2s = m2s + whole(one);
        s2m = s2m + packet(High + i * bytes, bytes, rows * element);
    }
    run(b, m2s, s2m);
    EXPECT_EQ(b.errors.size(), 0u);
    const double time = static_cast<double>(b.packets.all.back().end - b.packets.all.at(before).end) / 1e6;
    return static_cast<double>((Count - 1) * bytes) / time;
}

// The engine moves an element a nanosecond, whatever its size, if descriptors take no less than 7 ns.
TEST(DmaTransposeTiming, AnElementANanosecond) {
    DmaBench b("b");
    elaborate();
    const double bytes = rate(b, 64, 64, 1), halves = rate(b, 64, 64, 2), words = rate(b, 64, 64, 4),
                 small = rate(b, 32, 32, 2), narrow = rate(b, 4, 32, 2);
    std::printf("elements of 1 byte: %.2f GB/s, of 2: %.2f, of 4: %.2f; of 2, 32 x 32: %.2f, 4 x 32: %.2f\n",
                bytes, halves, words, small, narrow);
    EXPECT_NEAR(bytes, 1, 0.1);
    EXPECT_NEAR(halves, 2, 0.2);
    EXPECT_NEAR(words, 4, 0.4);
    EXPECT_NEAR(small, 2, 0.2);
    EXPECT_NEAR(narrow, 8 / 7.0, 0.1);  // 4 elements of 2 bytes in 7 ns
}

struct Bad {
    const char* name;
    List m2s;
    ErrorCode code;
    const char* message;
    List s2m{{.address = High, .length = 48}};
};

const Descriptor Shape = shape(4, 6, 2);

const WriteMeta Elements{Result::Elements, isa::Dtype::Bf16, isa::Rounding::Nearest};

Descriptor source(std::uint32_t bytes) {
    return {.address = Low + 4096, .length = bytes};
}
Descriptor with(Descriptor descriptor, void (*change)(Descriptor&)) {
    change(descriptor);
    return descriptor;
}

const Bad Cases[] = {
    {"ShapeWithin", whole({source(32), Shape, source(48)}), ErrorCode::Transposition,
     "descriptor 1, address 0x200060004: a shape within a packet, expected at its beginning"},
    {"ShapeTwice", whole({Shape, Shape, source(48)}), ErrorCode::Transposition,
     "descriptor 1, address 0x200060004: a shape within a packet, expected at its beginning"},
    {"LengthOfTheShape", whole({with(Shape, [](Descriptor& d) { d.length = 4; }), source(48)}),
     ErrorCode::Transposition, "descriptor 0, address 0x200060004: a shape of 4 bytes, expected 8"},
    {"NothingRead", whole({Shape}), ErrorCode::Transposition,
     "descriptor 0, address 0x200060004: the packet ends with its shape, expected what it reads"},
    {"SizeOfElements", whole({shape(4, 6, 8), source(192)}), ErrorCode::Transposition,
     "descriptor 0, address 0x800060004: elements of 8 bytes, expected 1, 2 or 4"},
    {"NoElements", whole({shape(4, 6, 0), source(48)}), ErrorCode::Transposition,
     "descriptor 0, address 0x60004: elements of 0 bytes, expected 1, 2 or 4"},
    {"BitsOfTheShape", whole({with(Shape, [](Descriptor& d) { d.address |= 1ULL << 40; }), source(48)}),
     ErrorCode::Transposition,
     "descriptor 0, address 0x10200060004: elements of 258 bytes, expected 1, 2 or 4"},
    {"NoRows", whole({shape(0, 6, 2), source(48)}), ErrorCode::Transposition,
     "descriptor 0, address 0x200060000: a matrix of 0 x 6 elements, expected 1 to 4096"},
    {"TooLarge", whole({shape(64, 65, 1), source(4160)}), ErrorCode::Transposition,
     "descriptor 0, address 0x100410040: a matrix of 64 x 65 elements, expected 1 to 4096"},
    {"ReadsLess", whole({Shape, source(24), source(23)}), ErrorCode::Transposition,
     "descriptor 2, address 0x1000: the packet reads 47 bytes, expected 48 of a matrix of 4 x 6"},
    {"ReadsMore", whole({Shape, source(24), source(25)}), ErrorCode::Transposition,
     "descriptor 2, address 0x1000: the packet reads 49 bytes, expected 48 of a matrix of 4 x 6"},
    {"GoesOn", whole({Shape, source(48), source(1)}), ErrorCode::Transposition,
     "descriptor 1, address 0x1000: the packet goes on after 48 bytes, expected 48 of a matrix of 4 x 6"},
    {"Elements",
     whole({Shape,
            {.address = Low + 4096,
             .length = 48,
             .meta = encode(ReadMeta{Operation::Load, isa::Dtype::Bf16, 0, 0})}}),
     ErrorCode::Transposition,
     "descriptor 1, address 0x1000: operation 1 in a packet that transposes, expected 0 (copy)"},
    {"Scale",
     whole({Shape, {.address = 1, .length = 4, .meta = encode(ReadMeta{Operation::Scale})}, source(48)}),
     ErrorCode::Transposition,
     "descriptor 1, address 0x1: operation 6 in a packet that transposes, expected 0 (copy)"},
    {"Indices",
     whole({Shape, {.address = 64, .length = 8, .meta = encode(ReadMeta{Operation::IndexStep})}, source(48)}),
     ErrorCode::Indices, "descriptor 1, address 0x40: after what the packet reads, expected before it"},
    {"BitsOfTheMetaWord", whole({with(Shape, [](Descriptor& d) { d.meta |= 0x100; }), source(48)}),
     ErrorCode::Unsupported,
     "descriptor 0, address 0x200060004: meta word 0x10b: bits of the meta word that must be 0"},
    {"UnknownOperation", whole({with(Shape, [](Descriptor& d) { d.meta = 12; }), source(48)}),
     ErrorCode::Unsupported,
     "descriptor 0, address 0x200060004: meta word 0xc: unknown operation, expected 0 (copy) to 11"},
    {"ReadRefused", whole({Shape, {.address = 0x500000000, .length = 48}}), ErrorCode::Read,
     "descriptor 1, address 0x500000000: read refused (TLM_ADDRESS_ERROR_RESPONSE)"},
    {"ResultsDoNotFit",
     whole({Shape, source(48)}),
     ErrorCode::LengthMismatch,
     "descriptor 0: the packet is longer than its s2m descriptors",
     {{.address = High, .length = 47}}},
    {"ResultsDoNotFill",
     whole({Shape, source(48)}),
     ErrorCode::LengthMismatch,
     "descriptor 0, address 0x1000000000: s2m descriptor goes 1 bytes beyond the end of its packet",
     {{.address = High, .length = 49}}},
    {"ResultsOfElements",
     whole({Shape, source(48)}),
     ErrorCode::Elements,
     "descriptor 0, address 0x1000000000: an s2m descriptor of elements in a packet of bytes",
     {{.address = High, .length = 48, .meta = encode(Elements)}}},
};

class DmaTransposeError : public testing::TestWithParam<Bad> {};

TEST_P(DmaTransposeError, StopsTheEngineWithAMessage) {
    const Bad& bad = GetParam();
    DmaBench b("b");
    elaborate();
    const Bytes data = pattern(8192, 5);
    b.poke(Low, data);
    b.poke(High, Bytes(64, Untouched));
    run(b, bad.m2s, bad.s2m);
    ASSERT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.errors[0].code, bad.code);
    EXPECT_EQ(b.errors[0].message, std::string("DMA engine 0 ring 3 ") + bad.message);
    b.dma.stop();
    sc_core::sc_start();
    ASSERT_TRUE(b.dma.quiet());
    b.dma.reset();
    run(b, whole({Shape, source(48)}), {{.address = High, .length = 48}});
    EXPECT_EQ(b.errors.size(), 1u);
    Bytes expected(48);
    transpose({4, 6, 2, Low, 12, High, 8}, {data.begin() + 4096, data.begin() + 4144}, Low, expected, High);
    EXPECT_EQ(b.peek(High, 48), expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, DmaTransposeError, testing::ValuesIn(Cases),
                         [](const testing::TestParamInfo<Bad>& info) { return info.param.name; });

}  // namespace
}  // namespace trnsim::test
