// Random numbers, searches and moves between partitions: random sequences of operations compared with a plain
// computation of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "arch/numerics/xorwow.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/vector/special_bench.hpp"

namespace trnsim::test {
namespace {

using numerics::bits_of;
using numerics::float_of;
using numerics::Format;

constexpr std::size_t Lanes = SpecialLanes;
constexpr std::size_t Quadrant = SpecialQuadrant;

// The value of each lane in a result; lanes that are not written have none.
using Expected = std::vector<std::array<std::optional<std::uint32_t>, Lanes>>;

class Reference {
  public:
    Expected run(const SpecialOperation& op) {
        Expected results(op.results);
        if (op.special == Special::Seed) {
            generators_ = numerics::generators(numerics::Stream::VectorRandom, Lanes, op.elements[0][0]);
            return results;
        }
        if (op.special == Special::LoadMask) {
            mask_ = op.mask;
            return results;
        }
        for (std::size_t lane = 0; lane < op.partitions; ++lane) run_lane(op, lane, results);
        return results;
    }

  private:
    static std::uint32_t key(std::uint32_t bits) { return bits >> 31 != 0 ? ~bits : bits | 0x80000000; }

    static bool drops(std::uint32_t draw, float probability) {
        return static_cast<double>(draw) < std::floor(static_cast<double>(probability) * 4294967296.0);
    }

    void run_lane(const SpecialOperation& op, std::size_t lane, Expected& results) {
        std::vector<std::uint32_t> row;
        for (const SpecialRow& element : op.elements) row.push_back(element[lane]);
        switch (op.special) {
            case Special::Rng:
                for (auto& result : results) result[lane] = generators_[lane].draw();
                return;
            case Special::Dropout:
                for (std::size_t i = 0; i < row.size(); ++i) {
                    results[i][lane] =
                        drops(generators_[lane].draw(), float_of(op.immediate[lane])) ? 0 : row[i];
                }
                return;
            case Special::Max8:
                std::ranges::sort(row, std::greater{}, key);
                for (std::size_t i = 0; i < 8; ++i) results[i][lane] = row[i];
                return;
            case Special::Find8:
                for (std::size_t v = 0; v < 8; ++v) {
                    const float wanted = float_of(op.values[v][lane]);
                    const auto found = std::ranges::find(row, wanted, float_of);
                    results[v][lane] =
                        found == row.end() ? ~0u : static_cast<std::uint32_t>(found - row.begin());
                }
                return;
            case Special::Replace8: {
                std::array<bool, 8> used{};
                for (std::size_t i = 0; i < row.size(); ++i) {
                    const float value = op.raw ? numerics::to_fp32(row[i], op.format) : float_of(row[i]);
                    results[i][lane] = row[i];
                    for (int v = 7; v >= 0; --v) {
                        const auto place = static_cast<std::size_t>(v);
                        if (used[place] || float_of(op.values[place][lane]) != value) continue;
                        used[place] = true;
                        results[i][lane] = op.raw
                                               ? numerics::from_fp32(float_of(op.immediate[lane]), op.format)
                                               : op.immediate[lane];
                        break;
                    }
                }
                return;
            }
            case Special::Shuffle:
                if (const std::uint8_t from = mask_[lane % Quadrant]; from != 255) {
                    for (std::size_t i = 0; i < row.size(); ++i)
                        results[i][lane] = op.elements[i][lane / Quadrant * Quadrant + from];
                }
                return;
            default:  // Transpose
                for (std::size_t i = 0; i < row.size(); ++i) {
                    const std::size_t block = i / Quadrant * Quadrant;
                    results[block + lane % Quadrant][lane / Quadrant * Quadrant + i % Quadrant] = row[i];
                }
                return;
        }
    }

    std::vector<numerics::Xorwow> generators_ =
        numerics::generators(numerics::Stream::VectorRandom, Lanes, 0);
    std::array<std::uint8_t, Quadrant> mask_ = [] {
        std::array<std::uint8_t, Quadrant> mask{};
        mask.fill(255);
        return mask;
    }();
};

class Operations {
  public:
    explicit Operations(std::mt19937_64& random) : random_(random) {}

