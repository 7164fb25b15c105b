// The Vector and Scalar engines refuse these instructions.
#include "testbench/refusals/writer.hpp"

namespace trnsim::refusals {

using builder::KernelBuilder;
using isa::AluOp;
using isa::Dtype;
using isa::Engine;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
using isa::ReduceCmd;
using target::Memory;
namespace field = isa::field;

namespace {

using Apply = void (*)(KernelBuilder&, const Tiles&);

Kind vector_kind(Opcode opcode, Apply call) {
    return {Instruction(opcode), call};
}

// Adds cases of one engine with operands that differ from a quarter of the partitions of fp32.
class LaneCases {
  public:
    LaneCases(Writer& w, Engine engine) : w_(w), engine_(engine) {}

    template <typename Change>
    Case& add(const char* name, Error error, const Kind& kind, const Change& change) {
        Operands operands = w_.operands();
        change(operands);
        return w_.add(name, engine_, error, kind, operands);
    }
    Case& add(const char* name, Error error, const Kind& kind) {
        return add(name, error, kind, [](Operands&) {});
    }
    // An instruction whose fields no call of the builder sets so.
    Case& add_field(const char* name, Error error, const Kind& kind, const isa::Field& where,
                    std::uint64_t value) {
        return w_.add(name, engine_, error, w_.filled(kind.instruction, w_.operands()).set(where, value));
    }

