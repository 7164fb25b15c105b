// Tests instructions as text: every opcode shows its own operands and no others.
#include "isa/disassembler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "common/random.hpp"

namespace trnsim::isa {
namespace {

// Splits a line into words at blanks outside braces and brackets.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words(1);
    int depth = 0;
    for (const char c : line) {
        depth += (c == '{' || c == '[' ? 1 : 0) - (c == '}' || c == ']' ? 1 : 0);
        if (c == ' ' && depth == 0)
            words.emplace_back();
        else
            words.back() += c;
    }
    return words;
}

bool has_word(const std::string& line, const std::string& start) {
    const auto words = words_of(line);
    return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(start); });
}

bool has_field(const InstructionInfo& info, std::string_view name) {
    return std::ranges::find(info.fields, name, &Field::name) != info.fields.end();
}

Instruction shaped(Opcode opcode) {
    Instruction i(opcode);
    i.set(field::Count0, 16).set(field::Count1, 4).set(field::Count2, 1).set(field::Count3, 1);
    i.set(field::DstAddr, 0x2000000 + 3 * 0x4000 + 0x40).set(field::DstDtype, Dtype::Fp32);
    i.set_signed(field::DstStep0, 1).set_signed(field::DstStep1, -16);
    i.set(field::AAddr, 2 * 0x40000 + 0x100).set(field::ADtype, Dtype::Bf16);
    i.set_signed(field::AStep0, 2).set_signed(field::AStep1, 32);
    return i.set(field::Partitions, 128);
}

Instruction with_b(Opcode opcode) {
    Instruction i = shaped(opcode);
    i.set(field::BAddr, 0x200).set(field::BDtype, Dtype::U8);
    return i.set_signed(field::BStep0, 1).set_signed(field::BStep1, 16);
}

