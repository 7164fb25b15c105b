// The GpSimd engine: images of firmware, commands on some of the cores, the port that is shared with Vector,
// faults, and accesses of the bus meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/files/files.hpp"
#include "isa/isa_tables.hpp"
#include "tests/common/random.hpp"
#include "tests/common/riscv/encode.hpp"
#include "tests/rtl/gpsimd/engine/engine_bench.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using firmware::Command;
using firmware::Status;
using isa::Error;

constexpr std::uint32_t Both = 0b11, Boot = TRNSIM_CODE_BASE, Heap = TRNSIM_LEAST_HEAP_BASE;
constexpr std::uint32_t Jump = 0xffdff06f;  // jumps to the previous instruction

const firmware::Image& microcode() {
    static const firmware::Image image = [] {
        const std::string path = TRNSIM_FIRMWARE_IMAGES "/microcode_vlen512.gpsimd";
        return firmware::parse(files::read(path), path);
    }();
    return image;
}

std::uint32_t mailbox_address(std::uint32_t core) {
    return EngineBench::tcm(core, TRNSIM_MAILBOX_BASE);
}

firmware::MemsetArguments memset_of(std::uint32_t address, std::uint32_t words, std::uint32_t value) {
    return gpsimd::memset_of(Lanes, address, words, value);
}
firmware::TensorCopyArguments copy_of(std::uint32_t from, std::uint32_t to, std::uint32_t words) {
    return gpsimd::copy_of(Lanes, from, to, words);
}

std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
}

// A bench with the microcode on both cores.
struct Running : EngineBench {
    explicit Running(EngineClock clock = {}) : EngineBench(clock) {
        load(microcode());
        EXPECT_TRUE(run(gpsimd::start(Both, microcode().entry)));
    }

    void expect_words(std::uint32_t partition, std::uint32_t byte, std::uint32_t count, std::uint32_t value) {
        for (const std::uint32_t word : words_of(read(sbuf(partition, byte), 4 * std::size_t{count})))
            ASSERT_EQ(word, value) << "partition " << partition;
    }
};

class GpsimdEngine : public testing::TestWithParam<EngineClock> {};
INSTANTIATE_TEST_SUITE_P(Clocks, GpsimdEngine,
                         testing::Values(EngineClock{1, 2}, EngineClock{1, 1}, EngineClock{2, 5}),
                         [](const auto& info) {
                             return std::to_string(info.param.num) + "in" + std::to_string(info.param.den);
                         });

TEST_P(GpsimdEngine, RunsCommandsOfTheImage) {
    Running on(GetParam());
    for (std::uint32_t turn = 1; turn <= 3; ++turn) {
        on.give(memset_of(64, 40, 0x1000 + turn));
        ASSERT_TRUE(on.run(gpsimd::command(Both, Command::Memset)));
        for (std::uint32_t p = 0; p < Lanes; ++p) on.expect_words(p, 64, 40, 0x1000 + turn);
        for (std::uint32_t core = 0; core < Cores; ++core) {
            const firmware::Mailbox box = on.mailbox(core);
            EXPECT_EQ(box.magic, firmware::MailboxMagic);
            EXPECT_EQ(box.request, turn);
            EXPECT_EQ(box.completed, turn);
            EXPECT_EQ(box.command, static_cast<std::uint32_t>(Command::Memset));
            EXPECT_EQ(box.core, core);
            EXPECT_EQ(box.cores, Cores);
            EXPECT_EQ(box.status, Status::Ok);
            // Size of a partition in bytes, and number of partitions.
            EXPECT_EQ(on.read32(mailbox_address(core) + 68), SbufBytes);
            EXPECT_EQ(on.read32(mailbox_address(core) + 72), Lanes);
        }
    }
}

