#include "tests/arch/cost/cost_bench.hpp"

namespace trnsim::test {
namespace {

// The core takes a cycle to come out of its reset.
constexpr std::uint64_t ResetCycles = 1;
constexpr std::uint64_t ProgramBase = 0x100000;

}  // namespace

CostBench::CostBench(const std::string& configuration, unsigned memory_latency)
    : core(configuration), costs(core.config) {
    constexpr unsigned AlwaysReady = 100;
    core.memory.emplace(core.random(), AlwaysReady, 0);
    core.memory->set_latency(memory_latency);
    core.table_latency = memory_latency;
}

std::vector<Timed> CostBench::run(isa::Engine engine, Program program) {
    program.push_back(halt());
    core.memory->load(ProgramBase, program);
    const auto e = static_cast<unsigned>(engine);
    const std::uint32_t registers = isa::csr::EngineStride * e;
    core.write32(0, isa::csr::EngineProgramLo + registers, ProgramBase);
    core.write32(0, isa::csr::EngineProgramHi + registers, 0);
    core.write32(0, isa::csr::EngineProgramLength + registers, static_cast<std::uint32_t>(program.size()));

    std::vector<Timed> times;
    std::size_t completed = 0;
    core.watch = [&] {
        const tlm::EngineOut& out = core.engine(static_cast<int>(e));
        if (out.issued) times.push_back({core.cycle + ResetCycles, 0});
        if (out.completed) times.at(completed++).completion = core.cycle + ResetCycles;
    };
    core.write32(0, isa::csr::EngineStart + registers, 1);
    constexpr unsigned Most = 50'000'000;  // bus cycles
    for (unsigned edge = 0; edge < Most && !core.halted(static_cast<int>(e)) && !core.error(); ++edge)
        core.bus_edge();
    core.watch = [] {};
    EXPECT_FALSE(core.error());
    EXPECT_TRUE(core.halted(static_cast<int>(e)));
    return times;
}

}  // namespace trnsim::test
