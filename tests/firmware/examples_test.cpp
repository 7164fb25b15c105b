// Compares the examples of custom operators with the host.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "tests/firmware/custom_op_support.hpp"

namespace trnsim::test {
namespace {

class Examples : public CustomOp {
  protected:
    void begin(SimulatedCore& core, std::uint32_t partition_bytes) {
        core.core = number(0, 7);
        core.slice = Slice(partition_bytes);
        for (std::uint32_t p = 0; p < 16; ++p) {
            for (std::uint32_t at = 0; at < partition_bytes; at += 4) core.slice.set(p, at, value());
        }
    }
};

TEST_F(Examples, Relu) {
    SimulatedCore core(load_image("relu"));
    begin(core, 4096);
    const std::uint32_t columns = number(1, 401);
    Slice expected = core.slice;
    for (std::uint32_t p = 0; p < 16; ++p) {
        for (std::uint32_t k = 0; k < columns; ++k)
            expected.set(p, 2048 + 4 * k, std::max(core.slice.get<float>(p, 4 * k), 0.0F));
    }
    const auto in = tensor(0, 128, 0, Dtype::Fp32, 4, columns),
               out = tensor(0, 128, 2048, Dtype::Fp32, 4, columns);
    ASSERT_EQ(core.run(command_of(core, "relu"), arguments_of({in, out}, {})), Status::Ok);
    EXPECT_EQ(core.slice.bytes, expected.bytes);
}

TEST_F(Examples, TopK) {
    SimulatedCore core(load_image("topk"));
    begin(core, 4096);
    const std::uint32_t columns = number(20, 501), k = number(1, 19), first = number(0, 15);
    Slice expected = core.slice;
    for (std::uint32_t p = first; p < 16; ++p) {
        std::vector<std::uint32_t> order(columns);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, std::greater(),
                                 [&](std::uint32_t i) { return core.slice.get<float>(p, 4 * i); });
        for (std::uint32_t i = 0; i < k; ++i) {
            expected.set(p, 2400 + 4 * i, core.slice.get<float>(p, 4 * order[i]));
            expected.set(p, 3000 + 4 * i, order[i]);
        }
    }
    const std::uint32_t partition = 16 * core.core + first, rows = 16 - first;
    ASSERT_EQ(
        core.run(command_of(core, "topk"), arguments_of({tensor(partition, rows, 0, Dtype::Fp32, 4, columns),
                                                         tensor(partition, rows, 3000, Dtype::I32, 4, k),
                                                         tensor(partition, rows, 2400, Dtype::Fp32, 4, k)},
                                                        {})),
        Status::Ok);
    EXPECT_EQ(core.slice.bytes, expected.bytes);
}

TEST_F(Examples, EmbeddingOfHashedKeys) {
    SimulatedCore core(load_image("embedding"));
    begin(core, 8192);
    constexpr std::uint32_t Vectors = 512, Queries = 6000, Result = 6400;
    const std::uint32_t slots = 53, width = number(1, 11), count = 29;
    constexpr std::int32_t Empty = -1;
    std::vector<std::map<std::int32_t, std::uint32_t>> tables(16);
    for (std::uint32_t p = 0; p < 16; ++p) {
        for (std::uint32_t s = 0; s < slots; ++s) core.slice.set(p, 4 * s, Empty);
        while (tables[p].size() < 47) {
            const auto key =
                static_cast<std::int32_t>(random_() & 0x7fffffff) - (number(0, 1) == 0 ? 0 : 0x40000000);
            if (key == Empty || tables[p].contains(key)) continue;
            std::uint32_t slot = static_cast<std::uint32_t>(key) * 0x9e3779b1U % slots;
            while (core.slice.get<std::int32_t>(p, 4 * slot) != Empty) slot = (slot + 1) % slots;
            core.slice.set(p, 4 * slot, key);
            tables[p][key] = slot;
        }
    }
    Slice expected = core.slice;
    for (std::uint32_t p = 0; p < 16; ++p) {
        for (std::uint32_t q = 0; q < count; ++q) {
            auto entry = tables[p].begin();
            std::advance(entry, number(0, 46));
            const bool known = q % 4 != 0;
            const std::int32_t key = known ? entry->first : q == 4 ? Empty : static_cast<std::int32_t>(q);
            core.slice.set(p, Queries + 4 * q, key);
            expected.set(p, Queries + 4 * q, key);
            for (std::uint32_t k = 0; k < width; ++k) {
                expected.set(
                    p, Result + 4 * (q * width + k),
                    known ? core.slice.get<float>(p, Vectors + 4 * (entry->second * width + k)) : 0.0F);
            }
        }
    }
    const auto rows = [&](std::uint32_t at, Dtype dtype, std::uint32_t columns) {
        return tensor(0, 128, at, dtype, 4, columns);
    };
    ASSERT_EQ(
        core.run(command_of(core, "embedding"),
                 arguments_of({rows(0, Dtype::I32, slots), rows(Vectors, Dtype::Fp32, slots * width),
                               rows(Queries, Dtype::I32, count), rows(Result, Dtype::Fp32, count * width)},
                              {static_cast<std::uint32_t>(Empty)})),
        Status::Ok);
    EXPECT_EQ(core.slice.bytes, expected.bytes);
}

std::uint32_t mix(std::uint32_t v) {
    v = (v ^ v >> 16) * 0x85ebca6bU;
    v = (v ^ v >> 13) * 0xc2b2ae35U;
    return v ^ v >> 16;
}

TEST_F(Examples, Augmentation) {
    SimulatedCore core(load_image("augmentation"));
    begin(core, 8192);
    const std::uint32_t columns = number(600, 1000), seed = number(0, 0xffffffff - 1);
    const float drop = 0.3F, amplitude = 0.125F;
    Slice expected = core.slice;
    std::uint32_t dropped = 0;
    for (std::uint32_t p = 0; p < 16; ++p) {
        const std::uint32_t stream = seed + (16 * core.core + p) * 0x9e3779b9U;
        for (std::uint32_t k = 0; k < columns; ++k) {
            const std::uint32_t first = mix(k ^ stream), second = mix(first + stream);
            const float unit = static_cast<float>(second >> 8) * 0x1p-23F - 1.0F;
            const bool drops = first < static_cast<std::uint32_t>(drop * 0x1p32F);
            dropped += drops ? 1 : 0;
            expected.set(p, 4096 + 4 * k, drops ? 0.0F : core.slice.get<float>(p, 4 * k) + unit * amplitude);
        }
    }
    ASSERT_EQ(
        core.run(
            command_of(core, "augmentation"),
            arguments_of(
                {tensor(0, 128, 0, Dtype::Fp32, 4, columns), tensor(0, 128, 4096, Dtype::Fp32, 4, columns)},
                {seed, std::bit_cast<std::uint32_t>(drop), std::bit_cast<std::uint32_t>(amplitude)})),
        Status::Ok);
    EXPECT_EQ(core.slice.bytes, expected.bytes);
    EXPECT_NEAR(static_cast<double>(dropped) / (16.0 * columns), drop, 0.02);
}

}  // namespace
}  // namespace trnsim::test
