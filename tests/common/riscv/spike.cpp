#include "tests/common/riscv/spike.hpp"

#include <signal.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace trnsim::test {

namespace {

std::uint32_t hex(const char* text) {
    return static_cast<std::uint32_t>(std::strtoull(text, nullptr, 16));
}

std::uint32_t digit(char c) {
    return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
}

VectorRegister vector_of(const char* text) {  // the digits after 0x
    const std::size_t digits = std::strspn(text, "0123456789abcdef");
    VectorRegister value{};
    for (std::size_t k = 0; k < digits && k < 8 * value.size(); ++k)
        value[k / 8] |= digit(text[digits - 1 - k]) << (4 * (k % 8));
    return value;
}

}  // namespace

Spike::Spike(const std::filesystem::path& program, const std::filesystem::path& elf, std::uint32_t vlen) {
    char memory[96];
    std::snprintf(memory, sizeof memory, "-m0x%x:0x%x,0x%x:0x%x", TcmBase, TcmBytes, SliceBase, SliceBytes);
    // A program with an error may not end by itself, so it gets at most 300 s of processor time. The first
    // line of the output is the number of the process.
    const std::string command = "ulimit -t 300; echo $$; exec " + program.string() +
                                " --isa=rv32imf_zve32f_zvl" + std::to_string(vlen) +
                                "b_zicsr_zifencei --priv=m " + memory + " --log-commits " + elf.string() +
                                " 2>&1";
    log_ = popen(command.c_str(), "r");
    if (!log_) throw std::runtime_error("cannot run " + command);
    if (getline(&line_, &capacity_, log_) > 0) process_ = std::stoi(line_);
}

Spike::~Spike() {
    // Spike goes on when its log is no longer read. Its handler of SIGTERM calls exit, which waits for ever
    // if Spike is already ending; so it is killed.
    if (process_ > 0) kill(process_, SIGKILL);
    pclose(log_);
    std::free(line_);
}

bool Spike::next(Step& step) {
    for (;;) {
        const ssize_t length = getline(&line_, &capacity_, log_);
        if (length < 0) return false;
        if (std::strncmp(line_, "core", 4) != 0) {
            std::printf("spike: %s", line_);
            continue;
        }
        const char* at = std::strstr(line_, "0x");
        if (!at) continue;
        step.pc = hex(at);
        if (step.pc < TcmBase) continue;  // Spike's boot ROM
        at = std::strchr(at, '(');
        if (!at) continue;
        step.insn = hex(at + 1);
        break;
    }
    step.scalars.clear();
    step.vectors.clear();
    step.sew = 0;
    step.text = line_;
    char* rest = std::strchr(line_, ')') + 1;
    char* state = nullptr;
    for (char* token = strtok_r(rest, " \n", &state); token; token = strtok_r(nullptr, " \n", &state)) {
        const char kind = token[0];
        if (std::strcmp(token, "mem") == 0) break;
        if (kind == 'e') step.sew = static_cast<unsigned>(std::strtoul(token + 1, nullptr, 10));
        if (kind == 'm') step.lmul = token;
        if ((kind != 'x' && kind != 'f' && kind != 'v') || token[1] < '0' || token[1] > '9') continue;
        const auto index = static_cast<std::uint32_t>(std::strtoul(token + 1, nullptr, 10));
        const char* value = strtok_r(nullptr, " \n", &state);
        if (!value) break;
        if (kind == 'v')
            step.vectors.emplace_back(index, vector_of(value + 2));
        else
            step.scalars.push_back({kind == 'f' ? index + 32 : index, hex(value)});
    }
    return true;
}

std::filesystem::path spike_program() {
    const char* path = std::getenv("TRNSIM_SPIKE");
    if (!path) throw std::runtime_error("TRNSIM_SPIKE is not set, expected the path of the program spike");
    return path;
}

}  // namespace trnsim::test
