// Compares the closed forms of Tensor, Vector and Scalar with the verilated core: random instructions, each
// alone and followed by an equal one, take as many cycles as the forms say; the exceptions stay within their
// bounds.
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "arch/activation/table_image.hpp"
#include "arch/cost/clock.hpp"
#include "arch/cost/elementwise.hpp"
#include "arch/cost/tensor_command.hpp"
#include "arch/target/target.hpp"
#include "isa/core_window.hpp"
#include "isa/disassembler.hpp"
#include "isa/opcode_class.hpp"
#include "testbench/random_programs/scalar_kinds.hpp"
#include "testbench/random_programs/tensor_generator.hpp"
#include "testbench/random_programs/vector_kinds.hpp"
#include "tests/arch/cost/cost_bench.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

constexpr std::uint32_t SbufBytes = 6144, PsumBytes = 2048;  // bytes of an area

const std::vector<random_programs::Area>& areas() {
    static const std::vector<random_programs::Area> all{{false, 0, SbufBytes},
                                                        {false, SbufBytes, SbufBytes},
                                                        {false, 2 * SbufBytes, SbufBytes},
                                                        {true, 0, PsumBytes},
                                                        {true, 2 * PsumBytes, PsumBytes}};
    return all;
}

// An instruction and the context in which it is compared.
struct Case {
    Instruction instruction;
    cost::Context context{};
    bool again = false;  // followed by itself, which does not depend on it
};

// The opcodes and exceptions that a run has met, so that a test can say what it has covered.
struct Seen {
    std::map<Opcode, unsigned> opcodes;
    std::map<cost::Exception, unsigned> exceptions;
};

// Returns whether `found` is within `bound` of `wanted`, the cycles that the form gives.
bool fits(std::uint64_t wanted, std::uint64_t found, std::uint64_t bound) {
    const std::uint64_t apart = wanted > found ? wanted - found : found - wanted;
    return apart <= bound;
}

class EngineCosts {
  public:
    EngineCosts(const std::string& configuration, Engine engine)
        : bench_(configuration), engine_(engine), clock_(bench_.costs.clock(engine)) {}

    CostBench& bench() { return bench_; }
    Seen seen;

    // Runs each case after `before`, on an idle engine.
    void run(const Program& before, const std::vector<Case>& cases) {
        Program program;
        for (const Case& c : cases) {
            program.insert(program.end(), before.begin(), before.end());
            program.push_back(wait_for_all());
            program.push_back(c.instruction);
            if (c.again) program.push_back(c.instruction);
            program.push_back(wait_for_all());
        }
        const std::vector<Timed> times = bench_.run(engine_, program);
        ASSERT_EQ(times.size(), program.size() + 1);
        std::size_t at = 0;
        for (const Case& c : cases) {
            at += before.size() + 1;
            SCOPED_TRACE(isa::disassemble(c.instruction));
            compare(c, times[at], c.again ? &times[at + 1] : nullptr);
            at += c.again ? 3 : 2;
        }
    }

  private:
    void compare(const Case& c, const Timed& first, const Timed* second) {
        const cost::Costs& costs = bench_.costs;
        const cost::Cycles own = costs.in_own_clock(engine_, c.instruction, c.context);
        const cost::Cycles core = costs.of(engine_, c.instruction, c.context);
        ++seen.opcodes[c.instruction.opcode()];
        ++seen.exceptions[own.exception];
        // The second instruction reads its values while the first one works.
        const bool waits = second != nullptr && own.exception == cost::Exception::ValuesFirst;
        const std::uint64_t bound = core.completes_within + (waits ? core.occupies_within : 0);
        const std::uint64_t wanted = costs.completion(engine_, first.issue, own.completes);
        EXPECT_TRUE(fits(wanted, first.completion, bound))
            << "completes in cycle " << first.completion << " of issue " << first.issue << ", expected "
            << wanted << " within " << bound << " (" << name_of(own.exception) << ")";
        // The figures in core cycles are those of the longest path through the clocks.
        const std::uint64_t took = first.completion - first.issue;
        EXPECT_LE(took, core.completes + bound);
        EXPECT_GE(took + bound + edges(), core.completes);
        if (second == nullptr) return;
        const std::uint64_t behind =
            std::max(costs.completion(engine_, second->issue, own.completes),
                     costs.completion(engine_, first.issue, own.completes + own.occupies));
        EXPECT_TRUE(fits(behind, second->completion, bound + core.occupies_within))
            << "one like it after it completes in cycle " << second->completion << " of issue "
            << second->issue << ", expected " << behind << " within " << bound + core.occupies_within << " ("
            << name_of(own.exception) << ")";
        // Tensor has a clock edge between those of the bus, and room for another instruction; the other
        // engines may take the second one later.
        if (engine_ == Engine::Tensor)
            EXPECT_EQ(second->issue - first.issue, costs.hand_over());
        else
            EXPECT_GE(second->issue - first.issue, costs.hand_over());
    }
    // The core cycles by which a path may be shorter than the longest: an edge of the engine's clock and one
    // of the bus.
    std::uint64_t edges() const {
        const cost::Clock bus(bench_.core.config.core.clock_ratio.bus);
        return cost::Clock(clock_).core_cycles(1) + bus.core_cycles(1);
    }

