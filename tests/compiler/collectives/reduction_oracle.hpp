// Computes the results of reductions element by element, from the orders in docs/collectives.md and the
// arithmetic of common/element_oracle.hpp. It shares only the names of algorithms with compiler/collectives.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "common/element_oracle.hpp"
#include "compiler/collectives/generate.hpp"

namespace trnsim::collectives::test {

using trnsim::test::ElementFormat;

// Reduces one element of a vector that every member has.
class ReductionOracle {
  public:
    ReductionOracle(isa::AluOp op, const ElementFormat& format, bool stochastic, std::uint32_t seed)
        : op_(op), format_(format), stochastic_(stochastic), seed_(seed) {}

    using Elements = std::vector<std::uint32_t>;  // bits, one of each member

    // Reduces from left to right in fp32.
    float in_fp32(const std::vector<float>& sources) const {
        using trnsim::test::oracle_combine;
        float r = oracle_combine(isa::AluOp::Bypass, 1, sources[0], 0);
        for (std::size_t s = 1; s < sources.size(); ++s) r = oracle_combine(op_, 1, sources[s], r);
        return r;
    }
    std::uint32_t converted(float r, std::uint64_t node, std::uint64_t element) const {
        std::optional<std::uint32_t> draw;
        if (stochastic_) draw = trnsim::test::oracle_draw(seed_, node * (std::uint64_t{1} << 40) + element);
        return trnsim::test::oracle_bits(r, format_, draw);
    }
    std::vector<float> values(const Elements& x) const {
        std::vector<float> all;
        for (const std::uint32_t bits : x) all.push_back(trnsim::test::oracle_fp32(bits, format_));
        return all;
    }
    std::uint32_t combine(const Elements& sources, std::uint64_t node, std::uint64_t element) const {
        return converted(in_fp32(values(sources)), node, element);
    }

    // Reduces in a chain through `order`; the first partial sum has the number `node` + 1.
    std::uint32_t chain(const Elements& x, const std::vector<std::size_t>& order, std::uint64_t node,
                        std::uint64_t element) const {
        std::uint32_t sum = x[order[0]];
        for (std::size_t h = 1; h < order.size(); ++h) sum = combine({sum, x[order[h]]}, node + h, element);
        return sum;
    }

    // Reduces round the cycle, from the successor of the owner to the owner.
    std::uint32_t ring(const Elements& x, const std::vector<std::uint32_t>& cycle, std::size_t owner,
                       std::uint64_t node, std::uint64_t element) const {
        std::size_t at = 0;
        while (cycle[at] != owner) ++at;
        std::vector<std::size_t> order;
        for (std::size_t i = 1; i <= cycle.size(); ++i) order.push_back(cycle[(at + i) % cycle.size()]);
        return chain(x, order, node, element);
    }

    // Reduces sixteen at a time until sixteen or fewer are left.
    std::uint32_t mesh(const Elements& x, std::uint64_t element) const {
        if (x.size() == 1) return x[0];
        std::vector<float> all = values(x);
        while (all.size() > 16) {
            std::vector<float> fewer;
            for (std::size_t first = 0; first < all.size(); first += 16) {
                const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
                fewer.push_back(in_fp32({begin, begin + std::min<std::ptrdiff_t>(16, all.end() - begin)}));
            }
            all = fewer;
        }
        return converted(in_fp32(all), 0, element);
    }

    std::uint32_t halving(const Elements& x, std::size_t owner, std::uint64_t element) const {
        const std::size_t n = x.size();
        if (n == 1) return x[0];
        std::size_t p = 1;
        while (2 * p <= n) p *= 2;
        const std::size_t extra = n - p;
        // Returns the elements that participant i has before round k; partners in round k differ by p / 2^(k
        // + 1).
        const std::function<Elements(std::size_t, std::size_t)> has = [&](std::size_t i, std::size_t k) {
            Elements all;
            if (i < extra) {
                all = {x[2 * i], x[2 * i + 1]};
            } else {
                all = {x[i + extra]};
            }
            for (std::size_t round = 0; round < k; ++round) {
                const std::size_t partner = i ^ (p >> (round + 1));
                const Elements theirs = has(partner, round);
                all.push_back(theirs.size() == 1 ? theirs[0]
                                                 : combine(theirs, 1 + round * p + partner, element));
            }
            return all;
        };
        const std::size_t participant = owner < 2 * extra ? owner / 2 : owner - extra;
        std::size_t rounds = 0;
        while ((std::size_t{1} << rounds) < p) ++rounds;
        return combine(has(participant, rounds), 0, element);
    }