TEST_P(GpsimdEngine, IsStillBetweenCommands) {
    Running on(GetParam());
    const std::uint64_t edges = on.edges();
    for (int k = 0; k < 200; ++k) on.bus_step();
    EXPECT_LE(on.edges(), edges + 2);
    EXPECT_EQ(on.model().awake_o, 0);
    EXPECT_EQ(on.model().busy_o, 0);
    for (std::uint32_t core = 0; core < Cores; ++core)
        EXPECT_EQ(on.model().state_o >> 2 * core & 3, static_cast<unsigned>(isa::GpsimdState::Waiting));
}

TEST(GpsimdEngineStates, AreThoseOfTheCores) {
    EngineBench on;
    const auto state = [&](std::uint32_t core) {
        return static_cast<isa::GpsimdState>(on.model().state_o >> 2 * core & 3);
    };
    EXPECT_EQ(state(0), isa::GpsimdState::Halted);
    on.load(microcode());
    ASSERT_TRUE(on.run(gpsimd::start(0b10, microcode().entry)));
    EXPECT_EQ(state(0), isa::GpsimdState::Halted);
    EXPECT_EQ(state(1), isa::GpsimdState::Waiting);
    on.give(memset_of(0, 512, 1));
    on.issue(gpsimd::command(0b10, Command::Memset));
    bool ran = false;
    for (int k = 0; k < 1000 && !ran; ++k) {
        on.bus_step();
        ran = state(1) == isa::GpsimdState::Running;
    }
    EXPECT_TRUE(ran);
    EXPECT_TRUE(on.finish());
}

TEST(GpsimdEngineMask, OnlyItsCoresTakePart) {
    Running on;
    on.give(memset_of(0, 16, 7));
    ASSERT_TRUE(on.run(gpsimd::command(Both, Command::Memset)));
    on.give(memset_of(0, 16, 8));
    ASSERT_TRUE(on.run(gpsimd::command(0b10, Command::Memset)));
    for (std::uint32_t p = 0; p < Lanes; ++p) on.expect_words(p, 0, 16, p < CoreLanes ? 7 : 8);
    EXPECT_EQ(on.mailbox(0).request, 1u);
    EXPECT_EQ(on.mailbox(1).request, 2u);
    EXPECT_EQ(on.mailbox(1).cores, 1u);
    EXPECT_EQ(on.mailbox(1).core, 1u);
}

// Any part of the arguments reaches all cores, and the rest stays unchanged.
TEST(GpsimdEngineArguments, ReachTheirWords) {
    auto random = generator();
    EngineBench on;
    std::array<std::uint32_t, firmware::ArgumentWords> expected{};
    for (auto& word : expected) word = static_cast<std::uint32_t>(random());
    on.give(expected);
    for (int round = 0; round < 40; ++round) {
        const auto count = 1 + random() % 12, first = random() % (firmware::ArgumentWords - count + 1);
        std::vector<std::uint32_t> words(count);
        for (std::size_t k = 0; k < count; ++k)
            expected[first + k] = words[k] = static_cast<std::uint32_t>(random());
        for (const auto& instruction : gpsimd::words(words, static_cast<std::uint32_t>(first)))
            on.issue(instruction);
    }
    ASSERT_TRUE(on.finish());
    for (std::uint32_t core = 0; core < Cores; ++core) {
        const firmware::Mailbox box = on.mailbox(core);
        for (std::uint32_t k = 0; k < firmware::ArgumentWords; ++k)
            ASSERT_EQ(box.arguments[k], expected[k]) << "core " << core << " word " << k;
    }
}

