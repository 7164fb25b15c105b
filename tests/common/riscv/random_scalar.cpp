// Writes integer, memory, control and floating-point instructions.
#include "tests/common/riscv/program_writer.hpp"

namespace trnsim::test {

void ProgramWriter::integer() {
    const std::uint32_t rd = destination();
    switch (below(5)) {
        case 0:
            i_type(0x13, below(8), rd, source(), chance(80) ? below(32) | below(2) << 10 : word() & 0xfff);
            break;
        case 1:
            r_type(0x33, below(8), pick(std::array<std::uint32_t, 8>{0, 0, 0, 0, 0x20, 1, 1, 1}), rd,
                   source(), source());
            break;
        case 2:
            emit((word() & 0xfffff000) | rd << 7 | (chance(50) ? 0x37 : 0x17));
            break;
        case 3:
            load_immediate(rd, value());
            break;
        default:
            if (chance(10))
                emit(harmless(word(), rd));
            else
                r_type(0x33, below(8), 1, rd, source(), source());
    }
}

// A random word may be any instruction; most are illegal. It must not write a register with a fixed purpose:
// a loop would never end if it set the loop's counter. So arithmetic writes `rd`, and everything else gets an
// opcode that does not exist.
std::uint32_t ProgramWriter::harmless(std::uint32_t insn, std::uint32_t rd) {
    const std::uint32_t opcode = insn & 0x7f;
    const bool arithmetic = opcode == 0x13 || opcode == 0x33 || opcode == 0x37 || opcode == 0x17;
    return arithmetic ? (insn & ~(31U << 7)) | rd << 7 : (insn & ~0x7fU) | 0x0b;
}

void ProgramWriter::memory() {
    const std::uint32_t base = chance(50) ? TcmPointer : SlicePointer;
    const std::uint32_t size = below(3);
    const std::uint32_t offset = chance(95) ? word() & 0xfff & ~((1U << size) - 1) : word() & 0xfff;
    std::uint32_t pointer = base;
    if (chance(4)) {
        load_immediate(Address, chance(50) ? TcmBase + TcmBytes - 8 + below(16)
                                           : (pick(Corners) & 0x1fffffff) | 0x40000000);
        pointer = Address;
    }
    switch (below(5)) {
        case 0:
            i_type(0x03, size, destination(), pointer, offset);
            break;
        case 1:
            i_type(0x03, size + (chance(50) ? 4 : 0), destination(), pointer, offset);
            break;
        case 2:
            s_type(0x23, size, pointer, source(), offset);
            break;
        case 3:
            i_type(0x07, 2, below(32), pointer, offset);
            break;
        default:
            s_type(0x27, 2, pointer, below(32), offset);
            break;
    }
}

void ProgramWriter::control() {
    switch (below(12)) {
        case 0:  // a forward branch
        case 1:
            branch(pick(std::array<std::uint32_t, 6>{0, 1, 4, 5, 6, 7}), source(), source(), 8);
            integer();
            break;
        case 2: {  // a loop
            i_type(0x13, 0, Counter, 0, 1 + below(4));
            const std::size_t first = code_.size();
            for (std::uint32_t k = below(6); k > 0; --k) chance(50) ? integer() : memory();
            i_type(0x13, 0, Counter, Counter, 0xfff);
            branch(1, Counter, 0, -4 * static_cast<std::int32_t>(code_.size() - first));
            break;
        }
        case 3:  // jal, jalr
            if (chance(50)) {
                emit(0x0000006f | 8U << 20 | destination() << 7);
                emit(word() & ~0x7fU);
            } else {
                emit(Address << 7 | 0x17);
                i_type(0x67, 0, destination(), Address, 8 + below(2));
            }
            break;
        case 4:  // a misaligned target
            emit(Address << 7 | 0x17);
            if (chance(50))
                i_type(0x67, 0, destination(), Address, 10);
            else
                branch(below(2), source(), source(), 6);
            break;
        case 5:  // a target outside memory
            emit(Link << 7 | 0x17);
            i_type(0x13, 0, Link, Link, 16);
            emit((word() & 0x7ffff000) | 0x40000000U | (Address << 7) | 0x37);
            i_type(0x67, 0, destination(), Address, 0);
            break;
        case 6:
            emit(chance(50) ? 0x00000073 : 0x00100073);
            break;
        case 7:  // FS or VS is off for one instruction
            load_immediate(Address, chance(50) ? 0x6000 : 0x0600);
            csr(1, 0, 0x300, Address);
            chance(50) ? floating() : vector_integer();
            load_immediate(Address, 0x6600);
            csr(2, destination(), 0x300, Address);
            break;
        case 8:
            emit(chance(50) ? 0x0000100f : 0x0ff0000f);
            break;
        case 9: {  // rounding modes, mostly valid ones
            const std::uint32_t mode = chance(95) ? below(5) : below(8);
            csr(5, destination(), 0x002, mode);
            csr(5, destination(), 0x00a, below(4));
            break;
        }
        case 10:
            if (chance(30)) {  // vstart for the next instruction
                csr(5, 0, 0x008, below(chance(80) ? 8 : 32));
                vector_integer();
            }
            break;
        default: {
            const std::uint32_t number = pick(std::array<std::uint32_t, 24>{
                0x001, 0x003, 0x009, 0x00a, 0x00f, 0x340, 0x341, 0x342, 0x343, 0xc20, 0xc21, 0xc22,
                0xf14, 0xf15, 0x123, 0x5c0, 0x323, 0x33f, 0xb03, 0xb1f, 0xb83, 0x001, 0x003, 0x009});
            const std::uint32_t funct3 = 1 + below(3) + 4 * below(2);
            const bool machine = number >= 0x341 && number <= 0x343;
            csr(machine ? 2 : funct3, destination(), number, machine ? 0 : source());
            // The write may have put an invalid rounding mode into fcsr.
            if (number == 0x003 && chance(90)) csr(5, 0, 0x002, below(5));
        }
    }
}

void ProgramWriter::floating() {
    const std::uint32_t rm = chance(95) ? pick(std::array<std::uint32_t, 6>{0, 1, 2, 3, 4, 7}) : below(8);
    const std::uint32_t rs1 = below(32), rs2 = below(32), rd = below(32);
    switch (below(12)) {
        case 0: {  // new operands
            load_immediate(Address, value());
            r_type(0x53, 0, 0x78, rd, Address, 0);
            break;
        }
        case 1:
        case 2:
            r_type(0x53, rm, pick(std::array<std::uint32_t, 4>{0, 4, 8, 0xc}), rd, rs1, rs2);
            break;
        case 3:
            r_type(0x53, rm, chance(50) ? 0x2c : 0x0c, rd, rs1, chance(95) ? 0 : rs2);
            break;
        case 4:
        case 5:
            emit(below(32) << 27 | rs2 << 20 | rs1 << 15 | rm << 12 | rd << 7 | 0x43 | below(4) << 2);
            break;
        case 6:
            r_type(0x53, below(4), 0x10, rd, rs1, rs2);
            break;
        case 7:
            r_type(0x53, below(3), 0x14, rd, rs1, rs2);
            break;
        case 8:
            r_type(0x53, below(4), 0x50, destination(), rs1, rs2);
            break;
        case 9:
            r_type(0x53, rm, 0x60, destination(), rs1, below(2));
            break;
        case 10:
            r_type(0x53, rm, 0x68, rd, source(), below(2));
            break;
        default:
            if (chance(50))
                r_type(0x53, below(2), 0x70, destination(), rs1, 0);
            else
                r_type(0x53, 0, 0x78, rd, source(), 0);
    }
}

}  // namespace trnsim::test
