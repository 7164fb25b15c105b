// Random programs on the core and on Spike, compared instruction by instruction.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "common/lacking.hpp"
#include "tests/common/random.hpp"
#include "tests/common/riscv/cosimulation.hpp"
#include "tests/common/riscv/spike.hpp"
#include "tests/common/temporary_directory.hpp"
#include "tests/rtl/gpsimd/core_bench.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint64_t MostCyclesWithoutRetiring = 100'000;

class Cosimulation {
  public:
    Cosimulation(const Program& program, const std::filesystem::path& elf, std::uint64_t seed, bool stalls,
                 InstructionPlan& plan)
        : plan_(plan),
          most_steps_(program.most_steps),
          bench_(seed, stalls),
          reference_(spike_program(), elf, program.vlen) {
        bench_.load(program.words);
        bench_.start(TcmBase);
    }

    // Returns whether all instructions agree, up to the wfi after the end.
    bool run() {
        std::uint64_t quiet = 0;
        while (error_.empty()) {
            const CoreBench::Cycle cycle = bench_.step();
            if (cycle.trapped)
                last_ = "a trap with cause " + std::to_string(cycle.cause) + " at " + hex(cycle.pc) + "\n";
            // A vector load or store that traps is in the log, with its effects until then.
            if (cycle.retired || cycle.vector_trapped) retire(cycle);
            for (const auto& write : cycle.writes)
                if (write) check_write(*write);
            for (std::size_t part = 0; part < cycle.vector.size(); ++part)
                work(parts_[part], cycle.vector[part]);
            compare_vectors();
            if (cycle.waiting) break;
            if (instructions_ > most_steps_)
                error_ = "the program does not end: more than " + std::to_string(most_steps_) +
                         " instructions, expected fewer of one of its length; after " + last_;
            quiet = cycle.retired || cycle.trapped ? 0 : quiet + 1;
            if (quiet > MostCyclesWithoutRetiring) error_ = "the core does not go on";
        }
        for (const auto& queue : awaited_)
            if (error_.empty() && !queue.empty()) fail(queue.front().second, "its result has not come");
        if (error_.empty() && !vectors_.empty()) fail(vectors_.front(), "it has not ended");
        for (std::uint32_t k = 0; k < 32 && error_.empty(); ++k)
            if (bench_.vector_register(k) != registers_[k])
                error_ = "v" + std::to_string(k) + " differs at the end";
        return error_.empty();
    }

    const std::string& error() const { return error_; }
    std::uint64_t instructions() const { return instructions_; }
    std::uint64_t cycles() const { return bench_.cycles(); }

  private:
    static bool is_vector(std::uint32_t insn) {
        const std::uint32_t opcode = insn & 0x7f, funct3 = insn >> 12 & 7;
        if (opcode == 0x57) return funct3 != 7;
        return (opcode == 0x07 || opcode == 0x27) && (funct3 == 0 || funct3 >= 5);
    }

    void fail(const Step& step, const std::string& text) {
        if (error_.empty()) error_ = step.text + "    " + text;
    }

    void retire(const CoreBench::Cycle& cycle) {
        Step step;
        if (!reference_.next(step)) {
            error_ = "the reference has ended, the core is at " + hex(cycle.pc);
            return;
        }
        ++instructions_;
        if (cycle.retired) plan_.executed(step.insn, step.sew, step.lmul);
        if (step.pc != cycle.pc || step.insn != cycle.insn) {
            fail(step, "the core is at " + hex(cycle.pc) + " " + hex(cycle.insn) + ", before that " + last_);
            return;
        }
        for (const Step::Scalar& scalar : step.scalars)
            awaited_[scalar.index].emplace_back(scalar.value, step);
        last_ = step.text;
        if (is_vector(cycle.insn)) vectors_.push_back(std::move(step));
    }

    void check_write(const CoreBench::Write& write) {
        auto& queue = awaited_[write.index];
        if (queue.empty()) {
            if (error_.empty())
                error_ =
                    "register " + std::to_string(write.index) + " is written for nothing, after " + last_;
            return;
        }
        if (queue.front().first != write.value)
            fail(queue.front().second, "register " + std::to_string(write.index) + " is " + hex(write.value));
        queue.pop_front();
    }

    // The instructions of a part of the vector unit: the values that registers got, of those that have ended
    // and of the next one.
    using Written = std::map<std::uint32_t, VectorRegister>;
    struct Part {
        std::deque<Written> ended;
        Written now;
    };

    void work(Part& part, const CoreBench::Cycle::VectorPart& cycle) {
        if (cycle.written) part.now[*cycle.written] = bench_.vector_register(*cycle.written);
        if (cycle.done) part.ended.push_back(std::exchange(part.now, {}));
    }

    Part& part_of(const Step& step) {
        const std::uint32_t opcode = step.insn & 0x7f;
        return parts_[opcode == 0x57 ? 0 : opcode == 0x07 ? 1 : 2];
    }