TEST(GpsimdEngineChecks, RefuseWhatCannotBeDone) {
    EngineBench on;
    const auto arguments = [](std::uint32_t first, std::uint32_t words) {
        return isa::Instruction(isa::Opcode::GpsimdArguments)
            .set(field::FirstWord, first)
            .set(field::Words, words);
    };
    const std::vector<std::pair<isa::Instruction, Error>> cases{
        {arguments(0, 1), Error::None},
        {arguments(180, 12), Error::None},
        {arguments(181, 12), Error::UnsupportedOperand},
        {arguments(192, 1), Error::UnsupportedOperand},
        {arguments(255, 12), Error::UnsupportedOperand},
        {arguments(0, 0), Error::UnsupportedOperand},
        {arguments(0, 13), Error::UnsupportedOperand},
        {gpsimd::command(0, 1), Error::UnsupportedOperand},
        {gpsimd::command(0b100, 1), Error::UnsupportedOperand},
        {gpsimd::command(0b111, 1), Error::UnsupportedOperand},
        {gpsimd::command(0x80, 1), Error::UnsupportedOperand},
        {gpsimd::command(Both, 0xffff), Error::None},
        {gpsimd::start(0, Boot), Error::UnsupportedOperand},
        {gpsimd::start(0b100, Boot), Error::UnsupportedOperand},
        {gpsimd::start(Both, TRNSIM_TCM_BASE), Error::None},
        {gpsimd::start(Both, TRNSIM_TCM_BASE + TRNSIM_TCM_BYTES - 4), Error::None},
        {gpsimd::start(Both, TRNSIM_TCM_BASE + TRNSIM_TCM_BYTES), Error::AddressRange},
        {gpsimd::start(Both, TRNSIM_TCM_BASE - 4), Error::AddressRange},
        {gpsimd::start(Both, 0), Error::AddressRange},
        {gpsimd::start(Both, Boot + 2), Error::AddressAlign},
        {gpsimd::start(Both, Boot + 1), Error::AddressAlign},
    };
    for (const auto& [instruction, code] : cases)
        EXPECT_EQ(on.reject(instruction), code) << isa::name_of(on.reject(instruction));
}

// Runs an instruction that fails and expects its fault at a core. The fault stays; later instructions do
// nothing.
void expect_fault(EngineBench& on, const isa::Instruction& instruction, std::uint32_t core) {
    ASSERT_FALSE(on.run(instruction));
    EXPECT_EQ(static_cast<Error>(on.model().fault_o), Error::GpsimdFault);
    EXPECT_EQ(on.model().fault_address_o, mailbox_address(core));
    on.issue(gpsimd::command(Both, 0));
    for (int k = 0; k < 100; ++k) on.bus_step();
    EXPECT_FALSE(on.finish());
    EXPECT_EQ(on.model().awake_o, 0);
    on.mailbox(core);  // the mailbox can be read
}

TEST(GpsimdEngineFault, OperationThatTheImageDoesNotHave) {
    Running on;
    expect_fault(on, gpsimd::command(Both, Command::Count), 0);
    EXPECT_EQ(on.mailbox(0).status, Status::UnknownCommand);
}

TEST(GpsimdEngineFault, ArgumentsThatAnOperationRefusesOnOneCore) {
    Running on;
    on.give(memset_of(0, 1, 0));
    on.load(std::vector<std::uint32_t>{0x77}, TRNSIM_MAILBOX_BASE + 256 + 4 * 7, 0b10);  // an illegal type
    expect_fault(on, gpsimd::command(Both, Command::Memset), 1);
    EXPECT_EQ(on.mailbox(0).status, Status::Ok);
    EXPECT_EQ(on.mailbox(1).status, Status::BadDtype);
}

TEST(GpsimdEngineFault, CommandToACoreThatWasNotStarted) {
    EngineBench on;
    on.load(microcode());
    ASSERT_TRUE(on.run(gpsimd::start(0b01, microcode().entry)));
    expect_fault(on, gpsimd::command(Both, 0), 1);
}

TEST(GpsimdEngineFault, StartWithoutAnImage) {
    EngineBench on;  // zeros are no instruction, and no trap handler is set
    on.load(std::vector<std::uint32_t>(64, 0), Boot);
    expect_fault(on, gpsimd::start(Both, Boot), 0);
    for (std::uint32_t core = 0; core < Cores; ++core)
        EXPECT_EQ(on.model().state_o >> 2 * core & 3, static_cast<unsigned>(isa::GpsimdState::Trapped));
}

