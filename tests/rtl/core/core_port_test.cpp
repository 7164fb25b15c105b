// The PSUM port that Vector and Scalar share: an instruction of one waits for at most two of the other's
// stream.
#include <algorithm>

#include "tests/rtl/core/core_program.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

constexpr std::uint32_t Long = 512, Short = 64;  // elements
constexpr std::uint32_t StreamBase = 0x4000, OneBase = 0x40000;
constexpr std::size_t Stream = 64;  // number of instructions

// Returns a copy of fp32 from PSUM to SBUF; each engine has its own place.
Instruction copy(Engine engine, std::uint32_t elements) {
    Instruction i(Opcode::TensorCopy);
    i.set(field::Count0, elements).set(field::Count1, 1).set(field::Count2, 1).set(field::Count3, 1);
    i.set(field::ADtype, isa::Dtype::Fp32).set(field::AAddr, psum(0)).set(field::AStep0, 1);
    i.set(field::DstDtype, isa::Dtype::Fp32).set(field::DstStep0, 1);
    return i.set(field::DstAddr, sbuf(0, engine == Engine::Vector ? 0 : 8192)).set(field::Partitions, 16);
}

// Bus cycles of one short instruction from the start of its program, and of the other engine's whole stream.
struct Cycles {
    unsigned one = 0, stream = 0;
};

// `lead`: cycles of the stream before the single instruction comes.
Cycles run(Engine one, bool with_one, bool with_stream, unsigned lead = 3000) {
    const Engine other = one == Engine::Vector ? Engine::Scalar : Engine::Vector;
    const int e = static_cast<int>(one), o = static_cast<int>(other);
    CoreProgram on;
    Program stream(Stream, copy(other, Long));
    stream.push_back(halt());
    on.core.memory->load(StreamBase, stream);
    on.core.memory->load(OneBase, {copy(one, Short), halt()});
    Cycles cycles;
    unsigned begin = 0, now = 0;
    if (with_stream) {
        on.start(o, StreamBase, Stream + 1);
        for (now = 0; now < lead; ++now) on.core.bus_edge();
    }
    if (with_one) {
        begin = now;
        on.start(e, OneBase, 2);
    }
    for (; now < 200000; ++now) {
        if (with_one && cycles.one == 0 && on.core.halted(e)) cycles.one = now - begin;
        if (with_stream && cycles.stream == 0 && on.core.halted(o)) cycles.stream = now;
        if ((!with_one || cycles.one != 0) && (!with_stream || cycles.stream != 0)) break;
        on.core.bus_edge();
    }
    EXPECT_FALSE(on.core.error());
    return cycles;
}

TEST(CorePort, AnInstructionWaitsForTwoOfTheOthers) {
    for (const Engine one : {Engine::Scalar, Engine::Vector}) {
        SCOPED_TRACE(isa::name_of(one));
        const Cycles alone = run(one, true, false), undisturbed = run(one, false, true);
        Cycles both;
        for (unsigned lead = 3000; lead < 3800; lead += 90) {
            const Cycles found = run(one, true, true, lead);
            both = {std::max(both.one, found.one), std::max(both.stream, found.stream)};
        }
        // Bus cycles of a long instruction: a Scalar cycle is one, a Vector cycle 1.25.
        const unsigned each = one == Engine::Vector ? Long : Long * 5 / 4;
        std::printf("%s: %u cycles alone, %u after a stream at most, which takes %u and %u\n",
                    std::string(isa::name_of(one)).c_str(), alone.one, both.one, undisturbed.stream,
                    both.stream);
        constexpr unsigned Fetch = 150, Pipeline = 30;  // cycles of a fetch; of an instruction's pipeline
        EXPECT_LE(both.one, alone.one + 2 * (each + Pipeline) + Fetch);
        // A stream without another engine keeps the port from its first to its last instruction; a single
        // instruction costs it little.
        EXPECT_GE(undisturbed.stream, Stream * each);
        EXPECT_LE(undisturbed.stream, Stream * each + 600);
        EXPECT_LE(both.stream, undisturbed.stream + Short * 5 / 4 + 2 * Pipeline + Fetch);
    }
}

// Two streams take turns: neither ends long before the other could.
TEST(CorePort, TwoStreamsTakeTurns) {
    CoreProgram on;
    for (const Engine engine : {Engine::Vector, Engine::Scalar}) {
        Program stream(Stream, copy(engine, Long));
        stream.push_back(halt());
        const std::uint32_t base = StreamBase + 0x10000u * static_cast<std::uint32_t>(engine);
        on.core.memory->load(base, stream);
        on.start(static_cast<int>(engine), base, Stream + 1);
    }
    unsigned cycles = 0;
    while (!on.core.halted(static_cast<int>(Engine::Vector)) &&
           !on.core.halted(static_cast<int>(Engine::Scalar)) && cycles < 200000) {
        on.core.bus_edge();
        ++cycles;
    }
    ASSERT_LT(cycles, 200000u);
    EXPECT_GE(cycles, (Stream - 4) * (Long + Long * 5 / 4)) << "both had their turns";
    EXPECT_LE(cycles, (Stream + 4) * (Long + Long * 5 / 4 + 60)) << "and nobody waited long for them";
    ASSERT_TRUE(on.finish());
    EXPECT_FALSE(on.core.error());
}

}  // namespace
}  // namespace trnsim::test
