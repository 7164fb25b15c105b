#include "tests/common/riscv/program_writer.hpp"

#include <utility>

namespace trnsim::test {

void ProgramWriter::start() {
    // The first instruction jumps over the trap handler. The handler reads cause and value and returns to the
    // next instruction, or to Link after a fetch from an invalid address.
    emit(0);  // replaced by the jump when its length is known
    handler_ = here();
    load_immediate(Scratch, 0x6600);
    csr(2, 0, 0x300, Scratch);  // FS and VS on
    csr(2, Scratch, 0x343, 0);  // mtval
    csr(2, Scratch, 0x008, 0);  // vstart
    csr(5, 0, 0x008, 0);
    csr(2, Scratch, 0x341, 0);  // mepc
    i_type(0x13, 0, Scratch, Scratch, 4);
    csr(1, 0, 0x341, Scratch);
    csr(2, Scratch, 0x342, 0);  // mcause
    i_type(0x13, 0, Scratch, Scratch, 0xfff);
    branch(1, Scratch, 0, 8);
    csr(1, 0, 0x341, Link);
    emit(encode::Mret);
    code_[0] = 0x0000006f | static_cast<std::uint32_t>(code_.size() * 4) << 20;  // jal x0

    load_immediate(1, handler_);
    csr(1, 0, 0x305, 1);
    load_immediate(1, 0x6600);
    csr(1, 0, 0x300, 1);
    for (std::uint32_t k = 0; k < 32; ++k) {
        load_immediate(1, value());
        r_type(0x53, 0, 0x78, k, 1, 0);  // fmv.w.x
    }
    for (std::uint32_t k = 1; k < 32; ++k) load_immediate(k, value());
    load_immediate(TcmPointer, TcmData + 0x6000);
    load_immediate(SlicePointer, SliceData + 0x2000);
    // The slice starts as a copy of data in the TCM.
    load_immediate(1, TcmData);
    load_immediate(2, SliceData);
    load_immediate(3, 0x4000 / vlen_);
    i_type(0x07, 0, 0, 1, 7U << 9 | 1 << 5 | 8);  // vl8r.v v0, (x1)
    i_type(0x27, 0, 0, 2, 7U << 9 | 1 << 5 | 8);  // vs8r.v v0, (x2)
    i_type(0x13, 0, 1, 1, vlen_);
    i_type(0x13, 0, 2, 2, vlen_);
    i_type(0x13, 0, 3, 3, 0xfff);
    branch(1, 3, 0, -20);
    for (std::uint32_t k = 0; k < 32; k += 8) {
        load_immediate(1, TcmData + below(0x1e0) * 64);
        i_type(0x07, 0, k, 1, 7U << 9 | 1 << 5 | 8);
    }
    set_type(2, 0);
}

// Loads all memory, so that the log shows it; then stores to the address that ends the program.
void ProgramWriter::finish() {
    csr(5, 0, 0x008, 0);
    for (const auto& [from, bytes] : {std::pair<std::uint32_t, std::uint32_t>{TcmData, TcmBytes - CodeBytes},
                                      std::pair<std::uint32_t, std::uint32_t>{SliceData, 0x4000U}}) {
        load_immediate(1, from);
        load_immediate(3, bytes / vlen_);
        i_type(0x07, 0, 8, 1, 7U << 9 | 1 << 5 | 8);
        i_type(0x13, 0, 1, 1, vlen_);
        i_type(0x13, 0, 3, 3, 0xfff);
        branch(1, 3, 0, -12);
    }
    csr(2, 1, 0x003, 0);
    csr(2, 1, 0x00f, 0);
    csr(2, 1, 0x300, 0);
    load_immediate(1, ToHost);
    load_immediate(2, 1);
    s_type(0x23, 2, 1, 2, 0);
    emit(encode::Wfi);
    emit(0xffdff06f);  // wfi again
}

void ProgramWriter::instruction() {
    const std::array<unsigned, 10> weights = {
        mix_.integer,        mix_.memory,       mix_.control,       mix_.floating, mix_.configure,
        mix_.vector_integer, mix_.vector_float, mix_.vector_memory, mix_.segments, mix_.streams};
    unsigned total = 0;
    for (const unsigned weight : weights) total += weight;
    unsigned choice = below(total), kind = 0;
    while (choice >= weights[kind]) choice -= weights[kind++];
    switch (kind) {
        case 0:
            integer();
            break;
        case 1:
            memory();
            break;
        case 2:
            control();
            break;
        case 3:
            floating();
            break;
        case 4:
            configure();
            break;
        case 5:
            vector_integer();
            break;
        case 6:
            vector_float();
            break;
        case 7:
            vector_memory();
            break;
        case 8:
            segments();
            break;
        default:
            streams();
    }
    // Reads the flags often, so that only few instructions can have set each.
    if (kind == 3 || kind == 6) {
        if (chance(25)) csr(5, destination(), 0x001, 0);
    } else if (kind == 5 && chance(15)) {
        csr(5, destination(), 0x009, 0);
    }
    if (mix_.vector_memory && chance(2)) {  // the log shows whole groups, as a trap left them
        const std::uint32_t first = below(4) * 8;
        emit(encode::vector_op(0x27, 3, first, first, 7, 1));  // vmv8r.v
    }
}

// Loops and the trap handler execute some instructions more than once.
constexpr std::uint64_t MostStepsPerInstruction = 20;

Program ProgramWriter::write(std::size_t instructions) {
    start();
    while (code_.size() < instructions && code_.size() * 4 < CodeBytes - 0x200) instruction();
    finish();
    Program program;
    program.words = code_;
    program.words.resize(CodeBytes / 4, 0);
    while (program.words.size() * 4 < TcmBytes) program.words.push_back(value());
    program.to_host = ToHost;
    program.vlen = vlen_;
    program.most_steps = MostStepsPerInstruction * code_.size();
    return program;
}

Program random_program(std::mt19937_64& generator, const Mix& mix, std::size_t instructions,
                       std::uint32_t vlen) {
    return ProgramWriter(generator, mix, vlen).write(instructions);
}

}  // namespace trnsim::test