TEST(GpsimdEngineFault, StartOfSomethingThatDoesNotSayThatItIsReady) {
    EngineBench on;
    on.write32(mailbox_address(0), firmware::MailboxMagic);
    on.write32(mailbox_address(1), 0);
    on.load(std::vector<std::uint32_t>{encode::Wfi, Jump}, Boot);
    expect_fault(on, gpsimd::start(Both, Boot), 1);
}

TEST(GpsimdEngineFault, InterruptThatDoesNotWake) {
    EngineBench on;
    for (std::uint32_t core = 0; core < Cores; ++core)
        on.write32(mailbox_address(core), firmware::MailboxMagic);
    on.load(std::vector<std::uint32_t>{encode::Wfi, Jump}, Boot);
    ASSERT_TRUE(on.run(gpsimd::start(Both, Boot)));
    expect_fault(on, gpsimd::command(0b10, 0), 1);
}

TEST(GpsimdEngineFault, CommandThatTraps) {
    Running on;
    // The first instruction of the operation becomes an illegal one, on one core.
    const auto function = std::ranges::find_if(microcode().functions, [](const firmware::Symbol& symbol) {
        return symbol.name.find("memset_command") != std::string::npos;
    });
    ASSERT_NE(function, microcode().functions.end());
    on.load(std::vector<std::uint32_t>{0}, function->address, 0b10);
    on.give(memset_of(0, 1, 0));
    ASSERT_TRUE(on.finish());
    expect_fault(on, gpsimd::command(Both, Command::Memset), 1);
    EXPECT_EQ(on.mailbox(1).status, Status::Trapped);
    EXPECT_EQ(on.mailbox(1).trap.pc, function->address);
    EXPECT_EQ(on.mailbox(0).status, Status::Ok);
    EXPECT_EQ(on.model().state_o >> 2 & 3, static_cast<unsigned>(isa::GpsimdState::Trapped));
}

TEST(GpsimdEngineStart, StartsCoresAgain) {
    Running on;
    on.give(memset_of(0, 8, 1));
    ASSERT_TRUE(on.run(gpsimd::command(Both, Command::Memset)));
    ASSERT_TRUE(on.run(gpsimd::start(0b01, microcode().entry)));  // the image as it is
    on.load(microcode(), 0b10);                                   // the image loaded anew
    ASSERT_TRUE(on.run(gpsimd::start(0b10, microcode().entry)));
    EXPECT_EQ(on.mailbox(1).completed, 0u);
    on.give(memset_of(0, 8, 2));
    ASSERT_TRUE(on.run(gpsimd::command(Both, Command::Memset)));
    for (std::uint32_t p = 0; p < Lanes; ++p) on.expect_words(p, 0, 8, 2);
    EXPECT_EQ(on.mailbox(0).request, on.mailbox(1).request);
}

TEST(GpsimdEngineSlices, CorrectUpsets) {
    Running on;
    on.give(memset_of(0, 64, 0));
    ASSERT_TRUE(on.run(gpsimd::command(Both, Command::Memset)));
    for (const std::uint32_t p : {3u, 15u, 16u, 31u}) {
        on.model().upset_address_i = on.sbuf(p, 4 * p);
        on.model().upset_i = 1;
        on.bus_step();
        on.model().upset_i = 0;
    }
    on.give(copy_of(0, 1024, 64));
    ASSERT_TRUE(on.run(gpsimd::command(Both, Command::TensorCopy)));
    EXPECT_EQ(on.model().corrected_o, 4u);
    for (std::uint32_t p = 0; p < Lanes; ++p) on.expect_words(p, 1024, 64, 0);
}

// Vector at the port: it asks, works for a while as long as it may, and pauses.
struct Vector {
    explicit Vector(EngineBench& bench, std::mt19937_64& generator, unsigned most)
        : on(bench), random(generator), longest(most) {}

    void step() {
        auto& top = on.model();
        const bool granted = top.vector_granted_o != 0;
        if (left > 0) --left;
        if (top.vector_needs_i != 0 && !granted) {
            worst = std::max(worst, ++waited);
        } else {
            waited = 0;
        }
        if (left == 0 && granted && (top.vector_hold_o == 0) && random() % 4 != 0) {
            left = 1 + random() % longest;
            ++instructions;
        }
        if (pause > 0) --pause;
        if (left == 0 && granted && random() % 8 == 0) pause = random() % 100;
        top.vector_uses_i = left > 0;
        top.vector_needs_i = left > 0 || pause == 0;
    }

