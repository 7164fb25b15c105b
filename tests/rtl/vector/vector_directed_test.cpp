// Copies between all types, every operation with every type and source, partition moves, address patterns,
// and instructions that need the previous one.
#include <string>

#include "arch/numerics/format.hpp"
#include "tests/rtl/vector/vector_fixture.hpp"

namespace trnsim::test {
namespace {

using isa::AluOp;
using isa::Dtype;

using VectorDirected = VectorFixture;

TEST_F(VectorDirected, CopiesEveryTypeToEveryType) {
    for (Dtype from : AllDtypes) {
        unsigned slot = 0;
        for (Dtype to : AllDtypes) {
            for (unsigned places = 0; places < 4; ++places) {
                Tensors t = tensors(60);
                t.a.dtype = from;
                t.dst.dtype = to;
                t.a.psum = places & 1;
                t.dst.psum = places & 2;
                t.dst.offset += slot++ / 4 * 512 + places % 2 * 256;
                add(tensor_copy(t));
            }
        }
        SCOPED_TRACE("from " + std::to_string(static_cast<int>(from)));
        run();
    }
}

// Results are stored one after the other, from 4096 on in PSUM and from 16 KiB before the end in SBUF.
TEST_F(VectorDirected, EveryOperationOnEveryType) {
    constexpr unsigned OpsARun = 8, Bytes = 36;
    for (Dtype dtype : AllDtypes) {
        for (unsigned first = 0; first < AllOps.size(); first += OpsARun) {
            unsigned slot = 0;
            const auto next = [&](bool psum) {
                Tensors t = tensors(9);
                t.a.dtype = t.b.dtype = t.dst.dtype = dtype;
                t.dst.psum = psum;
                t.dst.offset = (psum ? 4096 : SbufBytes - 16384) + slot++ * Bytes;
                return t;
            };
            for (unsigned k = first; k < std::min<std::size_t>(first + OpsARun, AllOps.size()); ++k) {
                const AluOp op = AllOps[k];
                for (bool reverse : {false, true}) {
                    for (unsigned places = 0; places < 3; ++places) {
                        for (unsigned form = 0; form < 3; ++form) {
                            Tensors t = next(places == 2);
                            t.a.psum = places == 1;
                            t.b.psum = places == 2;
                            if (form == 0) add(tensor_tensor(t, {op, reverse}));
                            if (form == 1)
                                add(scalar_tensor_tensor(t, {op, reverse}, {0x40490fdb},
                                                         {AluOp::Subtract, reverse}));
                            if (form == 2)
                                add(scalar_tensor_tensor(t, {AluOp::Add}, {0x3f800000}, {op, reverse}));
                        }
                    }
                    add(tensor_scalar(next(false), {op, reverse}, {0xc0490fdb}, {}, {}));
                    add(tensor_scalar(next(false), {AluOp::Multiply}, {0x40000000}, {op, reverse},
                                      {0x3e000000}));
                    // The immediates of partitions 0 to 127 at byte 8192 and 8196.
                    add(tensor_scalar(next(false), {op, reverse}, {8192, true}, {AluOp::Max}, {8196, true}));
                    add(tensor_scalar(next(false), {AluOp::Min}, {8192, true}, {op, reverse}, {8196, true}));
                }
            }
            add(memset(next(false), {0x42f6e979}));
            add(memset(next(false), {8192, true}));
            SCOPED_TRACE("type " + std::to_string(static_cast<int>(dtype)) + " operations from " +
                         std::to_string(first));
            run();
            if (HasFailure()) return;
        }
    }
}

TEST_F(VectorDirected, BitOperationsOnEveryInteger) {
    for (Dtype dtype : Integers) {
        unsigned slot = 0;
        const auto next = [&] {
            Tensors t = tensors(9);
            t.a.dtype = t.b.dtype = t.dst.dtype = dtype;
            t.dst.offset = SbufBytes - 16384 + slot++ * 36;
            return t;
        };
        for (AluOp op : BitOps) {
            for (bool reverse : {false, true}) {
                add(tensor_tensor(next(), {op, reverse}));
                for (std::uint32_t amount : {0u, 1u, 7u, 8u, 15u, 16u, 31u, 32u, 0x80000001u})
                    add(tensor_scalar(next(), {op, reverse}, {amount}, {}, {}));
                add(tensor_scalar(next(), {op, reverse}, {8192, true}, {AluOp::BitwiseXor}, {8196, true}));
                add(tensor_scalar(next(), {AluOp::Bypass}, {}, {op, reverse}, {0x0ff00ff0}));
            }
        }
        SCOPED_TRACE("type " + std::to_string(static_cast<int>(dtype)));
        run();
    }
}

TEST_F(VectorDirected, MovesBetweenPartitions) {
    for (unsigned partitions : {1u, 7u, 31u, 32u, 33u, 64u}) {
        const unsigned step = partitions > Quadrant ? 2 * Quadrant : Quadrant;
        for (unsigned from = 0; from < Lanes; from += step) {
            for (unsigned to = 0; to < Lanes; to += step) {
                Tensors t = tensors(5);
                t.partitions = partitions;
                t.a.partition = from;
                t.b.partition = Lanes - step - from;
                t.dst.partition = to;
                add(tensor_copy(t));
                t.a.dtype = Dtype::Bf16;
                t.b.psum = true;
                add(tensor_tensor(t, {AluOp::Add}));
                add(tensor_scalar(t, {AluOp::Multiply}, {(to << 18) + 8192, true}, {AluOp::Add},
                                  {(from << 18) + 8200, true}));
                t.dst.psum = true;
                add(tensor_copy(t));
            }
        }
    }
    run();
    Tensors t = tensors(9);
    for (unsigned partitions : {65u, 97u, 127u, 128u}) {
        t.partitions = partitions;
        add(tensor_tensor(t, {AluOp::Subtract}));
    }
    run();
}

TEST_F(VectorDirected, WalksFourDimensions) {
    Tensors t;
    t.count = {3, 4, 2, 5};
    t.a = {.offset = 4096, .dtype = Dtype::Bf16, .step = {-1, 7, -40, 100}};
    t.b = {.psum = true, .offset = 1024, .dtype = Dtype::U8, .step = {5, 0, 33, -64}};
    t.dst = {.offset = SbufBytes - 4, .dtype = Dtype::Fp32, .step = {-1, -3, -12, -24}};
    add(tensor_tensor(t, {AluOp::Multiply}));
    t.dst = {.psum = true, .offset = PsumBytes - 1, .dtype = Dtype::Fp8E5m2, .step = {-40, -10, -5, -1}};
    add(tensor_copy(t));
    // The destination is repeated: the last element stays.
    t.dst = {.offset = 12288, .dtype = Dtype::Fp16, .step = {0, 0, 3, 0}};
    add(tensor_copy(t));
    // This is the largest possible step.
    t.count = {2, 1, 1, 1};
    t.a = {.offset = 0, .dtype = Dtype::Fp32, .step = {32767, 0, 0, 0}};
    t.dst = {.partition = 64, .offset = SbufBytes - 4, .dtype = Dtype::Fp32, .step = {-32768, 0, 0, 0}};
    t.partitions = 64;
    add(tensor_copy(t));
    run();
}

TEST_F(VectorDirected, SeesResultsOfTheInstructionBefore) {
    for (Dtype dtype : {Dtype::Fp32, Dtype::Bf16, Dtype::U8}) {
        for (unsigned n : {1u, 3u, 64u, 65u, 130u}) {
            const auto bytes = static_cast<unsigned>(numerics::storage_bytes(dtype));
            Tensors t = tensors(n);
            t.a.dtype = t.b.dtype = t.dst.dtype = dtype;
            t.dst.offset = 0;  // in place
            for (int k = 0; k < 4; ++k) add(tensor_tensor(t, {AluOp::Add}));
            t.dst.psum = true;
            add(tensor_copy(t));
            std::swap(t.a, t.dst);
            add(tensor_scalar(t, {AluOp::Add}, {0x3f800000}, {}, {}));
            // The element written last is read first: backwards, and as a single repeated element.
            t = tensors(n);
            t.a.dtype = t.b.dtype = t.dst.dtype = dtype;
            add(tensor_tensor(t, {AluOp::Add}));
            t.b.offset = t.dst.offset + (n - 1) * bytes;
            t.b.step[0] = -1;
            t.dst.offset = 12288;
            add(tensor_tensor(t, {AluOp::Subtract}));
            t.b.step[0] = 0;
            t.a.offset = t.dst.offset;
            t.dst.offset = 14336;
            add(tensor_tensor(t, {AluOp::Subtract}));
            // One is written downwards and read upwards; one is written upwards and read downwards from the
            // element after it.
            t = tensors(n);
            t.a.dtype = t.dst.dtype = dtype;
            t.dst.offset += (n - 1) * bytes;
            t.dst.step[0] = -1;
            add(tensor_copy(t));
            t.a.offset = 4096;
            t.dst.offset = 8704;
            t.dst.step[0] = 1;
            add(tensor_copy(t));
            t.a.offset = 8704 + n * bytes;
            t.a.step[0] = -1;
            t.dst.offset = 9728;
            add(tensor_copy(t));
            // The previous instruction has just written the immediate.
            t = tensors(1);
            t.dst.offset = 8192;
            add(tensor_copy(t));
            t = tensors(n);
            add(tensor_scalar(t, {AluOp::Multiply}, {8192, true}, {}, {}));
            SCOPED_TRACE("type " + std::to_string(static_cast<int>(dtype)) + " N " + std::to_string(n));
            run();
        }
    }
}

}  // namespace
}  // namespace trnsim::test
