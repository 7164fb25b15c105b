// Compares the tables of operands with a transcription of docs/instruction-set.md, and fields with a loop
// over bits.
#include "isa/operands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/random.hpp"
#include "isa/instruction.hpp"

namespace trnsim::isa {
namespace {

using Bytes = std::array<std::uint8_t, InstructionBytes>;

Bytes random_bytes(std::mt19937_64& random, Opcode opcode) {
    Bytes bytes{};
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    bytes[0] = static_cast<std::uint8_t>(opcode);
    return bytes;
}

std::uint64_t bits(const Bytes& bytes, unsigned first, unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i)
        value |= std::uint64_t{bytes[(first + i) / 8] >> (first + i) % 8 & 1U} << i;
    return value;
}

TEST(Fields, AreTheBitsWhereTheyStand) {
    auto random = test::generator();
    for (const InstructionInfo& info : instructions()) {
        for (int round = 0; round < 20; ++round) {
            const Bytes bytes = random_bytes(random, info.opcode);
            for (const Field* f : info.fields) {
                const std::uint64_t value = bits(bytes, f->offset, f->width);
                EXPECT_EQ(get(bytes, *f), value) << info.name << " " << f->name;
                const bool negative = (value >> (f->width - 1) & 1) != 0;
                const std::int64_t number = static_cast<std::int64_t>(value) -
                                            (negative && f->width < 64 ? std::int64_t{1} << f->width : 0);
                EXPECT_EQ(get_signed(bytes, *f), number) << info.name << " " << f->name;
            }
        }
    }
}

TEST(Operands, StandInTheSamePlacesOfEveryFormat) {
    struct Row {
        Role role;
        const char* name;
        unsigned address, step0, dtype, reg;
    };
    auto random = test::generator();
    for (const Row& row : {Row{Role::Dst, "dst", 192, 224, 52, 88}, Row{Role::A, "a", 288, 320, 56, 92},
                           Row{Role::B, "b", 384, 416, 60, 124}}) {
        const OperandFields& fields = fields_of(row.role);
        EXPECT_EQ(fields.name, row.name);
        for (int round = 0; round < 100; ++round) {
            const Bytes bytes = random_bytes(random, Opcode::TensorTensor);
            EXPECT_EQ(get(bytes, *fields.address), bits(bytes, row.address, 32));
            EXPECT_EQ(get(bytes, *fields.dtype), bits(bytes, row.dtype, 4));
            EXPECT_EQ(get(bytes, *fields.reg), bits(bytes, row.reg, 4));
            const Steps steps = steps_of(bytes, row.role);
            const Counts shape = shape_of(bytes);
            for (unsigned d = 0; d < Dimensions; ++d) {
                EXPECT_EQ(steps[d], static_cast<std::int16_t>(bits(bytes, row.step0 + 16 * d, 16)));
                EXPECT_EQ(shape[d], bits(bytes, 128 + 16 * d, 16));
            }
        }
    }
}

TEST(Operands, EveryInstructionHasThoseOfItsFormat) {
    const std::map<std::string_view, std::string> roles{
        {"stationary", "a"}, {"matmul", "dst a"}, {"unary", "dst a"},     {"binary", "dst a b"},
        {"generate", "dst"}, {"seed", "a"},       {"activation", "dst a"}};
    for (const InstructionInfo& info : instructions()) {
        std::string found;
        for (const OperandInfo& operand : operands_of(info)) {
            found += std::string(found.empty() ? "" : " ") + std::string(fields_of(operand.role).name);
            const bool columns = info.opcode == Opcode::MultiplyMoving && operand.role == Role::Dst;
            EXPECT_EQ(operand.partitions, columns ? &field::Columns : &field::Partitions) << info.name;
            EXPECT_EQ(operand.turned, info.opcode == Opcode::TransposeBlock && operand.role == Role::Dst);
            EXPECT_NE(std::ranges::find(info.fields, operand.partitions), info.fields.end()) << info.name;
        }
        const auto row = roles.find(info.format);
        EXPECT_EQ(found, row == roles.end() ? "" : row->second) << info.name;
    }
}

// All fields are random. Some operands have numbers of elements that are not those of the shape.
TEST(Operands, HaveTheShapeButForSome) {
    const std::map<std::pair<Opcode, Role>, std::uint32_t> fixed{
        {{Opcode::BnStats, Role::Dst}, 6},  {{Opcode::BnAggr, Role::Dst}, 2},
        {{Opcode::Max8, Role::Dst}, 8},     {{Opcode::FindIndex8, Role::Dst}, 8},
        {{Opcode::FindIndex8, Role::B}, 8}, {{Opcode::MatchReplace8, Role::B}, 8}};
    auto random = test::generator();
    for (const InstructionInfo& info : instructions()) {
        for (int round = 0; round < 50; ++round) {
            const Bytes bytes = random_bytes(random, info.opcode);
            for (const OperandInfo& operand : operands_of(info)) {
                Counts expected = shape_of(bytes);
                const auto number = fixed.find({info.opcode, operand.role});
                if (number != fixed.end()) expected = {number->second, 1, 1, 1};
                const bool reduced = info.opcode == Opcode::TensorReduce && operand.role == Role::Dst;
                for (std::uint64_t d = 0; reduced && d < std::min<std::uint64_t>(bits(bytes, 416, 3), 4); ++d)
                    expected[d] = 1;
                EXPECT_EQ(counts_of(bytes, operand), expected) << info.name;
            }
        }
    }
}

TEST(Operands, OnlyThePredicatedCopyMayHaveAConstantForB) {
    for (const InstructionInfo& info : instructions()) {
        for (const bool flag : {false, true}) {
            Instruction instruction(info.opcode);
            if (info.format == "binary") instruction.set(field::BImmediate, flag);
            const bool constant = flag && info.opcode == Opcode::TensorCopyPredicated;
            EXPECT_EQ(instruction.reads_b(), info.format == "binary" && !constant) << info.name;
        }
    }
    EXPECT_FALSE(Instruction(static_cast<Opcode>(0xff)).reads_b());
}

TEST(Immediates, MayBeTensors) {
    using Names = std::vector<std::string>;
    const std::map<std::string_view, Names> rows{
        {"unary", {"imm0 imm0_vector imm0_dtype", "imm1 imm1_vector"}},
        {"binary", {"imm0 imm0_vector"}},
        {"generate", {"imm0 imm0_vector"}},
        {"activation", {"scale scale_vector", "bias bias_vector bias_dtype"}}};
    for (const InstructionInfo& info : instructions()) {
        Names found;
        for (const ImmediateInfo& immediate : immediates_of(info)) {
            found.push_back(std::string(immediate.value->name) + " " + std::string(immediate.flag->name));
            if (immediate.dtype != nullptr) found.back() += " " + std::string(immediate.dtype->name);
        }
        const auto row = rows.find(info.format);
        EXPECT_EQ(found, row == rows.end() ? Names{} : row->second) << info.name;
    }
    const Instruction bias = Instruction(Opcode::Activation).set(field::BiasDtype, ImmediateDtype::U16);
    const auto immediates = immediates_of(*bias.info());
    EXPECT_EQ(vector_type(bias.bytes(), immediates[0]), ImmediateDtype::Fp32);
    EXPECT_EQ(vector_type(bias.bytes(), immediates[1]), ImmediateDtype::U16);
}

TEST(Counts, AreMultipliedUpToALimit) {
    EXPECT_EQ(elements_up_to({3, 5, 7, 1}, UINT64_MAX), 105u);
    EXPECT_EQ(elements_up_to({3, 5, 7, 1}, 105), 105u);
    EXPECT_EQ(elements_up_to({3, 5, 7, 1}, 104), 104u);
    EXPECT_EQ(elements_up_to({65535, 65535, 65535, 65535}, 33), 33u);
    EXPECT_EQ(elements_up_to({65535, 65535, 65535, 0}, 33), 0u);
}

}  // namespace
}  // namespace trnsim::isa