    EngineBench& on;
    std::mt19937_64& random;
    std::uint64_t longest, left = 0, pause = 0, waited = 0, worst = 0, instructions = 0;
};

// In core cycles: a turn of the engine, and some for the hand-over.
std::uint64_t longest_wait(EngineClock clock) {
    return (64 + 4) * clock.den / clock.num + 8;
}

// Each engine that waits for the port gets it: Vector after a turn of the cores, the cores after an
// instruction of Vector. Results do not depend on it.
TEST_P(GpsimdEngine, SharesThePortWithVector) {
    auto random = generator();
    Running on(GetParam());
    Vector vector(on, random, 200);
    on.beside = [&] { vector.step(); };
    std::uint32_t value = 0;
    for (int round = 0; round < 4; ++round) {
        value = static_cast<std::uint32_t>(random());
        on.give(memset_of(0, 1024, value));
        ASSERT_TRUE(on.run(gpsimd::command(Both, Command::Memset)));
        on.give(copy_of(0, 8192, 1024));
        ASSERT_TRUE(on.run(gpsimd::command(Both, Command::TensorCopy)));
    }
    on.beside = nullptr;
    for (std::uint32_t p = 0; p < Lanes; ++p) on.expect_words(p, 8192, 1024, value);
    EXPECT_GT(vector.instructions, 20u);
    EXPECT_GT(on.model().gpsimd_waits_o, 100u);
    EXPECT_LE(vector.worst, longest_wait(GetParam()));
}

// Programs of stores of eight words each, which both cores run while Vector uses the port.
class StoresBesideVector {
  public:
    static constexpr std::uint32_t T0 = 5, StoreWords = 0x02006027 | T0 << 15;  // vse32.v v0

    explicit StoresBesideVector(EngineClock clock)
        : random_(generator()), on_(clock), vector_(on_, random_, 30) {
        on_.beside = [this] { vector_.step(); };
    }

    [[nodiscard]] bool run(const std::vector<std::uint32_t>& stores) {
        constexpr std::uint32_t Mstatus = 0x300, VectorOn = 0x600;
        std::vector<std::uint32_t> program{
            encode::addi(T0, 0, VectorOn),
            encode::csrrs(0, Mstatus, T0),
            encode::vsetvli(T0, 0, 2, 3),
            encode::lui(T0, TRNSIM_SLICE_BASE),
        };
        program.insert(program.end(), stores.begin(), stores.end());
        program.insert(program.end(), {encode::Wfi, Jump});
        for (std::uint32_t core = 0; core < Cores; ++core)
            on_.write32(mailbox_address(core), firmware::MailboxMagic);
        on_.load(program, Boot);
        return on_.run(gpsimd::start(Both, Boot));
    }

    [[nodiscard]] const Vector& vector() const { return vector_; }

  private:
    std::mt19937_64 random_;
    EngineBench on_;
    Vector vector_;
};

// Pauses have about the length after which the cores give the port back to Vector: accesses that come just
// then wait for the next turn.
TEST_P(GpsimdEngine, AccessesThatComeAsThePortGoes) {
    constexpr std::size_t LongestPause = 12, Times = 24;
    std::vector<std::uint32_t> stores;
    for (std::size_t pause = 0; pause <= LongestPause; ++pause) {
        for (std::size_t k = 0; k < Times; ++k) {
            stores.push_back(StoresBesideVector::StoreWords);
            stores.insert(stores.end(), pause, encode::addi(0, 0, 0));
        }
    }
    StoresBesideVector on(GetParam());
    ASSERT_TRUE(on.run(stores));
    EXPECT_GT(on.vector().instructions, 20u);
}

