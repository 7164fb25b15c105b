// Compares two rules on overlapping operands: the interpreter's, which goes through the elements, and the
// builder's, which calculates with steps.
#include "testbench/functional/overlap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "common/random.hpp"
#include "compiler/builder/overlap.hpp"

namespace trnsim::functional {
namespace {

using target::Memory;

constexpr std::int64_t PartitionBytes = 4096;
constexpr unsigned Partitions = 32;  // operands start at partition 0 or at this one

struct Pattern {
    Memory memory = Memory::Sbuf;
    std::uint32_t partition = 0, bytes = 1;
    std::int64_t offset = 0;  // the first element's
    isa::Counts counts{1, 1, 1, 1};
    isa::Steps steps{};
};

Places places_of(const Pattern& p) {
    Places places{p.memory, p.partition, p.bytes, p.counts, {}};
    for (std::int64_t w = 0; w < p.counts[3]; ++w)
        for (std::int64_t z = 0; z < p.counts[2]; ++z)
            for (std::int64_t y = 0; y < p.counts[1]; ++y)
                for (std::int64_t x = 0; x < p.counts[0]; ++x)
                    places.offsets.push_back(
                        p.offset +
                        (x * p.steps[0] + y * p.steps[1] + z * p.steps[2] + w * p.steps[3]) * p.bytes);
    return places;
}

bool interpreter_refuses(const Pattern& dst, const Pattern& source) {
    return overlap_is_undefined(places_of(dst), places_of(source));
}

bool builder_refuses(const Pattern& dst, const Pattern& source) {
    const auto pattern = [](const Pattern& p) {
        builder::ElementPattern result{p.memory, p.partition, p.offset, p.bytes, {}};
        for (std::size_t d = 0; d < p.counts.size(); ++d) result.axes[d] = {p.counts[d], p.steps[d]};
        return result;
    };
    return builder::overlap_is_undefined(pattern(dst), pattern(source));
}

// Makes pairs of operands that overlap or nearly do.
class Pairs {
  public:
    explicit Pairs(std::uint64_t first) : random_(first) {}

    std::pair<Pattern, Pattern> next() {
        Pattern source, dst;
        do {
            source = pattern();
        } while (!fits(source));
        do {
            dst = near(source);
        } while (!fits(dst));
        return {dst, source};
    }

  private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    int about(int n) { return static_cast<int>(pick(static_cast<unsigned>(2 * n + 1))) - n; }

    isa::Counts counts() {
        static constexpr std::array<std::uint32_t, 9> Some{1, 1, 1, 2, 3, 5, 7, 11, 13};
        isa::Counts counts{};
        for (std::uint32_t& count : counts) count = Some[pick(Some.size())];
        if (pick(8) == 0) counts[pick(4)] = 1 + pick(200);
        return counts;
    }

    // Returns a pattern with axes nested in any order, most of them without a gap; or one with any steps.
    Pattern pattern() {
        Pattern p{
            pick(5) == 0 ? Memory::Psum : Memory::Sbuf, pick(2) * Partitions, 1U << pick(3), 0, counts(), {}};
        std::array<unsigned, 4> order{0, 1, 2, 3};
        std::ranges::shuffle(order, random_);
        const bool nested = pick(5) != 0;
        std::int32_t reach = 0;
        for (const unsigned d : order) {
            // The step leaves no gap, room for a second pattern, or any gap; now and then it is a little too
            // small.
            const std::int32_t room = pick(2) ? 0 : pick(2) ? reach + 1 : static_cast<std::int32_t>(pick(9));
            std::int32_t step = nested ? reach + room + (pick(6) ? 1 : about(2)) : about(40);
            if (p.counts[d] == 1 && pick(2)) step = about(32767);
            if (pick(3) == 0) step = -step;
            p.steps[d] = step;
            if (p.counts[d] > 1) reach += std::abs(step) * static_cast<std::int32_t>(p.counts[d] - 1);
        }
        place(p);
        return p;
    }

    static std::pair<std::int64_t, std::int64_t> hull(const Pattern& p) {
        std::int64_t low = p.offset, high = p.offset + p.bytes;
        for (std::size_t d = 0; d < 4; ++d) {
            const std::int64_t way = std::int64_t{p.steps[d]} * (p.counts[d] - 1) * p.bytes;
            (way < 0 ? low : high) += way;
        }
        return {low, high};
    }

    void place(Pattern& p) {
        const auto [low, high] = hull(p);
        const std::int64_t room = (PartitionBytes - (high - low)) / p.bytes;
        if (room > 0)
            p.offset += static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(room)) * p.bytes -
                        low / p.bytes * p.bytes;
    }

