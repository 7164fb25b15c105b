// Reductions, accumulator registers, scans, predicates, statistics, reciprocal: every form of the
// instruction.
#include <string>

#include "arch/numerics/format.hpp"
#include "tests/rtl/vector/vector_fixture.hpp"

namespace trnsim::test {
namespace {

using isa::AluOp;
using isa::Dtype;
using isa::ReduceCmd;

class VectorForms : public VectorFixture {
  protected:
    // Returns tensors with dst 64 bytes after the previous dst, from 16 KiB before the end of SBUF on.
    Tensors next(const Counts& count, Dtype dtype = Dtype::Fp32) {
        Tensors t = tensors(1);
        t.count = count;
        t.a.dtype = t.b.dtype = t.dst.dtype = dtype;
        const int c0 = static_cast<int>(count[0]), c1 = static_cast<int>(count[1]);
        t.a.step = t.b.step = {1, c0, c0 * c1, c0 * c1 * static_cast<int>(count[2])};
        t.dst.step = {1, 1, 1, 1};
        t.dst.offset = SbufBytes - 16384 + slot_++ % 256 * 64;
        return t;
    }
    Immediate one_each() const { return {8192, true}; }  // in SBUF, one for each partition

  private:
    unsigned slot_ = 0;
};

TEST_F(VectorForms, TensorReduce) {
    for (Dtype dtype : AllDtypes) {
        for (AluOp op : ReducingOps) {
            for (unsigned axes = 1; axes <= 4; ++axes) {
                Tensors t = next({5, 2, 3, 2}, dtype);
                t.dst.step = {0, 1, 2, 6};
                if (axes == 4) t.dst.dtype = Dtype::Fp32;
                add(tensor_reduce(t, op, axes, axes % 2 == 1));
            }
        }
        SCOPED_TRACE("type " + std::to_string(static_cast<int>(dtype)));
        run();
    }
    for (Dtype dtype : Integers) {
        for (AluOp op : ReducingBitOps) add(tensor_reduce(next({7, 3, 1, 1}, dtype), op, 2, true));
        add(tensor_reduce(next({1, 1, 1, 1}, dtype), AluOp::BitwiseAnd, 1));
    }
    run();
}

// Words of two elements are reduced where the pattern allows it, single elements elsewhere: the results are
// the same.
TEST_F(VectorForms, ReductionsOfPairs) {
    for (AluOp op : {AluOp::Add, AluOp::Max}) {
        for (bool negate : {false, true}) {
            for (const Counts& count :
                 {Counts{2, 1, 1, 1}, {64, 1, 1, 1}, {65, 1, 1, 1}, {6, 3, 2, 1}, {2, 2, 2, 2}}) {
                for (int shift : {0, 2}) {
                    for (int widen : {0, 1, 2}) {
                        Tensors t = next(count, Dtype::Bf16);
                        t.a.offset += shift;
                        t.a.step[1] += widen;
                        t.a.step[2] -= 2 * widen;
                        t.a.offset += 64;
                        add(tensor_reduce(t, op, 1 + (widen + shift / 2) % 4, negate));
                    }
                }
            }
        }
        run();
    }
}

TEST_F(VectorForms, ClearsWords) {
    for (Dtype dtype : {Dtype::Bf16, Dtype::Fp16, Dtype::Fp32, Dtype::U16}) {
        for (std::uint32_t value : {0u, 0x80000000u, 0x3f800000u}) {
            for (const Counts& count : {Counts{2, 1, 1, 1}, {7, 1, 1, 1}, {4, 3, 1, 1}, {2, 2, 2, 2}}) {
                Tensors t = next(count, dtype);
                t.dst.step = {1, 4, 12, 6};
                add(memset(t, {value}));
                t.dst.offset += 2 * (numerics::storage_bytes(dtype) == 2);
                add(memset(t, {value}));
                t.dst.step[2] = 5;
                add(memset(t, {value}));
            }
        }
    }
    run();
}

// Registers keep their values between instructions, and lanes that are not in use keep theirs.
TEST_F(VectorForms, AccumulatorRegisters) {
    const auto read = [&](unsigned partitions) {
        Tensors t = next({1, 1, 1, 1});
        t.partitions = partitions;
        add(read_accumulator(t));
    };
    read(Lanes);
    for (AluOp op : ReducingOps) {
        for (ReduceCmd cmd :
             {ReduceCmd::ResetReduce, ReduceCmd::Reduce, ReduceCmd::Reset, ReduceCmd::Reduce}) {
            for (unsigned partitions : {Lanes, 33u, 1u}) {
                Tensors t = next({5, 2, 1, 1}, Dtype::Bf16);
                t.partitions = partitions;
                const Immediate load = cmd != ReduceCmd::Reset ? Immediate{}
                                       : partitions == 33      ? one_each()
                                                               : Immediate{0x40400000};
                add(tensor_scalar_reduce(t, {AluOp::Multiply}, one_each(), op, cmd, load));
                read(Lanes);
                read(17);
            }
        }
        run();
    }
    for (ReduceCmd cmd : {ReduceCmd::Idle, ReduceCmd::ResetReduce, ReduceCmd::Reduce, ReduceCmd::Idle}) {
        for (bool invert : {false, true}) {
            Tensors t = next({9, 1, 1, 1});
            t.b.dtype = Dtype::U8;
            t.partitions = invert ? 64 : Lanes;
            add(select_reduce(t, invert ? one_each() : Immediate{0xc2c80000}, cmd, invert));
            read(Lanes);
        }
    }
    run();
}

TEST_F(VectorForms, Scans) {
    for (AluOp op0 : AllOps) {
        for (AluOp op1 : {AluOp::Add, AluOp::Multiply, AluOp::Max, AluOp::Subtract, AluOp::Bypass}) {
            for (bool reverse : {false, true}) {
                add(tensor_tensor_scan(next({3, 2, 1, 1}), {op0, reverse}, {op1, reverse},
                                       reverse ? Immediate{0x3f000000} : one_each()));
                add(tensor_scalar_cumulative(next({3, 2, 1, 1}), {op1, reverse}, {0x3f000000},
                                             {op0, reverse}));
            }
        }
        run();
    }
    for (Dtype dtype : AllDtypes) {
        Tensors t = next({7, 1, 1, 1}, dtype);
        t.b.psum = true;
        add(tensor_tensor_scan(t, {AluOp::Multiply}, {AluOp::Add}, {}));
        add(tensor_tensor_scan(next({7, 1, 1, 1}, dtype), {AluOp::Multiply}, {AluOp::Add}, {}));
        add(tensor_scalar_cumulative(next({7, 1, 1, 1}, dtype), {}, {}, {AluOp::Add}));
    }
    run();
}

TEST_F(VectorForms, Predicates) {
    for (Dtype predicate : Integers) {
        for (Dtype dtype : AllDtypes) {
            for (bool invert : {false, true}) {
                Tensors t = next({9, 1, 1, 1}, dtype);
                t.a.dtype = predicate;
                t.partitions = invert ? 50 : Lanes;
                t.dst.partition = invert ? 64 : 0;
                t.dst.psum = invert;
                t.dst.offset %= PsumBytes;
                t.b.psum = invert;
                add(tensor_copy_predicated(t, invert));
                add(predicated_immediate(next({9, 1, 1, 1}, predicate), {0x41480000}, invert));
                add(predicated_immediate(t, one_each(), !invert));
                Tensors select = next({9, 1, 1, 1}, dtype);
                select.b.dtype = predicate;
                add(select_reduce(select, {0x42f6e979}, ReduceCmd::Idle, invert));
            }
        }
        run();
    }
}

TEST_F(VectorForms, Statistics) {
    for (unsigned n : {1u, 2u, 3u, 4u, 63u, 64u, 512u}) {
        for (Dtype dtype : {Dtype::Fp32, Dtype::Bf16, Dtype::U8}) {
            Tensors t = next({n, 1, 1, 1}, dtype);
            t.dst.dtype = Dtype::Fp32;
            t.dst.step = {2, 77, -5, 3};
            add(bn_stats(t));
            t = next({3, n % 7 + 1, 2, 1}, dtype);
            t.dst.dtype = Dtype::Fp32;
            add(bn_aggr(t));
        }
    }
    run();
    // Statistics of halves are merged: bn_aggr takes the results of bn_stats.
    Tensors t = next({100, 1, 1, 1}, Dtype::U8);
    t.dst.dtype = Dtype::Fp32;
    add(bn_stats(t));
    Tensors merge = next({6, 1, 1, 1});
    merge.a = t.dst;
    add(bn_aggr(merge));
    // Counts of 0 come alone and among others.
    for (unsigned zeros : {3u, 6u, 9u}) {
        Tensors clear = tensors(zeros);
        add(memset(clear, {}));
        Tensors aggregate = next({9, 1, 1, 1});
        aggregate.a.offset = clear.dst.offset;
        add(bn_aggr(aggregate));
    }
    run(World{.grant = 60, .offer = 256});
}

TEST_F(VectorForms, Reciprocal) {
    for (Dtype from : AllDtypes) {
        for (Dtype to : {from, Dtype::Fp32, Dtype::Bf16}) {
            Tensors t = next({16, 1, 1, 1}, from);
            t.dst.dtype = to;
            add(reciprocal(t));
        }
    }
    run();
}

// Reciprocals in either stage, of either operand, in recurrences and reductions, among operations that bypass
// the dividers.
TEST_F(VectorForms, ReciprocalsInEveryPlace) {
    constexpr Immediate Two{0x40000000};
    for (const World& world : {World{}, World{.grant = 30, .offer = 256}}) {
        for (const bool reverse : {false, true}) {
            for (const Immediate& immediate : {Two, one_each()}) {
                for (const AluOp other : {AluOp::Bypass, AluOp::Subtract, AluOp::Reciprocal}) {
                    const auto at = [&] { return next({11, 1, 1, 1}); };
                    const Operation divides{AluOp::Reciprocal, reverse}, operates{other, reverse};
                    add(tensor_scalar(at(), divides, immediate, operates, immediate));
                    add(tensor_scalar(at(), operates, immediate, divides, immediate));
                    add(tensor_copy(at()));
                    add(scalar_tensor_tensor(at(), divides, immediate, operates));
                    add(scalar_tensor_tensor(at(), operates, immediate, divides));
                    add(tensor_tensor_scan(at(), divides, operates, immediate));
                    add(tensor_tensor_scan(at(), operates, divides, immediate));
                    add(tensor_scalar_cumulative(at(), divides, immediate, operates));
                    add(tensor_scalar_cumulative(at(), operates, immediate, divides));
                    add(reciprocal(at()));
                    add(tensor_tensor(at(), divides));
                    add(tensor_scalar_reduce(at(), divides, immediate, AluOp::Add, ReduceCmd::ResetReduce));
                    add(read_accumulator(next({1, 1, 1, 1})));
                    add(tensor_reduce(next({11, 1, 1, 1}), AluOp::Add, 1, true));
                }
            }
        }
        run(world);
    }
}

// Results of a unit wait for their port while other instructions continue.
TEST_F(VectorForms, UnitsAmongOthers) {
    for (unsigned k = 0; k < 40; ++k) {
        add(bn_stats(next({k % 5 + 1, 1, 1, 1})));
        if (k % 2) add(tensor_copy(next({k % 7 + 1, 1, 1, 1})));
        if (k % 3) add(bn_aggr(next({3, 1, 1, 1})));
        if (k % 5 == 0) add(tensor_reduce(next({3, 4, 1, 1}), AluOp::Add, 1));
    }
    run(World{.grant = 20, .offer = 256});
}

}  // namespace
}  // namespace trnsim::test