    // Compares the registers after each instruction that has ended, in program order.
    void compare_vectors() {
        while (error_.empty() && !vectors_.empty() && !part_of(vectors_.front()).ended.empty()) {
            const Step step = std::move(vectors_.front());
            vectors_.pop_front();
            Part& part = part_of(step);
            auto got = registers_;
            for (const auto& [index, value] : part.ended.front()) got[index] = value;
            part.ended.pop_front();
            for (const auto& [index, value] : step.vectors) registers_[index] = value;
            for (std::uint32_t k = 0; k < 32; ++k)
                if (got[k] != registers_[k]) return fail(step, difference(k, got[k]));
        }
    }

    std::string difference(std::uint32_t index, const VectorRegister& value) const {
        std::string text = "v" + std::to_string(index) + " is 0x";
        for (std::size_t w = Vlen / 32; w-- > 0;) text += hex(value[w]);
        text += ", expected 0x";
        for (std::size_t w = Vlen / 32; w-- > 0;) text += hex(registers_[index][w]);
        return text;
    }

    InstructionPlan& plan_;
    std::uint64_t most_steps_;
    CoreBench bench_;
    Spike reference_;
    std::array<std::deque<std::pair<std::uint32_t, Step>>, 64> awaited_;
    std::deque<Step> vectors_;   // vector instructions that have retired
    std::array<Part, 3> parts_;  // operations, loads, stores
    std::array<VectorRegister, 32> registers_{};
    std::uint64_t instructions_ = 0;
    std::string last_ = "the start";
    std::string error_;
};

// The instructions that all programs of this run have executed.
InstructionPlan& plan() {
    static InstructionPlan plan;
    return plan;
}

// Runs programs one after the other while `goes_on` returns true for the number of programs and of
// instructions so far.
template <typename GoesOn>
void cosimulate_while(const Mix& mix, std::uint64_t salt, GoesOn goes_on) {
    if (!std::filesystem::exists(spike_program())) TRNSIM_END_WITHOUT(spike_program());
    TemporaryDirectory directory;
    std::uint64_t done = 0, cycles = 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t k = 0; goes_on(k, done); ++k) {
        const std::uint64_t program_seed = seed() * 1'000'003 + salt * 10'007 + k;
        std::mt19937_64 generator(program_seed);
        const Program program = random_program(generator, mix, 1000 + generator() % 6000, Vlen);
        const std::filesystem::path elf = directory / "program.elf";
        write_elf(program, elf);
        Cosimulation cosimulation(program, elf, program_seed, k % 2 == 1, plan());
        const bool same = cosimulation.run();
        done += cosimulation.instructions();
        cycles += cosimulation.cycles();
        if (!same) {
            keep_program(elf);
            FAIL() << "program " << k << " after " << cosimulation.instructions() << " instructions\n"
                   << cosimulation.error();
        }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%llu instructions, %llu cycles, %.1f s\n", static_cast<unsigned long long>(done),
                static_cast<unsigned long long>(cycles), seconds.count());
}

// The quick set has a hundred thousand instructions in total.
void cosimulate(const Mix& mix, std::uint64_t instructions, std::uint64_t salt) {
    cosimulate_while(mix, salt, [instructions](std::uint64_t /*programs*/, std::uint64_t done) {
        return done < instructions * scale();
    });
}

TEST(GpsimdCosim, Integer) {
    cosimulate(mixes::Integer, 12'000, 1);
}

TEST(GpsimdCosim, FloatingPoint) {
    cosimulate(mixes::FloatingPoint, 12'000, 2);
}

TEST(GpsimdCosim, VectorMemory) {
    cosimulate(mixes::VectorMemory, 24'000, 3);
}

TEST(GpsimdCosim, VectorInteger) {
    cosimulate(mixes::VectorInteger, 24'000, 4);
}

TEST(GpsimdCosim, VectorFloatingPoint) {
    cosimulate(mixes::VectorFloatingPoint, 24'000, 5);
}

TEST(GpsimdCosim, Everything) {
    cosimulate(mixes::Everything, 12'000, 6);
}

// Loads, operations and stores that are under way together and use the same registers and bytes.
TEST(GpsimdCosim, Streams) {
    cosimulate(mixes::Streams, 36'000, 8);
}

// This is the last test: every instruction of the plan must have been compared. With enough instructions that
// also holds for all element widths, with a mask and without. Further programs are made for loads and stores
// of many fields, which are rare in the others.
TEST(GpsimdCosim, PlanIsComplete) {
    constexpr std::uint64_t MostFurther = 200;
    if (plan().total() < 100'000) GTEST_SKIP() << "only after all others";
    const bool thorough = scale() >= 10;
    if (thorough) {
        std::printf("%s, %zu are missing\n", plan().summary().c_str(), plan().missing(true).size());
        cosimulate_while(mixes::Segments, 7, [](std::uint64_t programs, std::uint64_t /*done*/) {
            return programs < MostFurther && !plan().missing(true).empty();
        });
        if (HasFailure() || IsSkipped()) return;
    }
    expect_complete(plan(), thorough);
}

}  // namespace
}  // namespace trnsim::test