    static bool fits(const Pattern& p) {
        const auto [low, high] = hull(p);
        std::uint64_t elements = 1;
        for (const std::uint32_t count : p.counts) elements *= count;
        return low >= 0 && high <= PartitionBytes && elements <= 2000;
    }

    // Returns the same pattern or one that differs a little: at the same place, moved by about one of its
    // distances, or next to it.
    Pattern near(const Pattern& source) {
        if (pick(8) == 0) return pattern();
        Pattern dst = source;
        const unsigned change = pick(20), d = pick(4);
        if (change == 0) dst.steps[d] += about(1);
        if (change == 1)
            dst.counts[d] = std::max<std::uint32_t>(1, dst.counts[d] + static_cast<std::uint32_t>(about(1)));
        if (change == 2) dst.bytes = 1U << pick(3);
        if (change == 3) dst.steps[d] = -dst.steps[d];
        if (change == 4) dst.partition = Partitions - dst.partition;
        if (change == 5) dst.memory = dst.memory == Memory::Sbuf ? Memory::Psum : Memory::Sbuf;
        if (change == 6 || change == 7) std::swap(dst.steps[d], dst.steps[(d + 1) % 4]);
        if (change == 7 || change == 8) std::swap(dst.counts[d], dst.counts[(d + 1) % 4]);
        if ((change == 9 || change == 10) && dst.bytes > 1) {  // half as wide, at the same places
            dst.bytes /= 2;
            for (std::int32_t& step : dst.steps) step *= 2;
        }
        const auto [low, high] = hull(source);
        const std::int64_t size = dst.bytes;
        switch (pick(6)) {
            case 0:
                break;
            case 1:
                dst.offset += about(3) * size;
                break;
            case 2:
                dst.offset += (source.steps[d] + about(1)) * size;
                break;
            case 3:
                dst.offset += (pick(2) ? high - low : low - high) / size * size + about(1) * size;
                break;
            case 4:
                dst.offset += about(1000) * size;
                break;
            default:  // between two places of an axis
                dst.offset += about(std::max(1, std::abs(source.steps[d]) - 1)) * size;
                break;
        }
        dst.offset = dst.offset / size * size;
        return dst;
    }

