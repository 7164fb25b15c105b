// Counters of the engines: cycles with work, elements and columns that enter the array; their registers.
#include "tests/rtl/core/core_instructions.hpp"

namespace trnsim::test {
namespace {

namespace csr = isa::csr;
namespace field = isa::field;

constexpr int Tensor = static_cast<int>(isa::Engine::Tensor), Vector = static_cast<int>(isa::Engine::Vector),
              Scalar = static_cast<int>(isa::Engine::Scalar);

std::uint64_t read64(CoreProgram& on, std::uint32_t low) {
    return on.core.read32(on.port(), low) | std::uint64_t{on.core.read32(on.port(), low + 4)} << 32;
}

std::uint64_t busy(CoreProgram& on, int engine) {
    return read64(on, csr::EngineBusyLo + csr::EngineStride * engine);
}

// Expects the registers to have the values that the wrapper reads.
void expect_registers(CoreProgram& on) {
    const tlm::EngineCounters counters = on.core.counters();
    for (int e = 0; e < Engines; ++e) EXPECT_EQ(busy(on, e), counters.busy[e]) << e;
    EXPECT_EQ(read64(on, csr::MatmulLo), counters.matmul);
    EXPECT_EQ(read64(on, csr::FastLoadLo), counters.fast_load);
    EXPECT_EQ(read64(on, csr::NormalLoadLo), counters.normal_load);
}

TEST(CoreCounter, MatmulsAndLoads) {
    CoreProgram on;
    Program program;
    std::uint64_t moving = 0, loads = 0, slow = 0;
    for (int i = 0; i < 20; ++i) {
        const bool fp32 = on.bits() % 3 == 0;
        const isa::Dtype type = fp32 ? isa::Dtype::Fp32 : isa::Dtype::Bf16;
        program.push_back(load(256).set(field::ADtype, type));
        const std::uint32_t elements = 1 + on.bits() % 60;
        program.push_back(matmul(0, false).set(field::Count0, elements).set(field::ADtype, type));
        moving += elements * (fp32 ? 4 : 1);
        (fp32 ? slow : loads) += 1;
    }
    program.push_back(halt());
    run(on, Tensor, program);
    const tlm::EngineCounters counters = on.core.counters();
    EXPECT_EQ(counters.matmul, moving);
    EXPECT_EQ(counters.fast_load, loads * OperandSize / 4);
    EXPECT_EQ(counters.normal_load > 0, slow > 0);
    EXPECT_GE(counters.busy[Tensor], moving);
    expect_registers(on);
}

// Work is counted in the engine's own clock: it equals the core cycles with work, except at the beginning and
// the end.
TEST(CoreCounter, WorkIsCountedInTheClockOfTheEngine) {
    CoreProgram on;
    const auto& clocks = on.core.config.core.clock_ratio;
    const std::array<config::Ratio, Engines> ratios{clocks.tensor, clocks.vector, clocks.scalar,
                                                    clocks.gpsimd, clocks.sync};
    for (const int engine : {Vector, Scalar, Tensor}) {
        Program program;
        if (engine == Tensor) program.push_back(load(1024));
        std::uint64_t elements = 0;
        for (int i = 0; i < 10; ++i) {
            const std::uint32_t count = 1 + on.bits() % 200;
            program.push_back(engine == Tensor ? matmul(0, false).set(field::Count0, count)
                                               : copy(sbuf(0, 0), sbuf(0, 2048), count));
            elements += count;
        }
        program.push_back(halt());
        const auto before = on.core.busy;
        run(on, engine, program);
        ASSERT_FALSE(on.core.error());
        const std::uint64_t counted = on.core.counters().busy[engine];
        const std::uint64_t seen = on.core.busy[engine] - before[engine];
        EXPECT_GE(counted, elements);
        EXPECT_NEAR(static_cast<double>(counted),
                    static_cast<double>(seen) * static_cast<double>(ratios[engine].numerator) /
                        static_cast<double>(ratios[engine].denominator),
                    30)
            << engine;
    }
    EXPECT_EQ(on.core.counters().busy[static_cast<int>(isa::Engine::Gpsimd)], 0u);
    EXPECT_EQ(on.core.counters().busy[static_cast<int>(isa::Engine::Sync)], 0u);
    expect_registers(on);
}

TEST(CoreCounter, AWriteClearsAllOfThem) {
    CoreProgram on;
    const Program tensor{load(64), matmul(0, false), halt()};
    run(on, Tensor, tensor);
    run(on, Vector, {copy(sbuf(0, 0), sbuf(0, 2048), 20), halt()});
    const tlm::EngineCounters once = on.core.counters();
    EXPECT_EQ(on.core.write32(on.port(), csr::CountersClear, 0), Okay);
    expect_registers(on);
    EXPECT_EQ(on.core.counters().matmul, once.matmul);
    EXPECT_EQ(on.core.write32(on.port(), csr::CountersClear, 1), Okay);
    EXPECT_EQ(on.core.counters().busy, (std::array<std::uint64_t, Engines>{}));
    expect_registers(on);
    run(on, Tensor, tensor);
    EXPECT_EQ(on.core.counters().matmul, once.matmul);
    EXPECT_EQ(on.core.counters().fast_load, once.fast_load);
    for (const std::uint32_t reg : {csr::EngineBusyLo, csr::EngineBusyHi, csr::MatmulLo, csr::MatmulHi,
                                    csr::FastLoadLo, csr::FastLoadHi, csr::NormalLoadLo, csr::NormalLoadHi})
        EXPECT_EQ(on.core.write32(on.port(), reg, 1), SlvErr) << std::hex << reg;
}

}  // namespace
}  // namespace trnsim::test