    CostBench bench_;
    Engine engine_;
    config::Ratio clock_;
};

// Returns an instruction that reads b in SBUF and a in PSUM. After it SBUF's read port belongs to source a,
// as after a reset.
Instruction reads_b() {
    Instruction instruction = Instruction(Opcode::TensorTensor)
                                  .set(field::Partitions, 1)
                                  .set(field::Count0, 1)
                                  .set(field::Count1, 1)
                                  .set(field::Count2, 1)
                                  .set(field::Count3, 1);
    for (const isa::Field* dtype : {&field::ADtype, &field::BDtype, &field::DstDtype})
        instruction.set(*dtype, isa::Dtype::Fp32);
    return instruction.set(field::AAddr, psum(0))
        .set(field::BAddr, sbuf(0))
        .set(field::DstAddr, sbuf(0, 32768));
}

cost::ElementOperation decoded(const config::Core& core, Engine engine, const Instruction& instruction) {
    const auto lanes = static_cast<std::uint32_t>(core.partitions);
    const cost::Geometry geometry{lanes, isa::sbuf_partition_stride(lanes)};
    return engine == Engine::Vector ? cost::decode_vector(instruction.bytes(), geometry, false)
                                    : cost::decode_scalar(instruction.bytes(), geometry);
}

// Returns an instruction with two sources that read words of two bf16 elements through one port. Its rows
// have any length and begin anywhere in a word.
Instruction word_pairs(std::mt19937_64& random) {
    const auto pick = [&random](std::uint64_t n) { return random() % n; };
    const bool adds = pick(2) == 0;
    const std::uint64_t inner = 1 + pick(90), outer = 1 + pick(4);
    Instruction instruction(adds ? Opcode::TensorTensor : Opcode::ScalarTensorTensor);
    instruction.set(field::Partitions, 1 + pick(16))
        .set(field::Op0, adds ? isa::AluOp::Add : isa::AluOp::Subtract)
        .set(field::Op1, adds ? isa::AluOp::Bypass : isa::AluOp::Multiply)
        .set(field::Count0, inner)
        .set(field::Count1, outer)
        .set(field::Count2, 1)
        .set(field::Count3, 1);
    struct Row {
        const isa::Field *dtype, *address, *step0, *step1;
    };
    std::uint32_t buffer = 0;
    for (const Row& row : {Row{&field::ADtype, &field::AAddr, &field::AStep0, &field::AStep1},
                           {&field::BDtype, &field::BAddr, &field::BStep0, &field::BStep1},
                           {&field::DstDtype, &field::DstAddr, &field::DstStep0, &field::DstStep1}})
        instruction.set(*row.dtype, isa::Dtype::Bf16)
            .set(*row.address, buffer++ * SbufBytes + (pick(3) == 0 ? 2 : 0))
            .set(*row.step0, 1)
            .set(*row.step1, inner + pick(3));
    return instruction;
}

// Loads the tables that activations find and returns their set.
isa::ActivationSet load_tables(CostBench& bench) {
    constexpr auto Set = isa::ActivationSet::GeluAndOthers;
    bench.core.tables = activation::table_image(Set);
    bench.run(Engine::Scalar,
              {Instruction(Opcode::ActTableLoad)
                   .set(field::TableSet, Set)
                   .set(field::TableBeats, bench.core.tables.size() / activation::BeatBytes)});
    return Set;
}

void run_lanes(EngineCosts& test, Engine engine, std::size_t count) {
    const config::Core& core = test.bench().core.config.core;
    const random_programs::Geometry geometry{static_cast<unsigned>(core.partitions), areas()};
    const bool vector = engine == Engine::Vector;
    random_programs::LaneGenerator generator(
        vector ? random_programs::vector_kinds() : random_programs::scalar_kinds(), geometry,
        test.bench().core.random);
    const isa::ActivationSet loaded = vector ? isa::ActivationSet::None : load_tables(test.bench());
    const Program before = vector ? Program{reads_b()} : Program{};
    constexpr std::size_t Batch = 100;
    for (std::size_t done = 0; done < count && !testing::Test::HasFailure(); done += Batch) {
        std::vector<Case> cases;
        while (cases.size() < Batch) {
            generator.table_set = loaded;
            Case c{generator.instruction()};
            if (c.instruction.opcode() == Opcode::ActTableLoad) continue;
            const cost::ElementOperation operation = decoded(core, engine, c.instruction);
            c.again = !operation.reads_what(operation.writes);
            cases.push_back(c);
        }
        test.run(before, cases);
    }
    std::vector<Case> pairs;
    while (vector && pairs.size() < Batch)
        pairs.push_back({.instruction = word_pairs(test.bench().core.random), .again = true});
    test.run(before, pairs);
}

