#include "gpsimd_stream.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "firmware/include/trnsim/mailbox.hpp"
#include "firmware/include/trnsim/memory_map.h"
#include "tests/common/riscv/cosimulation.hpp"

namespace trnsim::test {
namespace {

// The engine recognises the core's mailbox by this number.
void put_magic(std::span<std::uint8_t> tcm) {
    const std::uint32_t magic = firmware::MailboxMagic;
    std::memcpy(&tcm[TRNSIM_MAILBOX_BASE - TRNSIM_TCM_BASE + offsetof(firmware::Mailbox, magic)], &magic,
                sizeof(magic));
}

}  // namespace

std::vector<std::uint8_t> gpsimd_stream(std::mt19937_64& random, unsigned kind, std::uint32_t vlen) {
    static constexpr std::array<Mix, StreamKinds> Mixes{
        mixes::Integer,      mixes::FloatingPoint, mixes::VectorInteger, mixes::VectorFloatingPoint,
        mixes::VectorMemory, mixes::Segments,      mixes::Everything,    mixes::Streams};
    constexpr std::size_t Fewest = 500, Most = 1500;  // instructions; the mailbox is after 2,048
    const Program program =
        random_program(random, Mixes[kind], std::uniform_int_distribution(Fewest, Most)(random), vlen);
    std::vector<std::uint8_t> bytes(program.words.size() * sizeof(std::uint32_t));
    std::memcpy(bytes.data(), program.words.data(), bytes.size());
    put_magic(bytes);
    return bytes;
}

std::vector<std::uint8_t> gpsimd_interrupts(std::mt19937_64& random) {
    constexpr std::uint32_t Mstatus = 0x300, Mie = 0x304, Mtvec = 0x305, Mepc = 0x341, Mcause = 0x342,
                            Mcycle = 0xb00, Minstret = 0xb02, Mcycleh = 0xb80, Minstreth = 0xb82;
    constexpr std::uint32_t Handler = 0x1000, Results = 0x4000;  // in the TCM
    constexpr std::uint32_t Wfi = 0x10500073, Mret = 0x30200073, Nop = 0x13;
    const auto lui = [](std::uint32_t rd, std::uint32_t value) {
        return (value & 0xfffff000) | rd << 7 | 0x37;
    };
    const auto addi = [](std::uint32_t rd, std::uint32_t rs1, std::uint32_t value) {
        return value << 20 | rs1 << 15 | rd << 7 | 0x13;
    };
    const auto store = [](std::uint32_t rs2, std::uint32_t rs1, std::uint32_t offset) {  // offset below 32
        return rs2 << 20 | rs1 << 15 | 2U << 12 | offset << 7 | 0x23;
    };
    const auto csr = [](std::uint32_t funct3, std::uint32_t rd, std::uint32_t number, std::uint32_t rs1) {
        return number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73;
    };
    enum : std::uint32_t { Write = 1, Set = 2, SetImmediate = 6, ClearImmediate = 7 };

    std::vector<std::uint32_t> words(Results / sizeof(std::uint32_t), Nop);
    std::size_t at = 0;
    const auto add = [&](std::uint32_t word) { words[at++] = word; };
    add(lui(1, TRNSIM_TCM_BASE + Results));
    add(lui(2, TRNSIM_TCM_BASE + Handler));
    add(csr(Write, 0, Mtvec, 2));
    add(lui(2, 0x1000));
    add(addi(2, 2, 0x800));  // bit 11
    add(csr(Set, 0, Mie, 2));
    const auto body = [&](bool interrupts) {
        for (auto left = random() % 40; left != 0; --left) {
            const auto rd = static_cast<std::uint32_t>(8 + random() % 8),
                       rs1 = static_cast<std::uint32_t>(8 + random() % 8);
            switch (random() % 10) {
                case 0:
                    add(csr(Set, rd, Mcycle, random() % 4 == 0 ? rs1 : 0));
                    break;
                case 1:
                    add(csr(random() % 4 == 0 ? Write : Set, rd, Mcycleh, 0));
                    break;
                case 2:
                    add(csr(random() % 4 == 0 ? Write : Set, rd, random() % 3 == 0 ? Minstreth : Minstret,
                            random() % 2 == 0 ? rs1 : 0));
                    break;
                case 3:
                    if (interrupts)
                        add(csr(random() % 2 == 0 ? SetImmediate : ClearImmediate, rd, Mstatus, 8));
                    break;
                case 4:
                    add(store(rd, 1, 0));
                    add(addi(1, 1, 4));
                    break;
                case 5:
                    add(1U << 25 | rs1 << 20 | rs1 << 15 | (random() % 2 == 0 ? 0U : 4U << 12) | rd << 7 |
                        0x33);  // mul, div
                    break;
                default:
                    add(addi(rd, rs1, static_cast<std::uint32_t>(random() % 2048)));
                    break;
            }
        }
    };
    body(false);
    if (random() % 3 == 0) add(csr(SetImmediate, 0, Mstatus, 8));
    add(Wfi);
    body(true);
    add(csr(SetImmediate, 0, Mstatus, 8));
    add(Wfi);
    add(0xffdff06f);  // jal x0, -4
    at = Handler / sizeof(std::uint32_t);
    for (const std::uint32_t number : {Mcause, Mepc, Mcycle, Minstret, Mstatus}) {
        add(csr(Set, 5, number, 0));
        add(store(5, 1, 0));
        add(addi(1, 1, 4));
    }
    add(csr(Write, 0, Mie, 0));
    add(Mret);
    std::vector<std::uint8_t> bytes(words.size() * sizeof(std::uint32_t));
    std::memcpy(bytes.data(), words.data(), bytes.size());
    put_magic(bytes);
    return bytes;
}

}  // namespace trnsim::test
