// The instruction-set simulator Spike as a reference: it reports what each instruction of a program wrote.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/common/riscv/program.hpp"

namespace trnsim::test {

constexpr std::uint32_t MostVlen = 1024;
using VectorRegister = std::array<std::uint32_t, MostVlen / 32>;  // zeros beyond VLEN

struct Step {
    std::uint32_t pc = 0;
    std::uint32_t insn = 0;
    struct Scalar {
        std::uint32_t index;  // floating-point registers have 32 and more
        std::uint32_t value;
    };
    std::vector<Scalar> scalars;
    std::vector<std::pair<std::uint32_t, VectorRegister>> vectors;
    unsigned sew = 0;  // bits; only for vector instructions
    std::string lmul;
    std::string text;
};

// Runs Spike on an ELF file, with vector registers of `vlen` bits, and reads its commit log step by step. The
// log leaves out instructions that trap.
class Spike {
  public:
    Spike(const std::filesystem::path& program, const std::filesystem::path& elf, std::uint32_t vlen);
    ~Spike();
    Spike(const Spike&) = delete;
    Spike& operator=(const Spike&) = delete;

    // Returns false at the end.
    bool next(Step& step);

  private:
    FILE* log_;
    pid_t process_ = 0;
    char* line_ = nullptr;
    std::size_t capacity_ = 0;
};

// Returns the path in the environment variable TRNSIM_SPIKE.
std::filesystem::path spike_program();

}  // namespace trnsim::test