TEST(Disassembler, ALineOfEveryFormat) {
    const auto fp32 = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    const std::string dst = " dst=psum[3+0x40]{fp32 16:1 4:-16}", a = " a=sbuf[2+0x100]{bf16 16:2 4:32}",
                      b = " b=sbuf[0+0x200]{u8 16:1 4:16}";
    Instruction control(Opcode::EventSemaphore);
    control.set(field::WaitMode, WaitMode::Ge).set(field::WaitSem, 3).set(field::WaitValue, 32);
    control.set(field::UpdateMode, UpdateMode::Sub).set(field::UpdateSem, 4).set(field::UpdateValue, 1);
    Instruction stationary(Opcode::LoadStationary);
    stationary.set(field::Count0, 8).set(field::Count1, 1).set(field::Count2, 1).set(field::Count3, 1);
    stationary.set(field::ADtype, Dtype::Fp8E4m3).set_signed(field::AStep0, 8192);
    stationary.set(field::Partitions, 64).set(field::RowTile, 1);
    Instruction memset(Opcode::Memset);
    memset.set(field::Count0, 4).set(field::Count1, 1).set(field::Count2, 1).set(field::Count3, 1);
    memset.set(field::DstDtype, Dtype::U32).set(field::Imm0, fp32(2.5f)).set(field::Partitions, 1);
    const std::vector<std::pair<Instruction, std::string>> lines{
        {control, "event_semaphore wait S[3]>=32 S[4]-=1"},
        {Instruction(Opcode::Write).set(field::Address, 0x1000).set(field::Data, 5),
         "write address=0x1000 data=0x5"},
        {Instruction(Opcode::DmaTrigger), "dma_trigger transfer=0"},
        {Instruction(Opcode::Branch).set(field::Condition, BranchCond::Ne).set(field::RegA, 2),
         "branch target=0 condition=ne reg_a=2"},
        {Instruction(Opcode::RegisterAlu)
             .set(field::RegOp, RegOp::Add)
             .set(field::RegDst, 1)
             .set(field::UseImm, 1)
             .set(field::Data, 7),
         "register_alu use_imm reg_op=add reg_dst=1 data=0x7"},
        {Instruction(Opcode::RegisterLoad).set(field::RegDst, 1).set(field::Address, 0x40),
         "register_load reg_dst=1 address=0x40"},
        {stationary, "load_stationary a=sbuf[0+0x0]{fp8_e4m3 8:8192} row_tile partitions=64"},
        {shaped(Opcode::MultiplyMoving).set(field::Columns, 64).set(field::Accumulate, 1),
         "multiply_moving" + dst + a + " accumulate partitions=128 columns=64"},
        {shaped(Opcode::TensorCopy).set(field::AReg, 5),
         "tensor_copy" + dst + " a=sbuf[2+0x100]+r5{bf16 16:2 4:32} partitions=128"},
        {shaped(Opcode::TensorScalar)
             .set(field::Op0, AluOp::Add)
             .set(field::Imm0, fp32(0.5f))
             .set(field::Op1, AluOp::Multiply)
             .set(field::Imm1Vector, 1)
             .set(field::Imm1, 0x40180),
         "tensor_scalar" + dst + a + " partitions=128 op0=add op1=multiply imm1=sbuf[1+0x180] imm0=0.5"},
        {shaped(Opcode::TensorScalar).set(field::Op0, AluOp::Add).set(field::Imm0Vector, 1),
         "tensor_scalar" + dst + a + " partitions=128 op0=add imm0=sbuf[0+0x0]"},
        {shaped(Opcode::TensorReduce).set(field::ReduceAxes, 1),
         "tensor_reduce dst=psum[3+0x40]{fp32 1:1 4:-16}" + a + " partitions=128 reduce_axes=1"},
        {shaped(Opcode::BnStats), "bn_stats dst=psum[3+0x40]{fp32 6:1}" + a + " partitions=128"},
        {with_b(Opcode::TensorTensor), "tensor_tensor" + dst + a + b + " partitions=128"},
        {with_b(Opcode::FindIndex8),
         "find_index8 dst=psum[3+0x40]{fp32 8:1}" + a + " b=sbuf[0+0x200]{u8 8:1} partitions=128"},
        {with_b(Opcode::MatchReplace8).set(field::Imm0Vector, 1).set(field::Imm0, 0x80),
         "match_replace8" + dst + a + " b=sbuf[0+0x200]{u8 8:1} partitions=128 imm0=sbuf[0+0x80]"},
        {with_b(Opcode::TensorCopyPredicated).set(field::BImmediate, 1),
         "tensor_copy_predicated" + dst + a + " b_immediate partitions=128 imm0=0"},
        {with_b(Opcode::TensorCopyPredicated)
             .set(field::BImmediate, 1)
             .set(field::Imm0Vector, 1)
             .set(field::Imm0, 0x80),
         "tensor_copy_predicated" + dst + a + " b_immediate partitions=128 imm0=sbuf[0+0x80]"},
        {memset, "memset dst=sbuf[0+0x0]{u32 4:0} partitions=1 imm0=2.5"},
        {Instruction(Opcode::SetRngSeed)
             .set(field::Count0, 1)
             .set(field::ADtype, Dtype::U32)
             .set(field::Partitions, 1),
         "set_rng_seed a=sbuf[0+0x0]{u32 1:0} partitions=1"},
        {Instruction(Opcode::LoadShuffleMask).set(field::Mask1, 0x07060504),
         "load_shuffle_mask mask1=0x7060504"},
        {shaped(Opcode::Activation)
             .set(field::ActFunction, Activation::Exp)
             .set(field::Scale, fp32(1.0f))
             .set(field::BiasVector, 1)
             .set(field::Bias, 0x5dc00),
         "activation" + dst + a + " partitions=128 act_function=exp bias=sbuf[1+0x1dc00] scale=1"},
        {shaped(Opcode::Activation).set(field::BiasVector, 1).set(field::BiasDtype, ImmediateDtype::Fp8E4m3),
         "activation" + dst + a + " partitions=128 bias=sbuf[0+0x0]{fp8_e4m3}"},
        {shaped(Opcode::Activation).set(field::BiasDtype, ImmediateDtype::I16).set(field::Bias, fp32(2.0f)),
         "activation" + dst + a + " partitions=128 bias_dtype=i16 bias=2"},
        {shaped(Opcode::Dropout)
             .set(field::Imm0Vector, 1)
             .set(field::Imm0Dtype, ImmediateDtype::Bf16)
             .set(field::Imm0, 2),
         "dropout" + dst + a + " partitions=128 imm0=sbuf[0+0x2]{bf16}"},
        {shaped(Opcode::ActivationReduce).set(field::ScaleVector, 1).set(field::ReduceCmd, ReduceCmd::Reduce),
         "activation_reduce" + dst + a + " reduce_cmd=reduce partitions=128 scale=sbuf[0+0x0]"},
        {Instruction(Opcode::ActTableLoad).set(field::TableSet, ActivationSet::GeluAndOthers),
         "act_table_load table_set=gelu_and_others"},
        {Instruction(Opcode::GpsimdArguments)
             .set(field::FirstWord, 12)
             .set(field::Words, 2)
             .set(field::W1, 0x40),
         "gpsimd_arguments first_word=12 words=2 w1=0x40"},
        {Instruction(Opcode::GpsimdCommand).set(field::CoreMask, 0xff),
         "gpsimd_command operation=0 core_mask=255"},
        {Instruction(Opcode::GpsimdStart).set(field::CoreMask, 1).set(field::Boot, 0x80002c00),
         "gpsimd_start core_mask=1 boot=0x80002c00"},
        {Instruction(static_cast<Opcode>(0xff)), "illegal 0xff"},
    };
    for (const auto& [instruction, line] : lines) EXPECT_EQ(disassemble(instruction), line);
}

