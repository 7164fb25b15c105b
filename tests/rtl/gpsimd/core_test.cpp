// Features of a core that a co-simulation does not see: start and stop, the window, interrupts, counters,
// cycles.
#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <vector>

#include "tests/common/riscv/encode.hpp"
#include "tests/rtl/gpsimd/core_bench.hpp"

namespace trnsim::test {
namespace {

using namespace encode;

constexpr std::uint32_t Data = TcmBase + 0x8000;

class GpsimdCore : public testing::Test {
  protected:
    void emit(std::uint32_t insn) { code_.push_back(insn); }
    void constant(std::uint32_t rd, std::uint32_t value) {
        emit(lui(rd, value));
        emit(addi(rd, rd, value));
    }
    // Turns floating-point and vector state on.
    void states_on() {
        constant(1, 0x6600);
        emit(csrrs(0, 0x300, 1));
    }
    void start() {
        code_.resize((code_.size() + 15) / 16 * 16);
        bench_.load(code_);
        bench_.start(TcmBase);
    }
    // Runs until wfi; notes the values that registers get.
    void run_to_wfi() {
        for (int k = 0; k < 100'000; ++k) {
            const CoreBench::Cycle cycle = bench_.step();
            for (const auto& write : cycle.writes)
                if (write) registers_[write->index] = write->value;
            if (cycle.waiting) return;
        }
        FAIL() << "no wfi";
    }
    // Returns the cycles from one reading of mcycle to the next around the code that `body` emits, less those
    // around no code.
    template <class Body>
    std::uint32_t cycles_of(Body body) {
        emit(csrrs(10, 0xb00, 0));
        emit(csrrs(11, 0xb00, 0));
        emit(csrrs(12, 0xb00, 0));
        body();
        emit(csrrs(13, 0xb00, 0));
        emit(Wfi);
        start();
        run_to_wfi();
        return (registers_[13] - registers_[12]) - (registers_[11] - registers_[10]);
    }