    std::uint32_t kangaring(const Elements& x, const std::vector<std::uint32_t>& cycle, std::size_t owner,
                            std::uint64_t element) const {
        std::vector<std::size_t> pairs;
        for (const std::uint32_t member : cycle) {
            if (member % 2 == 0) pairs.push_back(member / 2);
        }
        std::size_t at = 0;
        while (pairs[at] != owner / 2) ++at;
        std::optional<std::uint32_t> sum;
        for (std::size_t h = 0; h < pairs.size(); ++h) {
            const std::size_t pair = pairs[(at + 1 + h) % pairs.size()];
            Elements sources;
            if (sum) sources.push_back(*sum);
            sources.push_back(x[2 * pair]);
            if (2 * pair + 1 < x.size()) sources.push_back(x[2 * pair + 1]);
            sum = sources.size() == 1 ? sources[0] : combine(sources, h, element);
        }
        return *sum;
    }

  private:
    isa::AluOp op_;
    const ElementFormat& format_;
    bool stochastic_;
    std::uint32_t seed_;
};

// The place of element e of `count` in n pieces; the first pieces are longer by one.
struct Piece {
    std::size_t index;
    std::uint64_t first, count, within;
};
inline Piece piece_of(std::uint64_t e, std::uint64_t count, std::size_t n) {
    const std::uint64_t small = count / n, longer = count % n;
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t size = small + (i < longer ? 1 : 0);
        if (e < first + size) return {i, first, size, e - first};
        first += size;
    }
    throw std::out_of_range("no such element");
}

// Returns the reduction of element `e` of the vectors of an all-reduce of `count` elements, or of a
// reduce-scatter (its chunks have equal lengths).
inline std::uint32_t reduced(const ReductionOracle& oracle, const Plan& plan, bool all_reduce,
                             const std::vector<std::uint32_t>& x, std::uint64_t e, std::uint64_t count) {
    const std::size_t n = x.size();
    auto cycles = plan.cycles;
    if (cycles.empty()) {
        cycles.emplace_back(plan.algorithm == Algorithm::Hierarchical ? plan.inner : n);
        std::iota(cycles[0].begin(), cycles[0].end(), 0u);
    }
    const std::size_t owners = plan.algorithm == Algorithm::Hierarchical ? plan.inner : n;
    const Piece chunk = piece_of(e, count, owners);
    const auto& cycle = cycles[piece_of(chunk.within, chunk.count, cycles.size()).index];
    switch (plan.algorithm) {
        case Algorithm::Ring:
            return oracle.ring(x, cycle, chunk.index, 0, e);
        case Algorithm::Mesh:
        case Algorithm::SingleStepMesh:
            return oracle.mesh(x, e);
        case Algorithm::Kangaring:
            return oracle.kangaring(x, cycle, chunk.index, e);
        case Algorithm::HalvingDoubling: {
            if (!all_reduce) return oracle.halving(x, chunk.index, e);
            // The vector is cut between the orders, and each part between the participants of its order.
            const Piece part = piece_of(e, count, cycles.size());
            std::vector<std::uint32_t> in_order;
            for (const std::uint32_t member : cycles[part.index]) in_order.push_back(x[member]);
            std::size_t p = 1;
            while (2 * p <= n) p *= 2;
            const std::size_t participant = piece_of(part.within, part.count, p).index;
            return oracle.halving(in_order, participant < n - p ? 2 * participant : participant + (n - p), e);
        }
        case Algorithm::Hierarchical: {
            const std::size_t groups = n / plan.inner;
            std::vector<std::uint32_t> sums, between(groups);
            for (std::size_t g = 0; g < groups; ++g) {
                const auto first = x.begin() + static_cast<std::ptrdiff_t>(g * plan.inner);
                sums.push_back(
                    oracle.ring({first, first + plan.inner}, cycle, chunk.index, g * plan.inner, e));
            }
            std::iota(between.begin(), between.end(), 0u);
            return oracle.ring(sums, between, piece_of(chunk.within, chunk.count, groups).index, n, e);
        }
        case Algorithm::Direct:
            break;
    }
    throw std::invalid_argument("no algorithm of reductions");
}

}  // namespace trnsim::collectives::test