// All bits are random: whatever the fields hold, the operands shown are those of the opcode, and addresses
// are shown as addresses.
TEST(Disassembler, EveryOpcodeShowsWhatItHas) {
    auto random = test::generator();
    for (const InstructionInfo& info : instructions()) {
        for (int round = 0; round < 100; ++round) {
            Instruction i(info.opcode);
            for (const Field* f : info.fields) {
                if (f == &field::Opcode) continue;
                const std::uint64_t value = random() >> (64 - f->width);
                i.set(*f, f->kind == FieldKind::Enum ? f->values[value % f->values.size()].value : value);
            }
            const std::string line = disassemble(i);
            SCOPED_TRACE(line);
            const bool immediate_b =
                info.opcode == Opcode::TensorCopyPredicated && i.get(field::BImmediate) != 0;
            EXPECT_TRUE(line.starts_with(info.name));
            EXPECT_EQ(has_word(line, "dst="), info.uses_dst);
            EXPECT_EQ(has_word(line, "a="), info.uses_a);
            EXPECT_EQ(has_word(line, "b="), info.uses_b && !immediate_b);
            EXPECT_EQ(line.find("_vector"), std::string::npos);
            for (const auto& [constant, flag] :
                 {std::pair{&field::Imm0, &field::Imm0Vector}, std::pair{&field::Imm1, &field::Imm1Vector},
                  std::pair{&field::Scale, &field::ScaleVector},
                  std::pair{&field::Bias, &field::BiasVector}}) {
                if (!has_field(info, constant->name)) continue;
                const std::string start = std::string(constant->name) + "=";
                if (has_field(info, flag->name) && i.get(*flag) != 0) {
                    const auto address = static_cast<std::uint32_t>(i.get(*constant));
                    EXPECT_TRUE(has_word(line, start + format_address(address)));
                } else if (i.get(*constant) != 0) {
                    EXPECT_TRUE(has_word(line, start));
                    EXPECT_FALSE(has_word(line, start + "sbuf["));
                }
            }
        }
    }
}

// An instruction without operands shows only its name if all its fields are zero.
TEST(Disassembler, ZeroFieldsAreLeftOut) {
    for (const InstructionInfo& info : instructions()) {
        if (info.uses_dst || info.uses_a || info.uses_b) continue;
        const std::string line = disassemble(Instruction(info.opcode));
        EXPECT_LE(words_of(line).size(), 2u) << line;  // a branch's target, a trigger's transfer
    }
}

}  // namespace
}  // namespace trnsim::isa
