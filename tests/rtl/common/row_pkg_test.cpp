#include <gtest/gtest.h>

#include <array>

#include "Vrow_pkg_tb.h"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Lanes = 128;
using Row = std::array<std::uint32_t, Lanes>;

enum Op { ToLanes, ToPartitions, Extract, Replicate, Broadcast, Merge, Ops };

struct Inputs {
    Row a, b;
    unsigned first, count, size, offset, enable;
    std::array<bool, Lanes> mask;
};

Inputs random_inputs(std::mt19937_64& random) {
    Inputs in{};
    for (unsigned i = 0; i < Lanes; ++i) {
        in.a[i] = static_cast<std::uint32_t>(random());
        in.b[i] = static_cast<std::uint32_t>(random());
        in.mask[i] = random() % 2;
    }
    in.first = random() % 4;
    in.count = 1 + random() % (Lanes - in.first * Lanes / 4);
    in.size = random() % 3;
    in.offset = in.size == 2 ? 0 : in.size == 1 ? random() % 2 * 2 : random() % 4;
    in.enable = random() % 16;
    if (random() % 4 == 0) in.mask.fill(random() % 2 == 0);
    if (random() % 4 == 0) in.enable = 15;
    return in;
}

Row expected(Op op, const Inputs& in) {
    Row row{};
    const std::uint32_t element = in.size == 2 ? 0xffffffffu : (1u << (8 << in.size)) - 1;
    for (unsigned i = 0; i < Lanes; ++i) {
        const unsigned partition = (i + in.first * Lanes / 4) % Lanes;
        switch (op) {
            case ToLanes:
                row[i] = in.a[partition];
                break;
            case ToPartitions:
                row[partition] = in.a[i];
                break;
            case Extract:
                row[i] = in.a[i] >> (8 * in.offset) & element;
                break;
            case Replicate:
                for (unsigned byte = 0; byte < 4; byte += 1u << in.size)
                    row[i] |= (in.a[i] & element) << (8 * byte);
                break;
            case Broadcast:
                row[i] = in.a[0];
                break;
            default:
                for (unsigned byte = 0; byte < 4; ++byte) {
                    const bool taken = in.mask[i] && (in.enable >> byte & 1);
                    row[i] |= (taken ? in.b[i] : in.a[i]) & 0xffu << (8 * byte);
                }
        }
    }
    return row;
}

void apply(Vrow_pkg_tb& top, Op op, const Inputs& in) {
    top.op_i = op;
    for (unsigned i = 0; i < Lanes; ++i) {
        top.a_i[i] = in.a[i];
        top.b_i[i] = in.b[i];
        if (i % 32 == 0) top.mask_i[i / 32] = 0;
        top.mask_i[i / 32] |= std::uint32_t{in.mask[i]} << (i % 32);
    }
    top.first_i = in.first;
    top.count_i = in.count;
    top.size_i = in.size;
    top.offset_i = in.offset;
    top.enable_i = in.enable;
}

void tick(Vrow_pkg_tb& top) {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
}

TEST(RowPkg, MatchesHost) {
    std::mt19937_64 random = generator();
    Model<Vrow_pkg_tb> top;
    for (std::uint64_t n = 0; n < 20000 * scale(); ++n) {
        const Inputs in = random_inputs(random);
        const Op op = static_cast<Op>(n % Ops);
        apply(top, op, in);
        tick(top);
        const Row row = expected(op, in);
        for (unsigned i = 0; i < Lanes; ++i) {
            ASSERT_EQ(top.row_o[i], row[i]) << "op " << op << " lane " << i;
            const bool masked = i >= in.first * Lanes / 4 && i < in.first * Lanes / 4 + in.count;
            ASSERT_EQ(top.mask_o[i / 32] >> (i % 32) & 1, masked) << "partition " << i;
            const unsigned begin = in.first * Lanes / 4;
            ASSERT_EQ(top.moved_mask_o[i / 32] >> (i % 32) & 1, i >= begin && in.mask[i - begin])
                << "partition " << i;
        }
        ASSERT_EQ(top.enable_o, ((1u << (1u << in.size)) - 1) << in.offset);
    }
}

}  // namespace
}  // namespace trnsim::test
