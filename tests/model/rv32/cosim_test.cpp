// Runs random programs on the instruction-set simulator and on Spike and compares all registers after each
// instruction.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "common/lacking.hpp"
#include "model/rv32/hart.hpp"
#include "tests/common/random.hpp"
#include "tests/common/riscv/cosimulation.hpp"
#include "tests/common/riscv/spike.hpp"
#include "tests/common/temporary_directory.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint32_t Mcause = 0x342;

class Comparison {
  public:
    Comparison(const Program& program, const std::filesystem::path& elf, InstructionPlan& plan)
        : plan_(plan),
          most_steps_(program.most_steps),
          vlen_(program.vlen),
          hart_({.vlen = program.vlen}),
          slice_(SliceBytes),
          reference_(spike_program(), elf, program.vlen) {
        hart_.write_tcm(
            TcmBase, {reinterpret_cast<const std::uint8_t*>(program.words.data()), 4 * program.words.size()});
        hart_.attach({.data = slice_.data(), .partition_bytes = SliceBytes / 16, .partitions = 16});
        hart_.start(TcmBase);
    }

    // Returns whether all instructions agree, up to the wfi after the end.
    bool run() {
        while (error_.empty() && step()) {
            Step expected;
            if (!reference_.next(expected)) {
                error_ = "the reference has ended, the simulator is at " + hex(pc_);
                break;
            }
            compare(expected);
            if (++instructions_ > most_steps_) error_ = "the program does not end, after " + last_;
        }
        return error_.empty();
    }

    const std::string& error() const { return error_; }
    std::uint64_t instructions() const { return instructions_; }

  private:
    std::uint32_t word_at(std::uint32_t pc) const {
        std::uint32_t word = 0;
        if (pc - TcmBase < TcmBytes) std::memcpy(&word, &hart_.tcm()[pc - TcmBase], sizeof word);
        return word;
    }

    // Steps to the end of the next instruction in Spike's log; returns false at the end. The log leaves out
    // instructions that trap, except vector loads and stores that had begun.
    bool step() {
        for (std::uint64_t traps = 0; traps <= most_steps_; ++traps) {
            pc_ = hart_.pc();
            insn_ = word_at(pc_);
            const std::uint64_t before = hart_.retired();
            if (hart_.run(1) == rv32::Stop::Waiting) return false;
            retired_ = hart_.retired() != before;
            if (retired_) return true;
            const std::uint32_t opcode = insn_ & 0x7f, funct3 = insn_ >> 12 & 7, cause = hart_.csr(Mcause);
            const bool is_vector_memory = (opcode == 0x07 || opcode == 0x27) && funct3 != 2;
            if (is_vector_memory && cause >= 4 && cause <= 7) return true;
        }
        error_ = "nothing but traps, after " + last_;
        return false;
    }

    void compare(const Step& step) {
        last_ = step.text;
        if (retired_) plan_.executed(step.insn, step.sew, step.lmul);
        if (step.pc != pc_ || step.insn != insn_) {
            error_ = step.text + "    the simulator is at " + hex(pc_) + " " + hex(insn_);
            return;
        }
        for (const Step::Scalar& scalar : step.scalars) scalars_.at(scalar.index) = scalar.value;
        for (const auto& [index, value] : step.vectors) vectors_.at(index) = value;
        for (std::uint32_t k = 0; k < 32 && error_.empty(); ++k) {
            compare(step, "x" + std::to_string(k), hart_.x(k), scalars_[k]);
            compare(step, "f" + std::to_string(k), hart_.f(k), scalars_[32 + k]);
            if (std::memcmp(hart_.v(k).data(), vectors_[k].data(), vlen_ / 8) == 0) continue;
            VectorRegister value{};
            std::memcpy(value.data(), hart_.v(k).data(), vlen_ / 8);
            for (std::uint32_t w = 0; w < vlen_ / 32 && error_.empty(); ++w)
                compare(step, "word " + std::to_string(w) + " of v" + std::to_string(k), value[w],
                        vectors_[k][w]);
        }
    }

