// Tests the notification queue in lockstep.
#include "lockstep_programs.hpp"

namespace trnsim::test {
namespace {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;

// Notifications of NaNs are off, as values mean nothing here.
constexpr std::uint32_t NumericKind = 1U << (8 + static_cast<unsigned>(isa::Notification::Numeric));
constexpr std::uint64_t NotifyBase = 0x7'1234'5670;
constexpr std::array NotifyRegisters{isa::csr::NotifyBaseLo,  isa::csr::NotifyBaseHi,  isa::csr::NotifySize,
                                     isa::csr::NotifyControl, isa::csr::NotifyWritten, isa::csr::NotifyRead,
                                     isa::csr::NotifyDropped, isa::csr::NotifyStatus};

void set_up_notifications(Lockstep& both, std::uint32_t size) {
    both.write32(isa::csr::NotifyBaseLo, static_cast<std::uint32_t>(NotifyBase));
    both.write32(isa::csr::NotifyBaseHi, NotifyBase >> 32);
    both.write32(isa::csr::NotifySize, size);
    const bool stops = both.random() % 4 == 0;
    const auto engines = static_cast<std::uint32_t>(both.random() % 4 == 0 ? both.random() % 32 : 31),
               kinds = static_cast<std::uint32_t>(both.random() % 4 == 0 ? both.random() % 8 : 7);
    both.write32(isa::csr::NotifyControl, (stops ? 1U << 16 : 0) | kinds << 8 | engines);
}

void read_notification_registers(Lockstep& both) {
    for (const std::uint32_t address : NotifyRegisters) both.read32(address);
}

// Does something that a reader does, or should not do.
void use_notifications(Lockstep& both) {
    const auto word = static_cast<std::uint32_t>(both.random());
    switch (both.random() % 16) {
        case 0:
            both.write32(NotifyRegisters[both.random() % NotifyRegisters.size()], word & ~NumericKind);
            break;
        case 1:
            both.write32(isa::csr::NotifyControl, 0);
            break;
        case 2:
            both.write32(isa::csr::NotifyControl, (word % 4 == 0 ? word : 0x71fU) & ~NumericKind);
            break;
        case 3:
            both.write32(isa::csr::NotifySize, 1U << word % 27 | (word >> 8) % 8 / 7);
            break;
        case 4:
            both.write32(isa::csr::NotifyBaseLo, word % 4 == 0 ? word : word & ~0xfU);
            break;
        default:
            both.write32(isa::csr::NotifyRead, both.read32(isa::csr::NotifyWritten) - word % 8 / 7);
            break;
    }
}

// Queues are large or full at once; they are read often, seldom or never; answers fail; the queue is switched
// off and on.
TEST(Lockstep, Notifications) {
    unsigned records = 0, drops = 0, overflows = 0;
    for (std::uint64_t round = 0; round < 6 * scale() && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE(round);
        Lockstep both(round);
        both.fill(Ones);
        std::vector<Program> programs = control_programs(both.random);
        for (const Engine engine : {Engine::Tensor, Engine::Vector, Engine::Scalar}) {
            if (round % 2 == 0) break;
            Program& program = programs[static_cast<unsigned>(engine)];
            program = engine_program(both, engine, 60);
            place_tables(both, program);
            program.push_back(Instruction(Opcode::Halt));
        }
        const std::uint32_t size = 1U << both.random() % 9;
        if (both.random() % 4 == 0) both.memory.set_latency(1000);  // many records without an answer
        if (both.random() % 2 == 0) both.memory.fail_writes(NotifyBase + 16 * (both.random() % size));
        read_notification_registers(both);
        set_up_notifications(both, size);
        for (unsigned e = 0; e < tlm::Engines; ++e) both.load_and_start(e, base_of(e), programs[e]);
        const auto pause = 1 + both.random() % 400;
        const bool reads = both.random() % 4 != 0;
        for (unsigned look = 0; look < 100; ++look) {
            for (std::uint64_t edge = 0; edge < pause; ++edge) both.bus_edge();
            if (reads) use_notifications(both);
        }
        both.finish(20'000);  // a queue without room may have stopped the core
        read_notification_registers(both);
        for (const std::uint32_t address :
             {isa::csr::Status, isa::csr::ErrorEngine, isa::csr::ErrorPc, isa::csr::ErrorOpcode})
            both.read32(address);
        expect_same(both);
        records += both.memory.records().size();
        drops += both.read32(isa::csr::NotifyDropped) != 0 ? 1 : 0;
        overflows +=
            both.read32(isa::csr::ErrorCode) == static_cast<std::uint32_t>(isa::Error::NotificationOverflow)
                ? 1
                : 0;
    }
    std::printf("%u records, %u queues with events dropped, %u cores stopped\n", records, drops, overflows);
    EXPECT_GT(records, 100 * scale());
}

// There are as many unanswered records as possible.
TEST(Lockstep, NotificationsWithoutAnswers) {
    Lockstep both;
    both.write32(isa::csr::NotifySize, 1024);
    both.write32(isa::csr::NotifyControl, 0x71f);
    Program program(100, Instruction(Opcode::Nop));
    program.push_back(halt());
    for (unsigned e = 0; e < tlm::Engines; ++e) both.load_and_start(e, base_of(e), program);
    for (unsigned edge = 0; edge < 200; ++edge) both.bus_edge();  // the programs have arrived
    both.memory.set_latency(3000);
    EXPECT_TRUE(both.finish());
    for (unsigned edge = 0; edge < 20'000; ++edge) both.bus_edge();
    read_notification_registers(both);
    EXPECT_NE(both.read32(isa::csr::NotifyDropped), 0U);
    expect_same(both);
}

}  // namespace
}  // namespace trnsim::test
