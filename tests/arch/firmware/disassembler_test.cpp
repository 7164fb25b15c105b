// Compares every instruction of the functional plan, with random operands, with LLVM's disassembler.
#include "arch/firmware/disassembler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "common/lacking.hpp"
#include "tests/common/random.hpp"
#include "tests/common/riscv/instruction_plan.hpp"
#include "tests/common/temporary_directory.hpp"

namespace trnsim::firmware {
namespace {

constexpr unsigned OfEach = 20;

// Returns whether LLVM has no text for it: reserved rounding modes and sets of fences.
bool is_reserved(std::uint32_t insn) {
    const std::uint32_t opcode = insn & 0x7f, funct3 = insn >> 12 & 7, funct7 = insn >> 25;
    const bool rounds =
        (opcode >= 0x43 && opcode <= 0x4f && opcode % 4 == 3) ||
        (opcode == 0x53 && (funct7 < 0x10 || funct7 == 0x2c || funct7 == 0x60 || funct7 == 0x68));
    if (rounds && (funct3 == 5 || funct3 == 6)) return true;
    return opcode == 0x0f;
}

constexpr std::array<std::uint32_t, 8> Csrs{0x001, 0x003, 0x00f, 0x300, 0x342, 0xb80, 0xc20, 0x5c5};

// Returns a code of this instruction with random operands. CSRs are those that the core has, and one that
// does not exist.
std::uint32_t random_code(const test::PlannedInstruction& planned, std::mt19937_64& random) {
    auto insn = static_cast<std::uint32_t>(random());
    if ((planned.match & 0x7f) == 0x73) insn = (insn & 0xfffff) | Csrs[random() % Csrs.size()] << 20;
    return (insn & ~planned.mask) | planned.match;
}

std::vector<std::uint32_t> instructions() {
    std::mt19937_64 random(test::seed());
    std::vector<std::uint32_t> codes{0xf1402573, 0x00000073, 0x00100073, 0x30200073,
                                     0x10500073, 0x0ff0000f, 0x0330000f, 0x0000100f};
    const test::InstructionPlan plan;
    for (const test::PlannedInstruction& planned : plan.instructions()) {
        for (unsigned k = 0; k < OfEach; ++k) {
            const std::uint32_t insn = random_code(planned, random);
            if (!is_reserved(insn)) codes.push_back(insn);
        }
    }
    return codes;
}

// Returns LLVM's text for each code, the first one at address 0; an empty list if LLVM is not installed. It
// looks for LLVM as it runs, because packages may be installed after the build folder was configured.
std::vector<std::string> reference(const std::vector<std::uint32_t>& codes) {
    test::TemporaryDirectory directory;
    const std::string source = (directory / "codes.s").string(), object = (directory / "codes.o").string();
    {
        std::ofstream file(source);
        for (const std::uint32_t code : codes) file << fmt::format(".insn 4, {:#010x}\n", code);
    }
    const std::string compile = fmt::format(
        "clang-19 --target=riscv32-unknown-elf -march=rv32imf_zve32f_zvl512b_zicsr_zifencei -c {} -o {}",
        source, object);
    if (std::system(compile.c_str()) != 0) return {};
    FILE* pipe =
        popen(fmt::format("llvm-objdump-19 -d -M no-aliases --no-show-raw-insn {}", object).c_str(), "r");
    std::vector<std::string> lines;
    const std::regex instruction(R"(^ *[0-9a-f]+:\s+(.*?)\s*( <.*>)?\s*$)");
    char* line = nullptr;
    std::size_t capacity = 0;
    while (getline(&line, &capacity, pipe) >= 0) {
        std::smatch match;
        const std::string text = line;
        if (std::regex_search(text, match, instruction))
            lines.push_back(std::regex_replace(match[1].str(), std::regex("\t"), " "));
    }
    std::free(line);
    pclose(pipe);
    return lines;
}

TEST(Disassembler, AsLlvm) {
    const std::vector<std::uint32_t> codes = instructions();
    const std::vector<std::string> expected = reference(codes);
    if (expected.empty()) TRNSIM_END_WITHOUT("llvm-objdump-19");
    ASSERT_EQ(expected.size(), codes.size());
    for (std::size_t k = 0; k < codes.size(); ++k) {
        // LLVM does not know groups of registers that are not aligned.
        const std::string& wanted =
            expected[k] == "<unknown>" ? fmt::format(".word {:#010x}", codes[k]) : expected[k];
        EXPECT_EQ(disassemble(codes[k], static_cast<std::uint32_t>(4 * k)), wanted)
            << fmt::format("{:08x}", codes[k]);
    }
}

TEST(Disassembler, SaysWhatIsNoInstruction) {
    EXPECT_EQ(disassemble(0, 0), ".word 0x00000000");
    EXPECT_EQ(disassemble(0xffffffff, 0), ".word 0xffffffff");
}

TEST(Disassembler, SaysWhereBranchesGo) {
    EXPECT_EQ(disassemble(0x0000006f, 0x80002c00), "jal zero, 0x80002c00");
    EXPECT_EQ(disassemble(0xffdff06f), "jal zero, .-0x4");
    EXPECT_EQ(disassemble(0x00b50463), "beq a0, a1, .+0x8");
}

}  // namespace
}  // namespace trnsim::firmware