    void compare(const Step& step, const std::string& what, std::uint32_t value, std::uint32_t expected) {
        if (value != expected)
            error_ = step.text + "    " + what + " is " + hex(value) + ", expected " + hex(expected);
    }

    InstructionPlan& plan_;
    std::uint64_t most_steps_;
    std::uint32_t vlen_;
    rv32::Hart hart_;
    std::vector<std::uint8_t> slice_;
    Spike reference_;
    std::array<std::uint32_t, 64> scalars_{};
    std::array<VectorRegister, 32> vectors_{};
    std::uint32_t pc_ = 0, insn_ = 0;
    bool retired_ = false;
    std::uint64_t instructions_ = 0;
    std::string last_ = "the start";
    std::string error_;
};

// The instructions that all programs of this run have executed.
InstructionPlan& plan() {
    static InstructionPlan plan;
    return plan;
}

// Runs about `instructions` instructions in the quick set, and in larger ones as many more as the scale says; each
// program has another VLEN.
void cosimulate(const Mix& mix, std::uint64_t instructions, std::uint64_t salt) {
    if (!std::filesystem::exists(spike_program())) TRNSIM_END_WITHOUT(spike_program());
    constexpr std::array<std::uint32_t, 4> Vlens = {128, 256, 512, 1024};
    TemporaryDirectory directory;
    std::array<std::uint64_t, Vlens.size()> done{};
    const auto start = std::chrono::steady_clock::now();
    const auto total = [&] { return std::accumulate(done.begin(), done.end(), std::uint64_t{0}); };
    for (std::uint64_t k = 0; total() < instructions * scale(); ++k) {
        std::mt19937_64 generator(seed() * 1'000'003 + salt * 10'007 + k);
        const std::size_t row = (k + salt) % Vlens.size();
        const Program program = random_program(generator, mix, 4000 + generator() % 4000, Vlens.at(row));
        const std::filesystem::path elf = directory / "program.elf";
        write_elf(program, elf);
        Comparison comparison(program, elf, plan());
        const bool same = comparison.run();
        done.at(row) += comparison.instructions();
        if (same) continue;
        keep_program(elf);
        FAIL() << "VLEN " << program.vlen << ", program " << k << " after " << comparison.instructions()
               << " instructions\n"
               << comparison.error();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("instructions with VLEN 128 %llu, 256 %llu, 512 %llu, 1024 %llu; %.1f s\n",
                static_cast<unsigned long long>(done[0]), static_cast<unsigned long long>(done[1]),
                static_cast<unsigned long long>(done[2]), static_cast<unsigned long long>(done[3]),
                seconds.count());
}

TEST(Rv32Cosim, Integer) {
    cosimulate(mixes::Integer, 15'000, 1);
}

TEST(Rv32Cosim, FloatingPoint) {
    cosimulate(mixes::FloatingPoint, 15'000, 2);
}

TEST(Rv32Cosim, VectorMemory) {
    cosimulate(mixes::VectorMemory, 15'000, 3);
}

TEST(Rv32Cosim, VectorInteger) {
    cosimulate(mixes::VectorInteger, 30'000, 4);
}

TEST(Rv32Cosim, VectorFloatingPoint) {
    cosimulate(mixes::VectorFloatingPoint, 15'000, 5);
}

TEST(Rv32Cosim, Segments) {
    cosimulate(mixes::Segments, 15'000, 6);
}

TEST(Rv32Cosim, Everything) {
    cosimulate(mixes::Everything, 15'000, 7);
}

// The last test: every instruction of the plan has been compared; in long runs also in all element widths,
// with a mask and without.
TEST(Rv32Cosim, PlanIsComplete) {
    if (plan().total() < 100'000) GTEST_SKIP() << "only after all others";
    expect_complete(plan(), scale() >= 10);
}

}  // namespace
}  // namespace trnsim::test