    CoreBench bench_{1, false};
    std::vector<std::uint32_t> code_;
    std::map<std::uint32_t, std::uint32_t> registers_;
};

TEST_F(GpsimdCore, HaltsAndStartsAgain) {
    emit(addi(5, 5, 1));
    emit(0x0000006f);  // loops for ever
    start();
    for (int round = 1; round <= 3; ++round) {
        for (int k = 0; k < 50; ++k) {
            const CoreBench::Cycle cycle = bench_.step();
            if (cycle.writes[0]) registers_[cycle.writes[0]->index] = cycle.writes[0]->value;
        }
        EXPECT_EQ(registers_[5], static_cast<std::uint32_t>(round));
        EXPECT_FALSE(bench_.model().halted_o);
        bench_.model().run_i = 0;
        for (int k = 0; k < 20; ++k) bench_.step();
        EXPECT_TRUE(bench_.model().halted_o);
        EXPECT_FALSE(bench_.step().retired);
        bench_.model().run_i = 1;
    }
}

// The core halts at any place of a program that is longer than the line buffer, with loads and stores.
TEST_F(GpsimdCore, HaltsAnywhereAndStartsAgain) {
    constexpr std::uint32_t Additions = 1700;
    constexpr int Cycles = 250;
    emit(addi(5, 0, 0));
    constant(6, Data);
    for (std::uint32_t k = 0; k < Additions; ++k) {
        emit(addi(5, 5, 1));
        if (k % 5 == 0) emit(s_type(0x23, 2, 6, 5, 0));  // sw
        if (k % 7 == 0) emit(i_type(0x03, 2, 7, 6, 0));  // lw
    }
    emit(Wfi);
    start();
    for (int cycles = 1; cycles <= Cycles; ++cycles) {
        for (int k = 0; k < cycles; ++k) bench_.step();
        bench_.model().run_i = 0;
        for (int k = 0; k < 20; ++k) bench_.step();
        EXPECT_TRUE(bench_.model().halted_o) << cycles;
        bench_.model().run_i = 1;
        run_to_wfi();
        ASSERT_FALSE(HasFailure()) << "halted after " << cycles << " cycles";
        EXPECT_EQ(registers_[5], Additions);
        bench_.model().run_i = 0;
        for (int k = 0; k < 10; ++k) bench_.step();
        bench_.model().run_i = 1;
    }
}

// A core in wfi halts as well, and starts again at the boot address.
TEST_F(GpsimdCore, HaltsWhileItWaits) {
    emit(addi(5, 5, 1));
    emit(Wfi);
    start();
    for (std::uint32_t round = 1; round <= 3; ++round) {
        run_to_wfi();
        EXPECT_EQ(registers_[5], round);
        bench_.model().run_i = 0;
        for (int k = 0; k < 10; ++k) bench_.step();
        EXPECT_TRUE(bench_.model().halted_o);
        EXPECT_FALSE(bench_.model().waiting_o);
        bench_.model().run_i = 1;
    }
}

// The clock of a waiting core stops, except for the window.
TEST_F(GpsimdCore, SleepsWhileItWaits) {
    constant(1, 0x800);
    emit(csrrw(0, 0x304, 1));
    emit(csrrs(10, 0xb00, 0));
    emit(Wfi);
    emit(csrrs(11, 0xb00, 0));
    emit(Wfi);
    start();
    run_to_wfi();
    for (int k = 0; k < 10; ++k) bench_.step();
    for (int k = 0; k < 1000; ++k) {
        EXPECT_FALSE(bench_.model().awake_o);
        bench_.step();
    }
    bench_.model().irq_i = 1;
    bench_.step();
    EXPECT_FALSE(bench_.model().waiting_o);
    bench_.model().irq_i = 0;
    run_to_wfi();
    EXPECT_LT(registers_[11] - registers_[10], 20U);
    EXPECT_EQ(bench_.read_tcm()[0], code_[0]);
}

TEST_F(GpsimdCore, InterruptEndsWaiting) {
    emit(0x0000006f | 16U << 20);  // jumps over the handler
    emit(csrrs(6, 0x342, 0));
    emit(csrrs(7, 0x341, 0));
    emit(Wfi);
    constant(1, TcmBase + 4);
    emit(csrrw(0, 0x305, 1));
    constant(1, 0x800);
    emit(csrrw(0, 0x304, 1));            // mie
    emit(i_type(0x73, 6, 0, 8, 0x300));  // mstatus.MIE
    emit(Wfi);
    const std::uint32_t behind = TcmBase + static_cast<std::uint32_t>(code_.size()) * 4;
    emit(addi(5, 0, 1));
    start();
    run_to_wfi();
    for (int k = 0; k < 10; ++k) EXPECT_FALSE(bench_.step().retired);
    bench_.model().irq_i = 1;
    for (int k = 0; k < 10 && !bench_.step().trapped; ++k) continue;
    bench_.model().irq_i = 0;
    run_to_wfi();
    EXPECT_EQ(registers_[6], 0x8000000b);
    EXPECT_EQ(registers_[7], behind);
    EXPECT_EQ(registers_.count(5), 0U);
}

TEST_F(GpsimdCore, RetiredInstructionsAreCounted) {
    emit(csrrs(10, 0xb02, 0));
    for (int k = 0; k < 7; ++k) emit(addi(5, 5, 1));
    emit(0);  // this traps and is not counted; the handler follows it
    code_.insert(code_.begin(), {lui(1, TcmBase), addi(1, 1, TcmBase + 13 * 4), csrrw(0, 0x305, 1)});
    code_.resize(13);
    emit(csrrs(11, 0xb02, 0));
    emit(csrrs(12, 0x342, 0));
    emit(csrrs(13, 0x343, 0));
    emit(csrrs(14, 0x301, 0));
    emit(csrrs(15, 0xf14, 0));
    emit(Wfi);
    start();
    run_to_wfi();
    EXPECT_EQ(registers_[11] - registers_[10], 8U);
    EXPECT_EQ(registers_[12], 2U);
    EXPECT_EQ(registers_[13], 0U);
    EXPECT_EQ(registers_[14], 0x40001120U);
    EXPECT_EQ(registers_[15], 0U);
}

// A reset stops everything at once, whatever is under way in the memory.
TEST_F(GpsimdCore, IsHaltedInReset) {
    constant(8, Data);
    for (int k = 0; k < 20; ++k) emit(i_type(0x03, 2, 9, 8, 0));  // lw
    emit(0x0000006f);                                             // loops for ever
    start();
    for (int cycles = 5; cycles < 40; ++cycles) {
        for (int k = 0; k < cycles; ++k) bench_.step();
        bench_.model().rst_ni = 0;
        bench_.step();
        EXPECT_TRUE(bench_.model().halted_o) << cycles;
        EXPECT_FALSE(bench_.model().awake_o) << cycles;
        bench_.model().run_i = 0;
        bench_.step();
        bench_.model().rst_ni = 1;
        bench_.step();
        bench_.model().run_i = 1;
    }
}

// Counters can be written, all bits of them, and carry into their upper halves.
TEST_F(GpsimdCore, CountersAreWritten) {
    constexpr std::uint32_t Upper = 0x5a5a5a5a;
    for (const std::uint32_t lower : {0xa5a5a500U, 0x5a5a5a00U}) {
        constant(5, ~lower);
        constant(6, lower);
        emit(csrrw(0, 0xb82, 5));
        emit(csrrw(0, 0xb02, 6));
        emit(csrrs(10, 0xb82, 0));
        emit(csrrs(11, 0xb02, 0));
        emit(csrrw(0, 0xb80, 5));
        emit(csrrw(0, 0xb00, 6));
        emit(csrrs(12, 0xb80, 0));
        emit(csrrs(13, 0xb00, 0));
        for (std::uint32_t k = 0; k < 4; ++k) emit(addi((lower == 0xa5a5a500U ? 14 : 18) + k, 10 + k, 0));
    }
    constant(5, Upper);
    constant(6, 0xffffffff);
    emit(csrrw(0, 0xb82, 5));
    emit(csrrw(0, 0xb02, 6));
    emit(addi(0, 0, 0));
    emit(csrrs(22, 0xb82, 0));
    emit(csrrw(0, 0xb80, 5));
    emit(csrrw(0, 0xb00, 6));
    emit(addi(0, 0, 0));
    emit(csrrs(23, 0xb80, 0));
    emit(Wfi);
    start();
    run_to_wfi();
    for (const std::uint32_t first : {14U, 18U}) {
        const std::uint32_t lower = first == 14 ? 0xa5a5a500 : 0x5a5a5a00;
        EXPECT_EQ(registers_[first], ~lower);
        EXPECT_EQ(registers_[first + 1], lower + 1);
        EXPECT_EQ(registers_[first + 2], ~lower);
        EXPECT_EQ(registers_[first + 3] & ~0xffU, lower);
    }
    EXPECT_EQ(registers_[22], Upper + 1);
    EXPECT_EQ(registers_[23], Upper + 1);
}

// A write of a lower half replaces a carry, and a write of minstret replaces a count.
TEST_F(GpsimdCore, AWriteOfACounterIsInThePlaceOfItsCount) {
    constexpr std::uint32_t Upper = 0x123;
    constant(5, Upper);
    constant(6, 0xffffffff);
    emit(csrrw(0, 0xb82, 5));
    emit(csrrw(0, 0xb02, 6));
    emit(csrrw(10, 0xb02, 0));  // at the point where the lower half would carry
    emit(csrrs(11, 0xb82, 0));
    emit(csrrs(12, 0xb02, 0));
    emit(csrrw(0, 0xb82, 5));
    emit(csrrs(13, 0xb02, 0));
    constexpr std::uint32_t Distances = 8;  // instructions, and cycles, between two writes around the carry
    for (std::uint32_t k = 0; k < Distances; ++k) {
        constant(6, 0xfffffffc);
        emit(csrrw(0, 0xb80, 5));
        emit(csrrw(0, 0xb00, 6));
        for (std::uint32_t n = 0; n < k; ++n) emit(addi(0, 0, 0));
        emit(csrrw(16 + 2 * k, 0xb00, 0));
        emit(csrrs(17 + 2 * k, 0xb80, 0));
    }
    emit(Wfi);
    start();
    run_to_wfi();
    EXPECT_EQ(registers_[10], 0xffffffff);
    EXPECT_EQ(registers_[11], Upper);
    EXPECT_EQ(registers_[12], 1U);
    EXPECT_EQ(registers_[13], 2U);
    bool before = false, behind = false;
    for (std::uint32_t k = 0; k < Distances; ++k) {
        const bool carried = registers_[16 + 2 * k] < 0x80000000;
        EXPECT_EQ(registers_[17 + 2 * k], Upper + (carried ? 1 : 0)) << k;
        (carried ? behind : before) = true;
    }
    EXPECT_TRUE(before && behind);
}

// The event counters must exist and may be zero.
TEST_F(GpsimdCore, CountersOfEventsAreZero) {
    constexpr std::uint32_t Configuration = 0xf15;
    emit(addi(11, 0, 0));
    constant(5, 0xffffffff);
    for (const std::uint32_t first : {0x320U, 0xb00U, 0xb80U})
        for (std::uint32_t k = 3; k < 32; ++k) {
            emit(csrrw(0, first + k, 5));
            emit(csrrs(10, first + k, 0));
            emit(r_type(0x33, 6, 0, 11, 11, 10));  // or
        }
    emit(csrrs(10, Configuration, 0));
    emit(r_type(0x33, 6, 0, 11, 11, 10));
    emit(csrrs(12, 0x342, 0));
    emit(Wfi);
    start();
    run_to_wfi();
    EXPECT_EQ(registers_[10], 0U);
    EXPECT_EQ(registers_[11], 0U);
    EXPECT_EQ(registers_[12], 0U);  // nothing trapped
}

// While floating-point and vector state are off, their CSRs do not exist.
TEST_F(GpsimdCore, RegistersOfStatesThatAreOffTrap) {
    const std::vector<std::uint32_t> csrs{0x001, 0x002, 0x003, 0x008, 0x009,
                                          0x00a, 0x00f, 0xc20, 0xc21, 0xc22};
    for (std::uint32_t k = 0; k < csrs.size(); ++k) {
        const std::uint32_t behind = TcmBase + static_cast<std::uint32_t>(code_.size() + 5) * 4;
        constant(1, behind);
        emit(csrrw(0, 0x305, 1));
        emit(csrrw(0, 0x342, 0));
        emit(csrrs(5, csrs[k], 0));
        emit(csrrs(10 + k, 0x342, 0));
    }
    emit(Wfi);
    start();
    run_to_wfi();
    for (std::uint32_t k = 0; k < csrs.size(); ++k) EXPECT_EQ(registers_[10 + k], 2U) << csrs[k];
}

// A reader of a register waits for the load before it: vsetvl for its vtype, flw and fsw for their address.
TEST_F(GpsimdCore, ReadersWaitForLoads) {
    states_on();
    constant(8, Data);
    constant(6, 0x10);  // e32, m1
    emit(s_type(0x23, 2, 8, 6, 0));
    constant(6, Data + 16);
    emit(s_type(0x23, 2, 8, 6, 4));
    constant(6, 0x1234);
    emit(s_type(0x23, 2, 8, 6, 16));
    emit(s_type(0x23, 2, 8, 0, 32));
    emit(s_type(0x23, 2, 8, 0, 36));

    constant(6, 0xffff);
    emit(addi(9, 0, 0));  // e8, m1
    emit(i_type(0x03, 2, 9, 8, 0));
    emit(r_type(0x57, 7, 0x40, 10, 6, 9));  // vsetvl

    constant(9, Data + 32);
    emit(i_type(0x03, 2, 9, 8, 4));
    emit(i_type(0x07, 2, 5, 9, 0));  // flw f5

    constant(9, Data + 36);
    emit(i_type(0x03, 2, 9, 8, 4));
    emit(s_type(0x27, 2, 9, 5, 4));  // fsw f5, at Data + 20
    emit(i_type(0x03, 2, 11, 8, 20));
    emit(addi(11, 11, 0));
    emit(Wfi);
    start();
    run_to_wfi();
    EXPECT_EQ(registers_[10], Vlen / 32);
    EXPECT_EQ(registers_[32 + 5], 0x1234U);
    EXPECT_EQ(registers_[11], 0x1234U);
}

// A square root has one operand: it does not wait for f0, the register in the field of its missing second
// operand.
TEST_F(GpsimdCore, RootsWaitForTheirOperandAlone) {
    states_on();
    constant(8, Data);
    for (std::uint32_t k = 0; k < 2; ++k) {
        emit(csrrs(10 + 2 * k, 0xb00, 0));
        emit(i_type(0x07, 2, 1 - k, 8, 0));    // flw
        emit(r_type(0x53, 0, 0x2c, 5, 6, 0));  // fsqrt.s
        emit(csrrs(11 + 2 * k, 0xb00, 0));
    }
    emit(Wfi);
    start();
    run_to_wfi();
    EXPECT_EQ(registers_[13] - registers_[12], registers_[11] - registers_[10]);
}

// A store changes the line that is being fetched ahead, and fence.i follows: the line under way is not run.
// Earlier stores delay the fetch by different times.
TEST_F(GpsimdCore, FenceDropsTheLineUnderWay) {
    constexpr std::uint32_t Line = 16, Places = 6, Patterns = 16;
    const std::uint32_t nop = addi(0, 0, 0);
    constant(8, Data);
    constant(6, addi(5, 5, 1));
    emit(addi(5, 0, 0));
    for (std::uint32_t place = 0; place < Places; ++place) {
        for (std::uint32_t pattern = 0; pattern < Patterns; ++pattern) {
            code_.resize((code_.size() + Line - 1) / Line * Line, nop);
            const std::size_t begin = code_.size();
            constant(7, TcmBase + static_cast<std::uint32_t>(begin + 2 * Line) * 4);
            code_.resize(begin + Line + place - 4, nop);
            for (std::uint32_t k = 0; k < 4; ++k)
                emit((pattern >> k & 1) != 0 ? s_type(0x23, 2, 8, 0, 0) : nop);
            emit(s_type(0x23, 2, 7, 6, 0));
            emit(0x0000100f);  // fence.i
            code_.resize(begin + 2 * Line, nop);
            emit(addi(5, 5, 0));  // becomes an addition of one
        }
    }
    emit(Wfi);
    ASSERT_LT(code_.size() * 4, Data - TcmBase);
    start();
    run_to_wfi();
    EXPECT_EQ(registers_[5], Places * Patterns);
}

// An operation on the result of a load begins three cycles after the load.
TEST_F(GpsimdCore, LoadsTakeThreeCycles) {
    constant(8, Data);
    const std::uint32_t cycles = cycles_of([this] {
        emit(i_type(0x03, 2, 9, 8, 0));
        emit(addi(9, 9, 0));
    });
    EXPECT_EQ(cycles, 1U + 3 + 1);
}

TEST_F(GpsimdCore, AluOperationsTakeOneCycle) {
    const std::uint32_t cycles = cycles_of([this] {
        for (int k = 0; k < 10; ++k) emit(addi(5, 5, 1));
    });
    EXPECT_EQ(cycles, 10U);
}

// These check the table of cycles in docs/gpsimd.md.
TEST_F(GpsimdCore, TakenBranchesTakeThreeCycles) {
    EXPECT_EQ(cycles_of([this] {
                  emit(branch(0, 0, 0, 8));
                  emit(0);
              }),
              3U);
}

TEST_F(GpsimdCore, ProductsCanBeUsedAfterTwoStages) {
    EXPECT_EQ(cycles_of([this] {
                  emit(r_type(0x33, 0, 1, 5, 5, 5));
                  emit(addi(5, 5, 0));
              }),
              1U + 2 + 1);
}

TEST_F(GpsimdCore, FloatingPointResultsCanBeUsedAfterFourStages) {
    states_on();
    // Reading CSRs waits for flags. The operation on the result is one more floating-point operation, which
    // the reading waits for in the same way.
    const std::uint32_t one = cycles_of([this] { emit(r_type(0x53, 0, 0, 5, 5, 5)); });
    EXPECT_EQ(one, 1U + 4);
}

TEST_F(GpsimdCore, DivisionTakesAStepABit) {
    const std::uint32_t cycles = cycles_of([this] {
        emit(r_type(0x33, 4, 1, 5, 5, 5));
        emit(addi(5, 5, 0));
    });
    EXPECT_GE(cycles, 32U);
    EXPECT_LE(cycles, 32U + 4);
}

// An ordered sum, a minimum and a maximum of no active element return the scalar operand with every bit, also
// a NaN's; the unordered sum returns the canonical NaN instead.
TEST_F(GpsimdCore, ReductionsOfNoElementKeepTheirScalar) {
    constexpr std::uint32_t Payload = 0xffc1'2345, Canonical = 0x7fc0'0000;
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> reductions{
        {0x03, Payload}, {0x05, Payload}, {0x07, Payload}, {0x01, Canonical}};
    states_on();
    emit(vsetvli(5, 0, 2, 0));
    constant(6, Payload);
    emit(vector_op(0x17, 3, 0, 0, 0, 1));   // vmv.v.i v0, 0
    emit(vector_op(0x17, 3, 24, 0, 0, 1));  // vmv.v.i v24, 0
    emit(vector_op(0x10, 6, 8, 0, 6, 1));   // vmv.s.x v8, x6
    for (std::uint32_t k = 0; k < reductions.size(); ++k) {
        emit(vector_op(reductions[k].first, 1, 16, 24, 8, 0));  // vfred*.vs v16, v24, v8, v0.t
        emit(vector_op(0x10, 2, 20 + k, 16, 0, 1));             // vmv.x.s
        emit(addi(20 + k, 20 + k, 0));
    }
    emit(Wfi);
    start();
    run_to_wfi();
    for (std::uint32_t k = 0; k < reductions.size(); ++k)
        EXPECT_EQ(registers_[20 + k], reductions[k].second) << "funct6 " << reductions[k].first;
}

class GpsimdVectorCycles : public GpsimdCore {
  protected:
    // Returns the cycles of instructions on eight registers of 32-bit elements.
    template <class Body>
    std::uint32_t vector_cycles(Body body) {
        states_on();
        emit(vsetvli(5, 0, 2, 3));
        constant(8, Data);
        constant(9, 4);
        return cycles_of(body);
    }
    static void expect_near(std::uint32_t cycles, std::uint32_t least, std::uint32_t more) {
        EXPECT_GE(cycles, least);
        EXPECT_LE(cycles, least + more);
    }
};

constexpr std::uint32_t Elements = Vlen / 32 * 8;

TEST_F(GpsimdVectorCycles, UnitStrideIsARegisterACycle) {
    expect_near(vector_cycles([this] { emit(i_type(0x07, 6, 8, 8, 1 << 5)); }), 8, 7);
}

TEST_F(GpsimdVectorCycles, StridedIsAnElementACycle) {
    expect_near(vector_cycles([this] { emit(i_type(0x07, 6, 8, 8, 1 << 7 | 1 << 5 | 9)); }), Elements, 7);
}

TEST_F(GpsimdVectorCycles, AdditionsFollowEachOtherWithoutAGap) {
    const auto body = [this] {
        for (std::uint32_t k = 0; k < 4; ++k) emit(vector_op(0, 0, 8 * k, 8 * k, 8 * k, 1));
    };
    expect_near(vector_cycles(body), 32, 3);
}

TEST_F(GpsimdVectorCycles, FloatingPointIsARegisterACycle) {
    expect_near(vector_cycles([this] { emit(vector_op(0, 1, 8, 16, 24, 1)); }), 8, 3);
}

TEST_F(GpsimdVectorCycles, DivisionIsAStepABit) {
    expect_near(vector_cycles([this] { emit(vector_op(0x20, 2, 8, 16, 24, 1)); }), 8 * (32 + 4), 3);
}

TEST_F(GpsimdVectorCycles, GatherIsAnElementACycle) {
    expect_near(vector_cycles([this] { emit(vector_op(0x0c, 0, 8, 16, 24, 1)); }), Elements, 3);
}

TEST_F(GpsimdVectorCycles, OrderedSumIsAnElementInFiveCycles) {
    expect_near(vector_cycles([this] { emit(vector_op(0x03, 1, 8, 16, 24, 1)); }), 5 * Elements - 4, 4);
}

// Scalar instructions overtake a vector instruction.
TEST_F(GpsimdVectorCycles, ScalarInstructionsOverlap) {
    const auto body = [this] {
        emit(vector_op(0x20, 2, 8, 16, 24, 1));
        for (int k = 0; k < 100; ++k) emit(addi(5, 5, 1));
    };
    expect_near(vector_cycles(body), 8 * (32 + 4), 3);
}

// In the shadow of a store the operands of the next round are loaded, and the store waits only for the one before
// it.
TEST_F(GpsimdVectorCycles, ALoadAnOperationAndAStoreOverlap) {
    constexpr std::uint32_t Rounds = 8, Latency = 24;
    const auto body = [this] {
        constant(9, SliceBase);
        constant(14, SliceBase + 0x4000);
        emit(i_type(0x07, 6, 8, 9, 1 << 5));  // vle32.v v8, (x9)
        for (std::uint32_t k = 0; k < Rounds; ++k) {
            emit(vector_op(0x00, 1, 16, 8, 24, 1));  // vfadd.vv v16, v8, v24
            emit(i_type(0x07, 6, 8, 9, 1 << 5));
            emit(i_type(0x27, 6, 16, 14, 1 << 5));  // vse32.v v16, (x14)
        }
    };
    expect_near(vector_cycles(body), 8 * Rounds, Latency);
}

TEST_F(GpsimdVectorCycles, StoresFollowEachOtherWithoutAGap) {
    const auto body = [this] {
        constant(14, SliceBase);
        for (std::uint32_t k = 0; k < 4; ++k) emit(i_type(0x27, 6, 8 * k, 14, 1 << 5));
    };
    expect_near(vector_cycles(body), 32, 7);
}

// Loads, operations and stores that are under way together; the parameter says whether the ports stall.
class GpsimdOverlap : public GpsimdCore, public testing::WithParamInterface<bool> {
  protected:
    static constexpr std::uint32_t A = 0, B = 0x1000, C = 0x2000, D = 0x3000;  // bytes in the slice