    std::mt19937_64 random_;
};

// Returns whether an element of dst writes a byte of another element of source. A byte of several source
// elements belongs to none.
bool shares_a_byte(const Places& dst, const Places& source) {
    if (dst.memory != source.memory || dst.partition != source.partition) return false;
    std::map<std::int64_t, std::size_t> reader;
    for (std::size_t i = 0; i < source.offsets.size(); ++i)
        for (std::uint32_t byte = 0; byte < source.bytes; ++byte) {
            const auto [at, fresh] = reader.emplace(source.offsets[i] + byte, i);
            if (!fresh) at->second = source.offsets.size();  // a byte of several elements
        }
    for (std::size_t i = 0; i < dst.offsets.size(); ++i)
        for (std::uint32_t byte = 0; byte < dst.bytes; ++byte) {
            const auto at = reader.find(dst.offsets[i] + byte);
            if (at != reader.end() && at->second != i) return true;
        }
    return false;
}

TEST(Overlap, InterpreterAndBuilderRefuseTheSame) {
    Pairs pairs(test::seed());
    std::map<std::string, unsigned> seen;
    for (std::uint64_t i = 0; i < 20000 * test::scale(); ++i) {
        const auto [dst, source] = pairs.next();
        const bool refused = interpreter_refuses(dst, source);
        const Places to = places_of(dst), from = places_of(source);
        ASSERT_EQ(refused, builder_refuses(dst, source))
            << "case " << i << ": dst " << ::testing::PrintToString(dst.counts)
            << ::testing::PrintToString(dst.steps) << " of " << dst.bytes << " bytes at " << dst.offset
            << ", source " << ::testing::PrintToString(source.counts)
            << ::testing::PrintToString(source.steps) << " of " << source.bytes << " bytes at "
            << source.offset;
        // No element of the source is overwritten by the result of another element.
        if (!refused) {
            ASSERT_FALSE(shares_a_byte(to, from)) << "case " << i;
        }
        const bool meet = to.memory == from.memory && to.partition == from.partition &&
                          std::ranges::max(to.offsets) >= std::ranges::min(from.offsets) &&
                          std::ranges::max(from.offsets) >= std::ranges::min(to.offsets);
        ++seen[refused                      ? "refused"
               : !meet                      ? "apart"
               : to.offsets == from.offsets ? "in place"
                                            : "interleaved"];
    }
    EXPECT_EQ(seen.size(), 4u);
    for (const auto& [kind, count] : seen) EXPECT_GT(count, 200u) << kind;
}

// The pairs above tell a rule with one mistake from the builder's rule.
TEST(Overlap, MistakesAreFound) {
    using Change = void (*)(Places & dst, Places & source);
    const std::map<std::string, Change> mistakes{
        {"takes elements for bytes", [](Places& dst, Places& source) { dst.bytes = source.bytes = 1; }},
        {"takes bytes for words", [](Places& dst, Places& source) { dst.bytes = source.bytes = 4; }},
        {"does not look at the partition",
         [](Places& dst, Places& source) { dst.partition = source.partition; }},
        {"does not look at the memory", [](Places& dst, Places& source) { dst.memory = source.memory; }},
        {"does not look at the shape",
         [](Places& dst, Places& source) {
             if (dst.offsets.size() == source.offsets.size()) dst.counts = source.counts;
         }},
        {"does not look at dst's size", [](Places& dst, Places& source) { dst.bytes = source.bytes; }},
        {"is one element off",
         [](Places& dst, Places&) {
             for (std::int64_t& offset : dst.offsets) offset += dst.bytes;
         }},
        {"is one element off the other way",
         [](Places& dst, Places&) {
             for (std::int64_t& offset : dst.offsets) offset -= dst.bytes;
         }},
        {"leaves out the last element",
         [](Places& dst, Places&) { dst.offsets.back() = dst.offsets.front(); }},
        {"goes backwards", [](Places& dst, Places&) { std::ranges::reverse(dst.offsets); }},
    };
    for (const auto& [name, change] : mistakes) {
        Pairs pairs(test::seed());
        unsigned found = 0;
        for (unsigned i = 0; i < 10000; ++i) {
            const auto [dst, source] = pairs.next();
            Places to = places_of(dst), from = places_of(source);
            change(to, from);
            found += overlap_is_undefined(to, from) != builder_refuses(dst, source);
        }
        EXPECT_GT(found, 5u) << name;
    }
}

struct Directed {
    const char* what;
    Pattern dst, source;
    bool refused;
};

TEST(Overlap, WhatIsJudgedByTheSteps) {
    const auto sbuf = [](std::int64_t offset, std::uint32_t bytes, isa::Counts counts, isa::Steps steps) {
        return Pattern{Memory::Sbuf, 0, bytes, offset, counts, steps};
    };
    const std::vector<Directed> cases{
        {"0 2 4 3 5 7: no element twice, but steps of 2 and 3 interlock",
         sbuf(0, 1, {3, 2, 1, 1}, {2, 3, 0, 0}), sbuf(0, 1, {3, 2, 1, 1}, {2, 3, 0, 0}), true},
        {"0 2 4 5 7 9: they do not", sbuf(0, 1, {3, 2, 1, 1}, {2, 5, 0, 0}),
         sbuf(0, 1, {3, 2, 1, 1}, {2, 5, 0, 0}), false},
        {"the same, the outer dimension first and backwards", sbuf(40, 4, {2, 3, 1, 1}, {-5, 2, 0, 0}),
         sbuf(40, 4, {2, 3, 1, 1}, {-5, 2, 0, 0}), false},
        {"interleaved, three apart in steps of two: no element of both",
         sbuf(3, 1, {4, 1, 1, 1}, {2, 0, 0, 0}), sbuf(0, 1, {4, 1, 1, 1}, {2, 0, 0, 0}), true},
        {"interleaved, one apart", sbuf(1, 1, {4, 1, 1, 1}, {2, 0, 0, 0}),
         sbuf(0, 1, {4, 1, 1, 1}, {2, 0, 0, 0}), false},
        {"one row of eight read as eight rows of one", sbuf(0, 2, {8, 1, 1, 1}, {1, 0, 0, 0}),
         sbuf(0, 2, {1, 8, 1, 1}, {0, 1, 0, 0}), true},
        {"two equal steps", sbuf(0, 2, {2, 2, 1, 1}, {3, 3, 0, 0}), sbuf(0, 2, {2, 2, 1, 1}, {3, 3, 0, 0}),
         true},
        {"a result over and over, in front of its source", sbuf(0, 4, {5, 1, 1, 1}, {0, 0, 0, 0}),
         sbuf(4, 4, {5, 1, 1, 1}, {1, 0, 0, 0}), false},
        {"in the place of its first element", sbuf(4, 4, {5, 1, 1, 1}, {0, 0, 0, 0}),
         sbuf(4, 4, {5, 1, 1, 1}, {1, 0, 0, 0}), true},
    };
    for (const auto& [what, dst, source, refused] : cases) {
        EXPECT_EQ(interpreter_refuses(dst, source), refused) << what;
        EXPECT_EQ(builder_refuses(dst, source), refused) << what;
    }
}

}  // namespace
}  // namespace trnsim::functional
