// rng-bit-generator: Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon et al., Parallel random numbers: as
// easy as 1, 2, 3, SC 2011). How counters and words become an array is XLA's choice; its CPU takes Philox by default.
#include <array>
#include <bit>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/strides.hpp"

namespace trnsim::hlo::evaluate {
namespace {

using Word = std::uint32_t;
using Pair = std::array<Word, 2>;
using Quad = std::array<Word, 4>;

enum Algorithm : std::int64_t { Default = 0, ThreeFry = 1, Philox = 2 };

Pair words(std::uint64_t value) {
    return {static_cast<Word>(value), static_cast<Word>(value >> 32)};
}
std::uint64_t joined(Word low, Word high) {
    return std::uint64_t{high} << 32 | low;
}

Pair threefry(Pair x, const Pair& key) {
    constexpr int Rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const std::array<Word, 3> keys{key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
    x[0] += keys[0];
    x[1] += keys[1];
    for (Word group = 0; group < 5; ++group) {
        for (const int rotation : Rotations[group % 2]) {
            x[0] += x[1];
            x[1] = std::rotl(x[1], rotation) ^ x[0];
        }
        x[0] += keys[(group + 1) % 3];
        x[1] += keys[(group + 2) % 3] + group + 1;
    }
    return x;
}

Quad philox(Quad x, Pair key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{x[0]} * 0xD2511F53, b = std::uint64_t{x[2]} * 0xCD9E8D57;
        x = {static_cast<Word>(b >> 32) ^ x[1] ^ key[0], static_cast<Word>(b),
             static_cast<Word>(a >> 32) ^ x[3] ^ key[1], static_cast<Word>(a)};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return x;
}

// The dimension whose elements take both words of a counter in turn: the first of even size, or the largest.
std::size_t split_dimension(const Integers& dimensions) {
    std::size_t largest = 0;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        if (dimensions[d] % 2 == 0) return d;
        if (dimensions[d] > dimensions[largest]) largest = d;
    }
    return largest;
}

// Returns how many counters were used.
std::uint64_t fill_threefry(std::uint64_t key, std::uint64_t counter, const Shape& shape, Cells& out) {
    if (info(shape.type).bits == 64) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const Pair x = threefry(words(counter + i), words(key));
            out[i] = joined(x[0], x[1]);
        }
        return out.size();
    }
    if (shape.rank() == 0) {
        out[0] = threefry(words(counter), words(key))[0];
        return 1;
    }
    const std::size_t split = split_dimension(shape.dimensions);
    Integers half = shape.dimensions;
    half[split] = (half[split] + 1) / 2;
    const Integers steps = strides(half);
    Integers index(shape.rank(), 0);
    for (Cell& c : out) {
        std::uint64_t at = 0;
        for (std::size_t d = 0; d < index.size(); ++d)
            at += static_cast<std::uint64_t>((d == split ? index[d] / 2 : index[d]) * steps[d]);
        c = threefry(words(counter + at), words(key))[static_cast<std::size_t>(index[split] % 2)];
        (void)advance(index, shape.dimensions);
    }
    return static_cast<std::uint64_t>(elements(half));
}

// A counter of 128 bits gives four words, which elements take in turn.
std::uint64_t fill_philox(std::uint64_t key, std::uint64_t low, std::uint64_t high, const Shape& shape,
                          Cells& out) {
    const bool wide = info(shape.type).bits == 64;
    const std::size_t per_counter = wide ? 2 : 4;
    Quad x{};
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t part = i % per_counter;
        if (part == 0) {
            const std::uint64_t counter = low + i / per_counter;
            const Pair lower = words(counter), upper = words(high + (counter < low ? 1 : 0));
            x = philox({lower[0], lower[1], upper[0], upper[1]}, words(key));
        }
        out[i] = wide ? joined(x[2 * part], x[2 * part + 1]) : x[part];
    }
    return (out.size() + per_counter - 1) / per_counter;
}

Value rng_bit_generator(const Operation& o) {
    const Value& state = o.operand(0);
    const std::int64_t algorithm =
        o.attributes().random_algorithm == Default ? Philox : o.attributes().random_algorithm;
    const std::size_t size = state.size();
    if (state.type != ElementType::U64 || state.dimensions.size() != 1 || size < 2 || size > 3 ||
        !o.shape().is_tuple()) {
        throw Error("rng-bit-generator with the state " + format(shape_of(state)) +
                    " is refused: expected u64[2] or u64[3], with the next state in the result");
    }
    const Shape& shape = o.shape().tuple[1];
    auto out = o.allocate(shape.dimensions), next = o.allocate(size);
    o.work(out->size() * 20);
    std::ranges::copy(*state.cells, next->begin());
    Cells& s = *next;
    if (algorithm == ThreeFry) {
        s[1] += fill_threefry(s[0], s[1], shape, *out);
    } else {
        // The low half of the counter stands last in a state of two, first in one of three.
        const bool three = size == 3;
        const std::uint64_t low = s[1], high = three ? s[2] : s[0];
        s[1] += fill_philox(s[0], low, high, shape, *out);
        if (three && s[1] < low) ++s[2];
    }
    settle(shape.type, *out);
    return tuple_of_values({array_of(state.type, state.dimensions, std::move(next)),
                            array_of(shape.type, shape.dimensions, std::move(out))});
}

}  // namespace

Evaluate random_evaluation(Opcode opcode) {
    return opcode == Opcode::RngBitGenerator ? rng_bit_generator : nullptr;
}

}  // namespace trnsim::hlo::evaluate