  private:
    Writer& w_;
    Engine engine_;
};

void add_shapes(Writer& w) {
    LaneCases cases(w, Engine::Vector);
    const std::uint32_t quadrant = w.quadrant();
    const auto count = [](std::uint32_t elements, std::uint32_t results) {
        return [=](Operands& o) {
            o.count = {elements, 1, 1, 1};
            o.a.step[0] = 0;  // so that any number of elements has room
            o.dst_elements = results;
            o.b_elements = 8;
        };
    };
    const Kind stats =
        vector_kind(Opcode::BnStats, [](KernelBuilder& k, const Tiles& t) { k.bn_stats(t.dst, t.a); });
    cases.add("bn_stats of 512 elements", Error::None, stats, count(512, 6));
    cases.add("bn_stats of 513 elements", Error::Shape, stats, count(513, 6));
    const Kind aggregate =
        vector_kind(Opcode::BnAggr, [](KernelBuilder& k, const Tiles& t) { k.bn_aggr(t.dst, t.a); });
    cases.add("bn_aggr of six elements", Error::None, aggregate, count(6, 2));
    cases.add("bn_aggr of eight elements", Error::Shape, aggregate, count(8, 2));
    const Kind largest =
        vector_kind(Opcode::Max8, [](KernelBuilder& k, const Tiles& t) { k.max8(t.dst, t.a); });
    cases.add("max8 of seven elements", Error::Shape, largest, count(7, 8));
    cases.add("max8 of 16384 elements", Error::None, largest, count(16384, 8));
    cases.add("max8 of 16385 elements", Error::Shape, largest, count(16385, 8));
    const Kind find = vector_kind(Opcode::FindIndex8,
                                  [](KernelBuilder& k, const Tiles& t) { k.find_index8(t.dst, t.a, t.b); });
    const auto indices = [=](std::uint32_t elements, Dtype dtype) {
        return [=](Operands& o) {
            count(elements, 8)(o);
            o.dst.dtype = dtype;
        };
    };
    cases.add("find_index8 of seven elements", Error::Shape, find, indices(7, Dtype::U32));
    cases.add("find_index8 to u32", Error::None, find, indices(8, Dtype::U32));
    cases.add("find_index8 to fp32", Error::Dtype, find, indices(8, Dtype::Fp32));
    const Kind replace = vector_kind(Opcode::MatchReplace8, [](KernelBuilder& k, const Tiles& t) {
        k.match_replace8(t.dst, t.a, t.b, 0.0f);
    });
    cases.add("match_replace8 of one element", Error::None, replace, count(1, 0));
    cases.add("match_replace8 of 16385 elements", Error::Shape, replace, [&](Operands& o) {
        count(16385, 0)(o);
        o.dst.step[0] = 0;
    });
    const Kind read = vector_kind(Opcode::ReadAccumulator,
                                  [](KernelBuilder& k, const Tiles& t) { k.read_accumulator(t.dst); });
    cases.add("read_accumulator of one element", Error::None, read, count(1, 0));
    cases.add("read_accumulator of two elements", Error::Shape, read, count(2, 0));
    const Kind seed =
        vector_kind(Opcode::SetRngSeed, [](KernelBuilder& k, const Tiles& t) { k.set_rng_seed(t.a); });
    const auto seed_of = [](std::uint32_t partitions, std::uint32_t elements, Dtype dtype) {
        return [=](Operands& o) {
            o.partitions = partitions;
            o.count = {elements, 1, 1, 1};
            o.a.dtype = dtype;
        };
    };
    cases.add("a seed of one u32", Error::None, seed, seed_of(1, 1, Dtype::U32));
    cases.add("a seed of two elements", Error::Shape, seed, seed_of(1, 2, Dtype::U32));
    cases.add("a seed in two partitions", Error::Shape, seed, seed_of(2, 1, Dtype::U32));
    cases.add("a seed of fp32", Error::Dtype, seed, seed_of(1, 1, Dtype::Fp32));
    const Kind transpose = vector_kind(
        Opcode::TransposeBlock, [](KernelBuilder& k, const Tiles& t) { k.transpose_block(t.dst, t.a); });
    const auto block = [](std::uint32_t partitions, std::uint32_t elements, bool whole) {
        return [=](Operands& o) {
            o.partitions = partitions;
            o.count = {elements, 1, 1, 1};
            if (whole) return;
            o.dst_partitions = elements;
            o.dst_elements = partitions;
        };
    };
    cases.add("transpose_block of whole blocks", Error::None, transpose,
              block(2 * quadrant, 3 * quadrant, true));
    cases.add("transpose_block of one smaller block", Error::None, transpose,
              block(quadrant, quadrant - 1, false));
    cases.add("transpose_block of a block and a part", Error::Shape, transpose,
              block(quadrant, quadrant + 1, true));
    cases.add("transpose_block of more than a quarter in part", Error::Shape, transpose,
              block(quadrant + 1, quadrant, true));
    cases.add("transpose_block to another type", Error::Dtype, transpose, [&](Operands& o) {
        block(quadrant, quadrant, true)(o);
        o.dst.dtype = Dtype::I32;
    });
}

void add_operations(Writer& w) {
    LaneCases cases(w, Engine::Vector);
    const auto with = [](Opcode opcode, AluOp op0, AluOp op1, Apply call) {
        return Kind{Instruction(opcode).set(field::Op0, op0).set(field::Op1, op1), call};
    };
    const auto integers = [](Operands& o) { o.a.dtype = o.b.dtype = o.dst.dtype = Dtype::U16; };
    cases.add("an operation that Vector does not have", Error::UnsupportedOperand,
              with(Opcode::TensorTensor, AluOp::Power, AluOp::Bypass,
                   [](KernelBuilder& k, const Tiles& t) { k.tensor_tensor(t.dst, t.a, AluOp::Power, t.b); }));
    const Kind mixed =
        with(Opcode::TensorScalar, AluOp::BitwiseAnd, AluOp::Add, [](KernelBuilder& k, const Tiles& t) {
            k.tensor_scalar(t.dst, t.a, {AluOp::BitwiseAnd, 0.0f}, {AluOp::Add, 0.0f});
        });
    cases.add("a bit operation beside arithmetic", Error::UnsupportedOperand, mixed, integers);
    const Kind bits =
        with(Opcode::TensorTensor, AluOp::BitwiseXor, AluOp::Bypass,
             [](KernelBuilder& k, const Tiles& t) { k.tensor_tensor(t.dst, t.a, AluOp::BitwiseXor, t.b); });
    cases.add("a bit operation on integers", Error::None, bits, integers);
    cases.add("a bit operation on fp32", Error::Dtype, bits);
    cases.add("a bit operation on integers of two widths", Error::Dtype, bits, [&](Operands& o) {
        integers(o);
        o.dst.dtype = Dtype::U32;
    });
    cases.add("a reduction by a test", Error::UnsupportedOperand,
              {Instruction(Opcode::TensorReduce).set(field::Op0, AluOp::Greater).set(field::ReduceAxes, 1),
               [](KernelBuilder& k, const Tiles& t) { k.tensor_reduce(t.dst, t.a, AluOp::Greater); }},
              [](Operands& o) { o.dst_elements = 1; });
    const Kind reduce = vector_kind(Opcode::TensorReduce, [](KernelBuilder& k, const Tiles& t) {
        k.tensor_reduce(t.dst, t.a, AluOp::Add, {.axes = 0});
    });
    cases.add("a reduction of no axes", Error::UnsupportedOperand,
              {Instruction(reduce.instruction).set(field::Op0, AluOp::Add), reduce.call});
    cases.add_field("a reduction of five axes", Error::UnsupportedOperand,
                    {Instruction(Opcode::TensorReduce).set(field::Op0, AluOp::Add), {}}, field::ReduceAxes,
                    5);
    cases.add("a scan by bits", Error::UnsupportedOperand,
              with(Opcode::TensorTensorScan, AluOp::BitwiseOr, AluOp::Add,
                   [](KernelBuilder& k, const Tiles& t) {
                       k.tensor_tensor_scan(t.dst, t.a, AluOp::BitwiseOr, AluOp::Add, t.b);
                   }),
              integers);
    const auto accumulate = [&](ReduceCmd command, AluOp op, Apply call) {
        return Kind{
            Instruction(Opcode::TensorScalarReduce).set(field::Op1, op).set(field::ReduceCmd, command), call};
    };
    cases.add("accumulators that reduce by bypass", Error::UnsupportedOperand,
              accumulate(ReduceCmd::Reduce, AluOp::Bypass, [](KernelBuilder& k, const Tiles& t) {
                  k.tensor_scalar_reduce(t.dst, t.a, {AluOp::Bypass}, AluOp::Bypass,
                                         {.reduce = ReduceCmd::Reduce});
              }));
    cases.add("tensor_scalar_reduce that is idle", Error::UnsupportedOperand,
              accumulate(ReduceCmd::Idle, AluOp::Add, [](KernelBuilder& k, const Tiles& t) {
                  k.tensor_scalar_reduce(t.dst, t.a, {AluOp::Bypass}, AluOp::Add,
                                         {.reduce = ReduceCmd::Idle});
              }));
    cases.add_field("imm1 that is not used", Error::UnsupportedOperand,
                    accumulate(ReduceCmd::Reduce, AluOp::Add, nullptr), field::Imm1, 1);
    cases.add("accumulators that start from imm1", Error::None,
              {Instruction(Opcode::TensorScalarReduce)
                   .set(field::Op1, AluOp::Add)
                   .set(field::ReduceCmd, ReduceCmd::Reset)
                   .set_float(field::Imm1, 1.0f),
               [](KernelBuilder& k, const Tiles& t) {
                   k.tensor_scalar_reduce(t.dst, t.a, {AluOp::Bypass}, AluOp::Add,
                                          {.reduce = ReduceCmd::Reset, .initial = 1.0f});
               }});
    cases.add_field("imm1 of a running operation", Error::UnsupportedOperand,
                    {Instruction(Opcode::TensorScalarCumulative), {}}, field::Imm1Vector, 1);
    const Kind copy{Instruction(Opcode::TensorCopy), {}};
    cases.add_field("a copy with an operation", Error::UnsupportedOperand, copy, field::Op0, 1);
    cases.add_field("a copy that reduces", Error::UnsupportedOperand, copy, field::ReduceCmd, 1);
    cases.add_field("a copy with axes to reduce", Error::UnsupportedOperand, copy, field::ReduceAxes, 1);
    cases.add_field("a copy with a type of imm0", Error::Dtype, copy, field::Imm0Dtype, 6);
    cases.add_field("an undefined rounding", Error::UnsupportedOperand, copy, field::Rounding, 3);
    cases.add_field("a sum with b_immediate", Error::UnsupportedOperand,
                    {Instruction(Opcode::TensorTensor).set(field::Op0, AluOp::Add), {}}, field::BImmediate,
                    1);
}

void add_types(Writer& w) {
    LaneCases cases(w, Engine::Vector);
    const Kind predicated = vector_kind(Opcode::TensorCopyPredicated, [](KernelBuilder& k, const Tiles& t) {
        k.tensor_copy_predicated(t.dst, t.a, t.b);
    });
    cases.add("a predicate of u8", Error::None, predicated, [](Operands& o) { o.a.dtype = Dtype::U8; });
    cases.add("a predicate of fp32", Error::Dtype, predicated);
    cases.add("a predicated copy to another type", Error::Dtype, predicated, [](Operands& o) {
        o.a.dtype = Dtype::U8;
        o.b.dtype = Dtype::Bf16;
    });
    const auto select = [](ReduceCmd command, Apply call) {
        return Kind{Instruction(Opcode::SelectReduce).set(field::ReduceCmd, command), call};
    };
    const auto selecting = [](Operands& o) { o.b.dtype = Dtype::I16; };
    const Kind idle = select(
        ReduceCmd::Idle, [](KernelBuilder& k, const Tiles& t) { k.select_reduce(t.dst, t.a, t.b, 0.0f); });
    cases.add("a selection by i16", Error::None, idle, selecting);
    cases.add("a selection by fp32", Error::Dtype, idle);
    cases.add("a selection that resets", Error::UnsupportedOperand,
              select(ReduceCmd::Reset,
                     [](KernelBuilder& k, const Tiles& t) {
                         k.select_reduce(t.dst, t.a, t.b, 0.0f, {.reduce = ReduceCmd::Reset});
                     }),
              selecting);
    const Kind rng = vector_kind(Opcode::Rng, [](KernelBuilder& k, const Tiles& t) { k.rng(t.dst); });
    cases.add("random u32", Error::None, rng, [](Operands& o) { o.dst.dtype = Dtype::U32; });
    cases.add("random fp32", Error::Dtype, rng);
    const auto drop = [](Dtype data, Dtype probability) { return std::pair(data, probability); };
    for (const auto& [data, probability] :
         {drop(Dtype::Fp32, Dtype::Bf16), drop(Dtype::I32, Dtype::Bf16), drop(Dtype::Fp32, Dtype::U8)}) {
        const bool legal = data == Dtype::Fp32 && probability == Dtype::Bf16;
        Operands operands = w.operands();
        operands.a.dtype = data;
        const builder::Tile column{Memory::Sbuf, probability, 0, w.quadrant(), 0x3000, {{1, 1}}};
        w.add(std::string("dropout of ") + std::string(isa::name_of(data)) + " with a probability of " +
                  std::string(isa::name_of(probability)),
              Engine::Vector, legal ? Error::None : Error::Dtype,
              w.filled(Instruction(Opcode::Dropout)
                           .set(field::Imm0, 0x3000)
                           .set(field::Imm0Vector, 1)
                           .set(field::Imm0Dtype, isa::immediate_dtype(probability)),
                       operands),
              [t = tiles_of(operands), column](KernelBuilder& k) { k.dropout(t.dst, t.a, column); });
    }
}

void add_places(Writer& w) {
    LaneCases cases(w, Engine::Vector);
    const Kind sum{Instruction(Opcode::TensorTensor).set(field::Op0, AluOp::Add),
                   [](KernelBuilder& k, const Tiles& t) { k.tensor_tensor(t.dst, t.a, AluOp::Add, t.b); }};
    cases.add("one source in PSUM", Error::None, sum,
              [](Operands& o) { o.a = {.memory = Memory::Psum, .offset = 0x100}; });
    cases.add("both sources in PSUM", Error::UnsupportedOperand, sum, [](Operands& o) {
        o.a = {.memory = Memory::Psum, .offset = 0x100};
        o.b = {.memory = Memory::Psum, .offset = 0x200};
    });
    const std::uint32_t column = target::address_of(w.target, Memory::Psum, 0, 0x100);
    const builder::Tile tile{Memory::Psum, Dtype::Fp32, 0, w.quadrant(), 0x100, {{1, 1}}};
    const auto scalar = [&](AluOp op) {
        return w.filled(Instruction(Opcode::TensorScalar)
                            .set(field::Op0, op)
                            .set(field::Imm0, column)
                            .set(field::Imm0Vector, 1),
                        w.operands());
    };
    w.add("a per-partition operand in PSUM", Engine::Vector, Error::UnsupportedOperand, scalar(AluOp::Add),
          [t = tiles_of(w.operands()), tile](KernelBuilder& k) {
              k.tensor_scalar(t.dst, t.a, {AluOp::Add, tile});
          });
    w.add("a per-partition operand in PSUM that is not read", Engine::Vector, Error::None,
          scalar(AluOp::Relu));
}

Instruction mask_of(const std::vector<std::uint8_t>& mask) {
    const std::array words{&field::Mask0, &field::Mask1, &field::Mask2, &field::Mask3,
                           &field::Mask4, &field::Mask5, &field::Mask6, &field::Mask7};
    std::array<std::uint32_t, words.size()> values{};
    for (std::size_t i = 0; i < mask.size(); ++i)
        values.at(i / 4) |= static_cast<std::uint32_t>(mask[i]) << (i % 4 * 8);
    Instruction instruction(Opcode::LoadShuffleMask);
    for (std::size_t i = 0; i < words.size(); ++i) instruction.set(*words.at(i), values.at(i));
    return instruction;
}

void add_shuffles(Writer& w) {
    std::vector<std::uint8_t> mask(w.quadrant(), 255);
    const auto add_mask = [&](const char* name, Error error, std::uint8_t entry) {
        mask[0] = entry;
        w.add(name, Engine::Vector, error, mask_of(mask),
              [mask](KernelBuilder& k) { k.load_shuffle_mask(mask); });
    };
    add_mask("a mask of the last row of a quadrant", Error::None,
             static_cast<std::uint8_t>(w.quadrant() - 1));
    add_mask("a mask of a row beyond the quadrant", Error::PartitionRange,
             static_cast<std::uint8_t>(w.quadrant()));
    mask[0] = 1;
    const auto add_shuffle = [&](const char* name, Error error, std::uint32_t partitions, Dtype dtype) {
        Operands operands = w.operands();
        operands.partitions = partitions;
        operands.dst.dtype = dtype;
        w.add(name, Engine::Vector, error, w.filled(Instruction(Opcode::StreamShuffle), operands),
              [t = tiles_of(operands), mask](KernelBuilder& k) {
                  k.load_shuffle_mask(mask);
                  k.stream_shuffle(t.dst, t.a);
              })
            .before.push_back(mask_of(mask));
    };
    add_shuffle("a shuffle of rows that are there", Error::None, 2, Dtype::Fp32);
    add_shuffle("a shuffle of a row beyond the partitions", Error::PartitionRange, 1, Dtype::Fp32);
    add_shuffle("a shuffle to another type", Error::Dtype, 2, Dtype::I32);
}

Instruction table_of(std::uint64_t set, std::uint64_t beats = 1, std::uint64_t address = 0) {
    return Instruction(Opcode::ActTableLoad)
        .set(field::TableSet, set)
        .set(field::TableBeats, beats)
        .set(field::TableAddress, address);
}

void add_tables(Writer& w) {
    const auto last = static_cast<std::uint64_t>(isa::activation_set_values().back().value);
    const auto call = [](std::uint64_t set) {
        return [set](KernelBuilder& k) { k.act_table_load(static_cast<isa::ActivationSet>(set)); };
    };
    w.add("tables of no set", Engine::Scalar, Error::ActivationTable, table_of(0), call(0));
    w.add("tables of a set that there is not", Engine::Scalar, Error::ActivationTable, table_of(last + 1),
          call(last + 1));
    w.add("tables of no bytes", Engine::Scalar, Error::ActivationTable, table_of(1, 0)).by_loader = true;
    w.add("tables at an odd address", Engine::Scalar, Error::AddressAlign, table_of(1, 1, 4)).by_loader =
        true;
}

void add_activations(Writer& w) {
    LaneCases cases(w, Engine::Scalar);
    const auto function = [](isa::Activation code, Apply call = nullptr) {
        Kind kind{Instruction(Opcode::Activation).set(field::ActFunction, code).set_float(field::Scale, 1.0f),
                  {}};
        if (call != nullptr) kind.call = call;
        return kind;
    };
    const Kind square = function(isa::Activation::Square, [](KernelBuilder& k, const Tiles& t) {
        k.activation(t.dst, t.a, isa::Activation::Square);
    });
    cases.add("a function that every set has", Error::None, square);
    // The builder loads the set of a function.
    cases.add("a function of tables that are not loaded", Error::ActivationTable,
              function(isa::Activation::Exp));
    const auto functions = static_cast<std::uint64_t>(isa::activation_values().back().value);
    cases.add("a function that there is not", Error::UnsupportedOperand,
              function(static_cast<isa::Activation>(functions + 1), [](KernelBuilder& k, const Tiles& t) {
                  k.activation(t.dst, t.a,
                               static_cast<isa::Activation>(isa::activation_values().back().value + 1));
              }));
    cases.add_field("activation_reduce that is idle", Error::UnsupportedOperand,
                    {Instruction(Opcode::ActivationReduce), {}}, field::ReduceCmd, 0);
    cases.add_field("an activation with an undefined rounding", Error::UnsupportedOperand, square,
                    field::Rounding, 3);
    const auto biased = [&](const char* name, Error error, const builder::Tile& bias) {
        w.add(name, Engine::Scalar, error,
              w.filled(Instruction(square.instruction)
                           .set(field::Bias, target::address_of(w.target, bias.memory, 0, bias.offset))
                           .set(field::BiasVector, 1)
                           .set(field::BiasDtype, isa::immediate_dtype(bias.dtype)),
                       w.operands()),
              [t = tiles_of(w.operands()), bias](KernelBuilder& k) {
                  k.activation(t.dst, t.a, isa::Activation::Square, {.bias = bias});
              });
    };
    const auto column = [&](Memory memory, Dtype dtype) {
        return builder::Tile{memory, dtype, 0, w.quadrant(), 0x300, {{1, 1}}};
    };
    biased("a bias of bf16", Error::None, column(Memory::Sbuf, Dtype::Bf16));
    biased("a bias of tf32", Error::Dtype, column(Memory::Sbuf, Dtype::Tf32));
    biased("a bias in PSUM", Error::UnsupportedOperand, column(Memory::Psum, Dtype::Fp32));
    cases.add_field("a constant bias of another type than fp32", Error::Dtype, square, field::BiasDtype, 6);
}

void add_copies(Writer& w) {
    LaneCases cases(w, Engine::Scalar);
    const Kind scalar{
        Instruction(Opcode::TensorScalar).set(field::Op0, AluOp::Max), [](KernelBuilder& k, const Tiles& t) {
            k.tensor_scalar(t.dst, t.a, {AluOp::Max, 0.0f}, {AluOp::Bypass}, {.engine = Engine::Scalar});
        }};
    cases.add("an operation that Scalar does not have", Error::UnsupportedOperand, scalar);
    const Kind copy{Instruction(Opcode::TensorCopy), [](KernelBuilder& k, const Tiles& t) {
                        k.tensor_copy(t.dst, t.a, {.engine = Engine::Scalar});
                    }};
    cases.add("a copy by Scalar", Error::None, copy);
    cases.add_field("a copy by Scalar with an operation", Error::UnsupportedOperand, copy, field::Op1, 1);
    cases.add_field("a copy by Scalar that reduces", Error::UnsupportedOperand, copy, field::ReduceCmd, 2);
    cases.add_field("a copy by Scalar with a type of imm0", Error::Dtype, copy, field::Imm0Dtype, 7);
    const Kind read{Instruction(Opcode::ActReadAccumulator),
                    [](KernelBuilder& k, const Tiles& t) { k.act_read_accumulator(t.dst); }};
    cases.add("act_read_accumulator of one element", Error::None, read, [](Operands& o) { o.count[0] = 1; });
    cases.add("act_read_accumulator of two elements", Error::Shape, read,
              [](Operands& o) { o.count[0] = 2; });
}

}  // namespace

void add_vector_cases(Writer& w) {
    add_shapes(w);
    add_operations(w);
    add_types(w);
    add_places(w);
    add_shuffles(w);
}

void add_scalar_cases(Writer& w) {
    add_tables(w);
    add_activations(w);
    add_copies(w);
}

}  // namespace trnsim::refusals