// The cores store in every cycle of a turn.
TEST_P(GpsimdEngine, TurnsOfTheCoresAreBounded) {
    constexpr std::size_t Stores = 200;
    StoresBesideVector on(GetParam());
    ASSERT_TRUE(on.run(std::vector<std::uint32_t>(Stores, StoresBesideVector::StoreWords)));
    EXPECT_GT(on.vector().instructions, 20u);
    EXPECT_GT(on.vector().worst, 50 * GetParam().den / GetParam().num);
    EXPECT_LE(on.vector().worst, longest_wait(GetParam()));
}

TEST(GpsimdEngineSlices, WaitWhileNobodyIsGivenThePort) {
    auto random = generator();
    Running on;
    on.beside = [&] {
        if (on.cycles() % 2 == 0) on.model().hold_i = random() % 3 == 0 ? 0 : 1;
        if (on.cycles() % 2 == 0) on.model().hold_window_i = random() % 3 != 0;
    };
    on.give(memset_of(0, 256, 5));
    ASSERT_TRUE(on.run(gpsimd::command(Both, Command::Memset)));
    for (std::uint32_t p = 0; p < Lanes; ++p) on.expect_words(p, 0, 256, 5);
    EXPECT_EQ(on.mailbox(1).status, Status::Ok);
}

// Two ports write and read the memories of running cores, and the parts of SBUF that the cores do not use.
TEST_P(GpsimdEngine, BusReachesMemoriesMeanwhile) {
    auto random = generator();
    Running on(GetParam());
    for (std::uint32_t round = 0; round < 6; ++round) {
        on.give(memset_of(0, 1024, round));
        on.issue(gpsimd::command(Both, Command::Memset));
        for (int access = 0; access < 12; ++access) {
            const auto core = static_cast<std::uint32_t>(random() % Cores);
            const auto at = static_cast<std::uint32_t>(random() % 1000),
                       bytes = static_cast<std::uint32_t>(1 + random() % 600);
            std::vector<std::uint8_t> data(bytes);
            for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
            const std::uint32_t heap = on.tcm(core, Heap) + at,
                                row = on.sbuf(static_cast<std::uint32_t>(random() % Lanes), 8192 + at);
            const int port = static_cast<int>(random() % 2);
            on.write(heap, data, port);
            on.write(row, data, 1 - port);
            EXPECT_EQ(on.read(heap, bytes, 1 - port), data);
            EXPECT_EQ(on.read(row, bytes, port), data);
        }
        ASSERT_TRUE(on.finish());
        for (std::uint32_t p = 0; p < Lanes; ++p) on.expect_words(p, 0, 1024, round);
    }
}

// Measures the cycles of the engine from an instruction to the first instruction of its operation.
TEST(GpsimdEngineTiming, StartOfACommand) {
    constexpr std::uint64_t Public = 150;
    Running on({1, 1});
    on.give(memset_of(0, 1, 0));
    ASSERT_TRUE(on.finish());
    on.issue(gpsimd::command(Both, Command::Memset));
    const std::uint64_t begin = on.edges();
    while (firmware::place(microcode(), on.model().pc_o & 0xffffffff).find("memset_command") ==
           std::string::npos)
        on.step();
    EXPECT_NEAR(static_cast<double>(on.edges() - begin), Public, 2);
    ASSERT_TRUE(on.finish());
}

// Measures the bus cycles of beats of 128 bytes for a core's memory, one after the other.
TEST(GpsimdEngineTiming, BeatsOfTheBus) {
    constexpr std::uint64_t Beats = 16, Write = 4, Read = 10;
    EngineBench on;
    const std::uint64_t begin = on.cycles();
    on.write(on.tcm(1, Heap), std::vector<std::uint8_t>(128 * Beats));
    const std::uint64_t written = on.cycles();
    on.read(on.tcm(1, Heap), 128 * Beats);
    EXPECT_EQ((written - begin) / 2, Write * Beats);
    EXPECT_EQ((on.cycles() - written) / 2, Read * Beats);
}

}  // namespace
}  // namespace trnsim::test