    SpecialOperation any(Special special) {
        SpecialOperation op;
        op.special = special;
        op.partitions = 1 + below(Lanes);
        std::size_t elements = 1 + below(100);
        switch (special) {
            case Special::Seed:
            case Special::LoadMask:
                elements = 1;
                break;
            case Special::Max8:
            case Special::Find8:
                elements = 8 + below(100);
                break;
            case Special::Transpose:
                if (below(2) != 0) {
                    op.partitions = Quadrant * (1 + below(4));
                    elements = Quadrant * (1 + below(4));
                } else {
                    op.partitions = 1 + below(Quadrant);
                    elements = 1 + below(Quadrant);
                }
                break;
            default:
                break;
        }
        op.results = special == Special::Max8 || special == Special::Find8 ? 8 : elements;
        if (special == Special::Transpose && op.partitions <= Quadrant && elements <= Quadrant)
            op.results = op.partitions;
        op.raw = special == Special::Replace8 && below(2) != 0;
        if (op.raw) op.format = below(2) != 0 ? Format::Bf16 : Format::Fp16;
        op.elements.resize(elements);
        for (SpecialRow& row : op.elements) fill(row, op);
        if (special == Special::Find8 || special == Special::Replace8) {
            op.values.resize(8);
            for (SpecialRow& row : op.values) {
                for (std::uint32_t& word : row) word = value();
            }
        }
        for (std::uint32_t& word : op.immediate) word = immediate();
        for (std::uint8_t& entry : op.mask)
            entry = below(4) == 0 ? 255 : static_cast<std::uint8_t>(below(Quadrant));
        return op;
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    // Returns one of few different values, so that they repeat; zeros of both signs, infinities and NaN are
    // among them.
    std::uint32_t value() {
        constexpr std::array<std::uint32_t, 8> Some = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                                       0x7f800000, 0xff800000, 0x7fc00000, 0x40490000};
        return below(2) != 0 ? Some[below(Some.size())]
                             : static_cast<std::uint32_t>(below(16)) << 20 | 0x40000000;
    }
    std::uint32_t immediate() {
        constexpr std::array<std::uint32_t, 10> Some = {0,          0x80000000, 0x3f800000, 0x3f7fffff,
                                                        0x3f800001, 0x7f800000, 0x7fc00000, 0xbf000000,
                                                        0x2f800000, 0xff800000};
        if (below(2) != 0) return Some[below(Some.size())];
        return bits_of(static_cast<float>(below(1000)) / 1000.0f);
    }
    void fill(SpecialRow& row, const SpecialOperation& op) {
        for (std::uint32_t& word : row) {
            word = op.special == Special::Seed      ? static_cast<std::uint32_t>(random_())
                   : op.special == Special::Shuffle ? static_cast<std::uint32_t>(random_())
                   : op.raw                         ? numerics::from_fp32(float_of(value()), op.format)
                                                    : value();
        }
    }

    std::mt19937_64& random_;
};

void expect_results(const std::vector<SpecialOperation>& operations, unsigned pace, std::mt19937_64& random,
                    SpecialBench& bench, Reference& reference) {
    const auto found = bench.run(operations, pace, random);
    for (std::size_t n = 0; n < operations.size(); ++n) {
        const SpecialOperation& op = operations[n];
        const Expected expected = reference.run(op);
        if (op.special == Special::Seed || op.special == Special::LoadMask) continue;
        ASSERT_EQ(found[n].size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            for (std::size_t lane = 0; lane < Lanes; ++lane) {
                if (!expected[i][lane]) continue;
                ASSERT_EQ(found[n][i].row[lane], *expected[i][lane])
                    << "operation " << n << ", special " << static_cast<int>(op.special) << ", result " << i
                    << ", lane " << lane;
                ASSERT_TRUE(found[n][i].written[lane]);
            }
            if (op.special != Special::Shuffle) continue;
            for (std::size_t lane = 0; lane < op.partitions; ++lane)
                ASSERT_EQ(found[n][i].written[lane], expected[i][lane].has_value());
        }
    }
}

constexpr std::array AllSpecials = {Special::Seed,     Special::Rng,     Special::Dropout,
                                    Special::Max8,     Special::Find8,   Special::Replace8,
                                    Special::LoadMask, Special::Shuffle, Special::Transpose};

TEST(VectorSpecial, RandomSequences) {
    std::mt19937_64 random = generator();
    Operations operations(random);
    SpecialBench bench;
    Reference reference;
    const std::uint64_t runs = 60 * scale();
    for (std::uint64_t run = 0; run < runs; ++run) {
        std::vector<SpecialOperation> sequence(12);
        for (SpecialOperation& operation : sequence)
            operation = operations.any(AllSpecials[random() % AllSpecials.size()]);
        const unsigned pace = run % 2 != 0 ? 256 : 64 + static_cast<unsigned>(random() % 192);
        ASSERT_NO_FATAL_FAILURE(expect_results(sequence, pace, random, bench, reference)) << "run " << run;
    }
}

// The unit takes an element a cycle, without gaps between blocks or operations.
TEST(VectorSpecial, KeepsUpWithElements) {
    std::mt19937_64 random = generator();
    Operations operations(random);
    for (const Special special : {Special::Rng, Special::Dropout, Special::Max8, Special::Find8,
                                  Special::Replace8, Special::Shuffle, Special::Transpose}) {
        SpecialBench bench;
        std::vector<SpecialOperation> sequence;
        std::uint64_t elements = 0;
        while (elements < 2048) {
            SpecialOperation op = operations.any(special);
            if (special == Special::Transpose && op.elements.size() % Quadrant != 0) continue;
            elements += op.elements.size() + op.values.size();
            sequence.push_back(std::move(op));
        }
        bench.run(sequence, 256, random);
        EXPECT_LE(bench.cycles(), elements + Quadrant + 2) << static_cast<int>(special);
    }
}

}  // namespace
}  // namespace trnsim::test