// Each matmul is compared with the parts that the last load of its tile has left there.
void run_tensor(EngineCosts& test, std::size_t count) {
    const config::Core& core = test.bench().core.config.core;
    const target::Core target = target::of(test.bench().core.config);
    random_programs::TensorGenerator generator(target, areas(), test.bench().core.random);
    const auto lanes = static_cast<std::uint32_t>(core.partitions);
    const cost::Geometry geometry{lanes, isa::sbuf_partition_stride(lanes)};
    std::array<unsigned, cost::TensorStreams> parts{};
    parts.fill(1);
    constexpr std::size_t Batch = 100;
    for (std::size_t done = 0; done < count && !testing::Test::HasFailure(); done += Batch) {
        std::vector<Case> cases;
        while (cases.size() < Batch) {
            for (Instruction instruction : generator.instructions()) {
                const bool load = instruction.opcode() == Opcode::LoadStationary;
                if (!load) instruction.set(field::Accumulate, 0);
                const cost::TensorCommand command = cost::decode_tensor(instruction.bytes(), core, geometry);
                if (load) parts[command.stream] = command.low ? 2 : 1;
                cases.push_back({instruction, {.stationary_parts = parts[command.stream]}, true});
            }
        }
        test.run({}, cases);
    }
}

void run_engine(EngineCosts& test, Engine engine, std::size_t count) {
    if (engine == Engine::Tensor)
        run_tensor(test, count);
    else
        run_lanes(test, engine, count);
}

void print(const Seen& seen) {
    for (const auto& [opcode, count] : seen.opcodes)
        std::printf("%u %s\n", count, std::string(isa::find_instruction(opcode)->name).c_str());
    for (const auto& [exception, count] : seen.exceptions)
        std::printf("%u %s\n", count, std::string(name_of(exception)).c_str());
}

// Returns every opcode of the engine except those of system memory.
std::set<Opcode> opcodes_of(Engine engine) {
    std::set<Opcode> all;
    for (const isa::InstructionInfo& info : isa::instructions()) {
        const bool has = (info.engines >> static_cast<unsigned>(engine) & 1) != 0;
        if (has && !isa::is_control(info.opcode) && info.opcode != Opcode::ActTableLoad)
            all.insert(info.opcode);
    }
    return all;
}

class EngineCostsTest : public testing::TestWithParam<Engine> {};

TEST_P(EngineCostsTest, OfSmall16) {
    EngineCosts test("small16", GetParam());
    run_engine(test, GetParam(), 1200 * scale());
    print(test.seen);
    for (const Opcode opcode : opcodes_of(GetParam()))
        EXPECT_GT(test.seen.opcodes[opcode], 0u) << isa::find_instruction(opcode)->name;
    if (GetParam() == Engine::Vector) {
        EXPECT_GT(test.seen.exceptions[cost::Exception::WordPairs], 0u);
        EXPECT_GT(test.seen.exceptions[cost::Exception::ValuesFirst], 0u);
    }
    if (GetParam() == Engine::Scalar) {
        EXPECT_GT(test.seen.exceptions[cost::Exception::StandingStages], 0u);
    }
    if (GetParam() != Engine::Tensor) {
        EXPECT_GT(test.seen.exceptions[cost::Exception::UnevenRows], 0u);
    }
    // Most instructions take exactly the cycles of their form.
    unsigned all = 0;
    for (const auto& [exception, count] : test.seen.exceptions) all += count;
    EXPECT_GT(test.seen.exceptions[cost::Exception::None], all * 2 / 3);
}

TEST_P(EngineCostsTest, OfTrn1) {
    EngineCosts test("trn1", GetParam());
    run_engine(test, GetParam(), 100 * heavy_scale());
    EXPECT_FALSE(test.seen.opcodes.empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineCostsTest,
                         testing::Values(Engine::Tensor, Engine::Vector, Engine::Scalar),
                         [](const auto& engine) { return std::string(isa::name_of(engine.param)); });

}  // namespace
}  // namespace trnsim::test
