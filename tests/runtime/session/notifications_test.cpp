// Tests the reader of the notification queue: records, their order, and the lines written for them.
#include "runtime/session/notifications.hpp"

#include "model/simulation/simulation.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "arch/addresses/addresses.hpp"
#include "runtime/session/fake_machine.hpp"

namespace trnsim::runtime {
namespace {

using isa::Notification;
namespace csr = isa::csr;
namespace record = isa::notification_record;

constexpr std::uint32_t Vector = 1, Copy = static_cast<std::uint32_t>(isa::Opcode::TensorCopy);

NotificationRecord at(Notification kind, std::uint32_t pc, std::uint64_t cycle, bool lost = false) {
    return {kind, Vector, 0, Copy, pc, true, lost, cycle};
}
NotificationRecord begin(std::uint32_t pc, std::uint64_t cycle, bool lost = false) {
    return at(Notification::Begin, pc, cycle, lost);
}
NotificationRecord end(std::uint32_t pc, std::uint64_t cycle, bool lost = false) {
    return at(Notification::End, pc, cycle, lost);
}

// Returns the lines below the heading.
std::string written(const std::vector<NotificationRecord>& records) {
    std::ostringstream out;
    NotificationLog log(out);
    for (const NotificationRecord& r : records) log.add(r);
    log.finish(false);
    const std::string text = out.str();
    return text.substr(text.find('\n') + 1);
}

std::string failure(const std::vector<NotificationRecord>& records) {
    try {
        written(records);
    } catch (const tlm::SimulationError& error) {
        return error.what();
    }
    return "";
}

TEST(Notifications, AnInstructionALine) {
    EXPECT_EQ(written({begin(3, 10), begin(4, 12), end(3, 20), begin(5, 21), end(4, 30)}),
              "instruction,vector,3,tensor_copy,10,20,,0\n"
              "instruction,vector,4,tensor_copy,12,30,,0\n"
              "instruction,vector,5,tensor_copy,21,,,0\n");
}

TEST(Notifications, ErrorsALine) {
    NotificationRecord error = at(Notification::Error, 7, 99), bus = error;
    error.code = static_cast<std::uint32_t>(isa::Error::AddressRange);
    bus.code = static_cast<std::uint32_t>(isa::Error::EventSetTwice);
    bus.engine = 7;
    bus.opcode = 0;
    EXPECT_EQ(written({error, bus, at(Notification::Numeric, 8, 100)}),
              "error,vector,7,tensor_copy,99,,address_range,0\n"
              "error,bus,7,,99,,event_set_twice,0\n"
              "numeric,vector,8,tensor_copy,100,,,0\n");
}

TEST(Notifications, AGapIsShown) {
    EXPECT_EQ(written({begin(1, 5), begin(4, 9, true), end(3, 11), end(4, 12), end(7, 20, true)}),
              "instruction,vector,3,tensor_copy,,11,,1\n"
              "instruction,vector,1,tensor_copy,5,,,1\n"
              "instruction,vector,4,tensor_copy,9,12,,0\n"
              "instruction,vector,7,tensor_copy,,20,,1\n");
}

TEST(Notifications, WrongOrderIsNoticed) {
    EXPECT_EQ(failure({begin(1, 5), end(1, 6), end(1, 7)}),
              "notification queue: vector pc 1 at cycle 7: ends, but is not the oldest that has begun");
    EXPECT_EQ(failure({begin(1, 5), begin(2, 6), end(2, 7)}),
              "notification queue: vector pc 2 at cycle 7: ends, but is not the oldest that has begun");
    EXPECT_EQ(failure({begin(1, 5), begin(2, 4)}),
              "notification queue: vector pc 2 at cycle 4: earlier than the record before it");
    NotificationRecord other = end(1, 6);
    other.opcode = 0;
    EXPECT_EQ(failure({begin(1, 5), other}),
              "notification queue: vector pc 1 at cycle 6: ends as another instruction");
    other = begin(1, 5);
    other.engine = 6;
    EXPECT_THROW(written({other}), tlm::SimulationError);
}

std::array<std::uint8_t, record::Bytes> encode(const NotificationRecord& r) {
    std::array<std::uint8_t, record::Bytes> bytes{};
    const auto put = [&](const isa::RecordField& field, std::uint64_t value) {
        for (unsigned b = 0; b < field.width; ++b)
            if ((value >> b & 1) != 0)
                bytes[(field.offset + b) / 8] |= static_cast<std::uint8_t>(1u << (field.offset + b) % 8);
    };
    put(record::Opcode, r.opcode);
    put(record::Engine, r.engine);
    put(record::Kind, static_cast<std::uint64_t>(r.kind));
    put(record::Phase, r.phase ? 1 : 0);
    put(record::Lost, r.lost ? 1 : 0);
    put(record::Code, r.code);
    put(record::Pc, r.pc);
    put(record::Timestamp, r.cycle);
    return bytes;
}

// A core writes several times round a buffer of four records while it is read.
TEST(Notifications, TheReaderFollowsThePhase) {
    test::FakeMachine machine;
    constexpr std::uint64_t Address = 0x1230;
    std::ostringstream out;
    NotificationLog log(out);
    NotificationReader reader(machine, {Address, 4}, log);
    machine.write(Address, std::vector<std::uint8_t>(64, 0xff));
    reader.set_up();
    reader.start();
    EXPECT_EQ(machine.read32(addresses::CoreWindowBase + csr::NotifySize), 4u);
    EXPECT_EQ(machine.read32(addresses::CoreWindowBase + csr::NotifyControl), 0xf1fu);
    reader.drain();
    std::uint32_t count = 0;
    for (const std::uint32_t more : {1u, 3u, 4u, 2u, 0u, 4u, 1u}) {
        for (std::uint32_t i = 0; i < more; ++i, ++count) {
            NotificationRecord r = count % 2 == 0 ? begin(count / 2, count) : end(count / 2, count);
            r.phase = count / 4 % 2 == 0;
            machine.write(Address + 16 * (count % 4), encode(r));
        }
        reader.drain();
        EXPECT_EQ(reader.counts().records, count);
        EXPECT_EQ(machine.read32(addresses::CoreWindowBase + csr::NotifyRead), count);
    }
    machine.poke32(addresses::CoreWindowBase + csr::NotifyStatus, 4);
    machine.poke32(addresses::CoreWindowBase + csr::NotifyDropped, 9);
    reader.finish();
    EXPECT_EQ(reader.counts().dropped, 9u);
    EXPECT_EQ(machine.read32(addresses::CoreWindowBase + csr::NotifyControl), 0u);
    EXPECT_NE(out.str().find("instruction,vector,7,tensor_copy,14,,,1\n"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace trnsim::runtime