    // x8 points to data in the TCM, x9 to x12 to A to D; registers have eight groups' elements of 32 bits.
    GpsimdOverlap() {
        bench_ = CoreBench(1, GetParam());
        for (std::uint32_t k = 0; k < (D + 0x1000) / 4; ++k) bench_.slice()[k] = value(k);
        states_on();
        constant(8, Data);
        constant(9, SliceBase + A);
        constant(10, SliceBase + B);
        constant(11, SliceBase + C);
        constant(12, SliceBase + D);
        emit(vsetvli(5, 0, 2, 3));
    }

    static std::uint32_t value(std::uint32_t word) { return 3 * word + 1; }
    void load(std::uint32_t vd, std::uint32_t pointer) { emit(i_type(0x07, 6, vd, pointer, 1 << 5)); }
    void store(std::uint32_t vs3, std::uint32_t pointer) { emit(i_type(0x27, 6, vs3, pointer, 1 << 5)); }
    void add(std::uint32_t vd, std::uint32_t a, std::uint32_t b) { emit(vector_op(0, 0, vd, a, b, 1)); }
    void set(std::uint32_t vd, std::uint32_t number) { emit(vector_op(0x17, 3, vd, 0, number, 1)); }
    void run() {
        emit(Wfi);
        start();
        run_to_wfi();
    }
    template <class Expected>
    void expect_slice(std::uint32_t byte, Expected expected) {
        for (std::uint32_t k = 0; k < Elements; ++k)
            ASSERT_EQ(bench_.slice()[byte / 4 + k], expected(k)) << "element " << k << " at " << byte;
    }
    template <class Expected>
    void expect_group(std::uint32_t first, Expected expected) {
        constexpr std::uint32_t Words = Vlen / 32;
        for (std::uint32_t k = 0; k < Elements; ++k)
            ASSERT_EQ(bench_.vector_register(first + k / Words)[k % Words], expected(k))
                << "element " << k << " of v" << first;
    }
};

TEST_P(GpsimdOverlap, ReadersAndWritersOfRegistersKeepTheirOrder) {
    load(8, 9);
    add(16, 8, 8);  // reads what is loaded
    store(16, 10);  // stores what is added
    set(16, 7);     // writes what is still to be stored
    load(8, 11);    // writes what is still to be added
    store(8, 12);
    set(8, 5);
    load(24, 9);
    set(24, 3);  // writes what is still to be loaded
    set(0, 2);
    load(0, 11);  // loads what is still to be written
    run();
    expect_slice(B, [](std::uint32_t k) { return 2 * value(k); });
    expect_slice(D, [](std::uint32_t k) { return value(C / 4 + k); });
    expect_group(16, [](std::uint32_t) { return 7U; });
    expect_group(8, [](std::uint32_t) { return 5U; });
    expect_group(24, [](std::uint32_t) { return 3U; });
    expect_group(0, [](std::uint32_t k) { return value(C / 4 + k); });
}

TEST_P(GpsimdOverlap, AccessesOfTheSameBytesKeepTheirOrder) {
    constant(14, 0x1234);
    load(8, 9);
    store(8, 10);
    load(16, 10);  // what has just been stored
    add(16, 16, 8);
    store(16, 9);
    emit(i_type(0x03, 2, 15, 9, 20));  // lw x15, 20(x9)
    load(24, 11);
    store(8, 11);                      // not what is loaded
    emit(s_type(0x23, 2, 11, 14, 8));  // sw x14, 8(x11)
    store(8, 8);
    emit(i_type(0x03, 2, 17, 8, 28));
    load(0, 8);
    emit(s_type(0x23, 2, 8, 14, 36));  // not what is loaded
    emit(addi(15, 15, 0));
    emit(addi(17, 17, 0));
    run();
    expect_slice(A, [](std::uint32_t k) { return 2 * value(k); });
    expect_slice(B, value);
    expect_slice(C, [](std::uint32_t k) { return k == 2 ? 0x1234 : value(k); });
    expect_group(24, [](std::uint32_t k) { return value(C / 4 + k); });
    expect_group(0, value);
    EXPECT_EQ(registers_[15], 2 * value(5));
    EXPECT_EQ(registers_[17], value(7));
    EXPECT_EQ(bench_.read_tcm()[(Data - TcmBase) / 4 + 9], 0x1234U);
}

// Instructions under way keep the length and type with which they began.
TEST_P(GpsimdOverlap, LengthsTypesAndMasksBelongToTheirInstructions) {
    emit(addi(6, 0, 3));
    load(8, 9);
    emit(vsetvli(5, 6, 2, 3));
    add(8, 8, 8);  // three elements
    emit(vsetvli(5, 0, 0, 0));
    store(16, 0);  // this one traps: the address is that of no memory, and the handler comes next
    const std::uint32_t behind = TcmBase + static_cast<std::uint32_t>(code_.size()) * 4;
    emit(i_type(0x57, 7, 0, 0, 0xc00 | 2 << 3 | 3));  // vsetivli x0, 0, e32, m8
    set(8, 9);
    load(8, 11);
    store(8, 12);
    emit(vsetvli(5, 0, 2, 3));
    emit(vector_op(0x14, 2, 16, 0, 17, 1));  // vid.v v16
    emit(vector_op(0x09, 3, 16, 16, 1, 1));  // vand.vi
    emit(vector_op(0x18, 3, 0, 16, 1, 1));   // vmseq.vi v0, v16, 1
    emit(i_type(0x27, 6, 8, 10, 0));         // vse32.v v8, (x10), v0.t
    set(0, 0);
    // The address of the handler goes to mtvec before all that.
    code_.insert(code_.begin(), {lui(1, behind + 12), addi(1, 1, behind + 12), csrrw(0, 0x305, 1)});
    run();
    const auto doubled = [](std::uint32_t k) { return k < 3 ? 2 * value(k) : value(k); };
    expect_group(8, doubled);
    expect_slice(D, [](std::uint32_t k) { return value(D / 4 + k); });
    expect_slice(B, [&](std::uint32_t k) { return k % 2 != 0 ? doubled(k) : value(B / 4 + k); });
}

TEST_P(GpsimdOverlap, TrapsComeBesideWorkUnderWay) {
    const auto handler_follows = [this](std::uint32_t instructions) {
        constant(1, TcmBase + static_cast<std::uint32_t>(code_.size() + 3 + instructions) * 4);
        emit(csrrw(0, 0x305, 1));
    };
    handler_follows(4);
    load(8, 9);
    add(16, 8, 8);
    store(16, 10);
    emit(0);  // illegal
    emit(csrrs(20, 0x342, 0));
    emit(i_type(0x03, 2, 21, 10, 12));
    constexpr std::uint32_t Before = 32;  // bytes before the end of the memory
    constant(18, SliceBase + SliceBytes - Before);
    handler_follows(4);
    add(24, 8, 8);
    store(24, 12);
    load(16, 12);
    load(8, 18);
    emit(csrrs(22, 0x342, 0));
    emit(csrrs(23, 0x008, 0));  // vstart
    emit(csrrs(24, 0x343, 0));
    run();
    EXPECT_EQ(registers_[20], 2U);
    EXPECT_EQ(registers_[21], 2 * value(3));
    EXPECT_EQ(registers_[22], 5U);
    EXPECT_EQ(registers_[23], Before / 4);
    EXPECT_EQ(registers_[24], SliceBase + SliceBytes);
    expect_slice(B, [](std::uint32_t k) { return 2 * value(k); });
    expect_slice(D, [](std::uint32_t k) { return 2 * value(k); });
    expect_group(16, [](std::uint32_t k) { return 2 * value(k); });
    expect_group(8, [](std::uint32_t k) { return k < Before / 4 ? 0 : value(k); });
}

// The core tells that it waits when all its stores have been taken.
TEST_P(GpsimdOverlap, WaitingComesAfterTheLastStore) {
    load(8, 9);
    store(8, 10);
    store(8, 12);
    run();
    expect_slice(B, value);
    expect_slice(D, value);
}

INSTANTIATE_TEST_SUITE_P(Stalls, GpsimdOverlap, testing::Bool());

// Prints simulated cycles a second of processor time; it checks no speed, so it runs with
// --gtest_also_run_disabled_tests only.
TEST_F(GpsimdCore, DISABLED_SimulationSpeed) {
    states_on();
    emit(vsetvli(5, 0, 2, 2));
    constant(8, Data);
    constant(9, SliceBase);
    const auto loop = static_cast<std::int32_t>(code_.size());
    emit(i_type(0x07, 6, 8, 9, 1 << 5));     // vle32.v v8, (x9)
    emit(i_type(0x07, 6, 12, 8, 1 << 5));    // vle32.v v12, (x8)
    emit(vector_op(0x2c, 1, 12, 8, 16, 1));  // vfmacc.vv v12, v16, v8
    emit(vector_op(0x00, 0, 20, 12, 8, 1));  // vadd.vv
    emit(i_type(0x27, 6, 12, 9, 1 << 5));    // vse32.v v12, (x9)
    emit(addi(6, 6, 1));
    emit(branch(1, 6, 0, 4 * (loop - static_cast<std::int32_t>(code_.size()))));
    start();
    constexpr int Cycles = 300'000;
    std::uint64_t retired = 0;
    const std::clock_t begin = std::clock();
    for (int k = 0; k < Cycles; ++k) retired += bench_.step().retired;
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%.2f million cycles a second, %.2f million instructions\n", 1e-6 * Cycles / seconds,
                1e-6 * static_cast<double>(retired) / seconds);
    EXPECT_GT(retired, static_cast<std::uint64_t>(Cycles) / 20);
}

}  // namespace
}  // namespace trnsim::test
