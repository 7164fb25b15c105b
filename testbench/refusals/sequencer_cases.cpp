// The sequencer refuses these types, partitions, counts, places and overlaps in every instruction with operands.
#include "testbench/refusals/writer.hpp"

namespace trnsim::refusals {

using builder::KernelBuilder;
using isa::Dtype;
using isa::Engine;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

namespace {

const Kind Copy{Instruction(Opcode::TensorCopy),
                [](KernelBuilder& k, const Tiles& t) { k.tensor_copy(t.dst, t.a); }};
const Kind Sum{Instruction(Opcode::TensorTensor).set(field::Op0, isa::AluOp::Add),
               [](KernelBuilder& k, const Tiles& t) { k.tensor_tensor(t.dst, t.a, isa::AluOp::Add, t.b); }};

// Adds a case of the kind with changed operands.
template <typename Change>
void add_changed(Writer& w, const char* name, Error error, const Kind& kind, const Change& change) {
    Operands operands = w.operands();
    change(operands);
    w.add(name, Engine::Vector, error, kind, operands);
}

void add_of_places(Writer& w) {
    const std::uint32_t partitions = w.partitions(), quadrant = w.quadrant();
    const auto sbuf = static_cast<std::uint32_t>(w.target.sbuf_partition);
    const auto add = [&](const char* name, Error error, const auto& change) {
        add_changed(w, name, error, Copy, change);
    };
    add("operands of a quarter of the partitions", Error::None, [](Operands&) {});
    add("an element type that is none", Error::Dtype,
        [](Operands& o) { o.a.dtype = static_cast<Dtype>(12); });
    add("no partitions", Error::PartitionRange, [](Operands& o) { o.partitions = 0; });
    add("more partitions than there are", Error::PartitionRange,
        [=](Operands& o) { o.partitions = partitions + 1; });
    for (std::size_t dim = 0; dim < isa::Dimensions; ++dim)
        add("a count of 0", Error::Shape, [=](Operands& o) { o.count[dim] = 0; });
    add("more partitions than from the first one on", Error::PartitionRange,
        [=](Operands& o) { o.a.partition = partitions - quadrant + 1; });
    add("a start that is no quarter", Error::PartitionStart, [](Operands& o) { o.dst.partition = 1; });
    add("more than a quarter from a quarter on", Error::PartitionStart, [=](Operands& o) {
        o.partitions = quadrant + 1;
        o.a.partition = quadrant;
    });
    add("half of the partitions from the half on", Error::None, [=](Operands& o) {
        o.partitions = 2 * quadrant;
        o.a.partition = 2 * quadrant;
    });
    add("more than a half from a quarter on", Error::PartitionStart, [=](Operands& o) {
        o.partitions = 2 * quadrant + 1;
        o.dst.partition = quadrant;
    });
    add("elements of four bytes at an odd address", Error::AddressAlign, [](Operands& o) { o.a.offset = 1; });
    add("elements of two bytes at an odd address", Error::AddressAlign, [](Operands& o) {
        o.dst.offset = 0x2001;
        o.dst.dtype = Dtype::Bf16;
    });
    add("elements up to the last byte of a partition", Error::None,
        [=](Operands& o) { o.a.offset = sbuf - 32; });
    add("elements beyond the end of a partition", Error::AddressRange,
        [=](Operands& o) { o.a.offset = sbuf - 28; });
    add("elements before the beginning of a partition", Error::AddressRange, [](Operands& o) {
        o.dst.offset = 24;
        o.dst.step[0] = -1;
        o.a.offset = 0x1000;
    });
    add("more elements than memory has, each in its place", Error::AddressRange, [](Operands& o) {
        o.count = {65535, 65535, 1, 1};
        o.a.step = o.dst.step = {1, 1, 0, 0};
    });
    w.add("an operand beyond PSUM", Engine::Vector, Error::AddressRange,
          w.filled(Copy.instruction, w.operands()).set(field::AAddr, isa::window::EventBase));
    w.add("an operand in the memory of GpSimd", Engine::Vector, Error::PartitionRange,
          w.filled(Copy.instruction, w.operands()).set(field::AAddr, isa::window::GpsimdTcmBase));
}

void add_of_overlaps(Writer& w) {
    const auto add = [&](const char* name, Error error, const auto& change) {
        add_changed(w, name, error, Sum, change);
    };
    add("dst a word behind a", Error::OperandOverlap, [](Operands& o) { o.dst.offset = o.a.offset + 4; });
    add("dst a word behind b", Error::OperandOverlap, [](Operands& o) { o.dst.offset = o.b.offset + 4; });
    add("dst in the place of b", Error::None, [](Operands& o) { o.dst.offset = o.b.offset; });
    add("dst interleaved with a", Error::None, [](Operands& o) {
        o.dst.step[0] = o.a.step[0] = 2;
        o.dst.offset = o.a.offset + 4;
    });
    add("dst in the place of a with other steps", Error::OperandOverlap, [](Operands& o) {
        o.count = {4, 2, 1, 1};
        o.dst.offset = o.a.offset;
        o.dst.step = {1, 4, 0, 0};
        o.a.step = {1, 5, 0, 0};
    });
    add("dst in the place of a, whose elements share places", Error::OperandOverlap, [](Operands& o) {
        o.dst.offset = o.a.offset;
        o.count = {4, 4, 1, 1};
        o.dst.step = o.a.step = {1, 1, 0, 0};
    });
    add("dst in the place of a, all elements at one place", Error::OperandOverlap, [](Operands& o) {
        o.dst.offset = o.a.offset;
        o.count = {65535, 65535, 65535, 65535};
        o.dst.step = o.a.step = o.b.step = {0, 0, 0, 0};
    });
}

// [partitions,1] operands in place of a constant.
void add_of_columns(Writer& w) {
    const auto sbuf = static_cast<std::uint32_t>(w.target.sbuf_partition);
    const auto plus = [&](std::uint32_t offset, Dtype dtype) {
        const Tiles tiles = tiles_of(w.operands());
        builder::Tile column{target::Memory::Sbuf, dtype, 0, w.quadrant(), offset, {{1, 1}}};
        return std::pair(w.filled(Instruction(Opcode::TensorScalar)
                                      .set(field::Op0, isa::AluOp::Add)
                                      .set(field::Imm0, offset)
                                      .set(field::Imm0Vector, 1)
                                      .set(field::Imm0Dtype, isa::immediate_dtype(dtype)),
                                  w.operands()),
                         Call([=](KernelBuilder& k) {
                             k.tensor_scalar(tiles.dst, tiles.a, {isa::AluOp::Add, column});
                         }));
    };
    const auto add = [&](const char* name, Error error, std::uint32_t offset, Dtype dtype = Dtype::Fp32) {
        const auto [instruction, call] = plus(offset, dtype);
        w.add(name, Engine::Vector, error, instruction, call);
    };
    add("a per-partition operand", Error::None, 0x3000);
    add("a per-partition operand at an odd address", Error::AddressAlign, 0x3002);
    add("a per-partition operand beyond the partition", Error::AddressRange, sbuf);
    add("a per-partition operand of another type", Error::Dtype, 0x3000, Dtype::Bf16);
    w.add("a per-partition operand of no type", Engine::Vector, Error::Dtype,
          plus(0x3000, Dtype::Fp32).first.set(field::Imm0Dtype, 1));
    w.add("a per-partition operand at no quarter", Engine::Vector, Error::PartitionStart,
          plus(target::address_of(w.target, target::Memory::Sbuf, 1, 0x3000), Dtype::Fp32).first);
}

}  // namespace

void add_sequencer_cases(Writer& w) {
    w.add("an instruction of another engine", Engine::Scalar, Error::IllegalInstruction, Sum, w.operands())
        .call = [t = tiles_of(w.operands())](KernelBuilder& k) {
        k.tensor_tensor(t.dst, t.a, isa::AluOp::Add, t.b, {.engine = Engine::Scalar});
    };
    w.add("an opcode that is none", Engine::Vector, Error::IllegalInstruction,
          Instruction(static_cast<Opcode>(0xff)));
    add_of_places(w);
    add_of_overlaps(w);
    add_of_columns(w);
}

}  // namespace trnsim::refusals
