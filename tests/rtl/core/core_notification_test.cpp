// The notification queue of the whole core: its records match the pins, for programs of all engines.
#include <algorithm>
#include <deque>
#include <limits>

#include "tests/rtl/core/core_instructions.hpp"

namespace trnsim::test {
namespace {

using isa::Notification;
namespace csr = isa::csr;
namespace record = isa::notification_record;

constexpr int Tensor = static_cast<int>(isa::Engine::Tensor), Vector = static_cast<int>(isa::Engine::Vector),
              Scalar = static_cast<int>(isa::Engine::Scalar);
constexpr std::uint32_t AllKinds = 0xf00, AllEngines = 0x1f, Stop = 0x10000;

struct Event {
    Notification kind;
    std::uint32_t pc;
    std::uint64_t time;
    bool operator==(const Event&) const = default;
};

std::uint64_t bits(const Record& record, const isa::RecordField& field) {
    std::uint64_t value = record.words[field.offset / 32] >> (field.offset % 32);
    if (field.width > 32) value |= std::uint64_t{record.words[field.offset / 32 + 1]} << 32;
    return field.width == 64 ? value : value & ((std::uint64_t{1} << field.width) - 1);
}

class CoreNotification : public testing::Test {
  protected:
    CoreProgram on;
    std::array<std::vector<Event>, Engines> seen;
    std::array<std::deque<std::uint32_t>, Engines> begun;

    void set(std::uint32_t reg, std::uint32_t value) {
        ASSERT_EQ(on.core.write32(on.port(), reg, value), Okay) << std::hex << reg;
    }
    void set_up(std::uint32_t size, std::uint32_t control) {
        set(csr::NotifyBaseLo, 0x10000);
        set(csr::NotifyBaseHi, 5);
        set(csr::NotifySize, size);
        set(csr::NotifyControl, control);
    }

    Program random_program(int engine, int instructions) {
        Program program;
        for (int i = 0; i < instructions; ++i) {
            const std::uint32_t kind = on.bits() % 8, to = 4096 + 64 * static_cast<std::uint32_t>(engine);
            if (kind < 5 && (engine == Vector || engine == Scalar)) {
                program.push_back(copy(sbuf(0, 0), sbuf(0, to), 1 + on.bits() % 16));
            } else if (kind < 5 && engine == Tensor) {
                program.push_back(kind == 0 || i == 0 ? load(512) : matmul(64 * (on.bits() % 4), false));
            } else if (kind == 5) {
                program.push_back(move_immediate(1, on.bits()));
            } else if (kind == 6) {
                program.push_back(store_register(1, sbuf(1, to)));
            } else {
                program.push_back(nop());
            }
        }
        if (engine == Tensor) program.insert(program.begin(), load(512));
        program.push_back(halt());
        return program;
    }

    // Runs edges of the bus until everything has halted, and notes the events that the pins show.
    void watch(int engines) {
        for (int edge = 0; edge < 100000; ++edge) {
            on.core.bus_edge();
            bool over = true;
            for (int e = 0; e < Engines; ++e) {
                const tlm::EngineOut& engine = on.core.engine(e);
                if (engine.completed) {
                    ASSERT_FALSE(begun[e].empty());
                    seen[e].push_back({Notification::End, begun[e].front(), on.core.cycle - 1});
                    begun[e].pop_front();
                }
                if (engine.issued) {
                    seen[e].push_back({Notification::Begin, engine.issue_pc, on.core.cycle - 1});
                    begun[e].push_back(engine.issue_pc);
                }
                over = over && ((engines >> e & 1) == 0 || on.core.halted(e));
            }
            if (over) break;
        }
        ASSERT_FALSE(on.core.error());
    }
};

TEST_F(CoreNotification, TellsWhatThePinsShow) {
    for (std::uint64_t round = 0; round < 4 * scale(); ++round) {
        on.core.memory.emplace(on.core.random(), round % 2 == 0 ? 100 : 40, 6);
        seen = {};
        on.core.cycle ^= ~std::uint64_t{0xfffff};  // makes times with every bit
        const std::uint32_t enabled = round % 3 == 2 ? on.bits() & AllEngines : AllEngines;
        set_up(1 << 12, enabled | AllKinds);
        std::array<Program, Engines> programs;
        // All engines wait for a semaphore that the test sets once it watches.
        const std::uint32_t semaphore = static_cast<std::uint32_t>(round) % 256;
        ASSERT_EQ(on.core.write32(on.port(), isa::window::SemSet + 4 * semaphore, 0), Okay);
        for (int e = 0; e < Engines; ++e) {
            programs[e] = random_program(e, 60);
            programs[e][0] = wait_for(programs[e][0], semaphore, isa::WaitMode::Ge, 1);
            on.core.memory->load(ProgramBase + 0x10000 * e, programs[e]);
            on.start(e, ProgramBase + 0x10000 * e, static_cast<std::uint32_t>(programs[e].size()));
        }
        auto& port = on.core.in(0);
        port.aw_addr = isa::window::SemSet + 4 * semaphore;
        port.aw_len = 0;
        port.w_data = {};
        port.w_strobe = {};
        const std::uint32_t at = port.aw_addr % on.core.beat;
        port.w_data[at / 4] = 1;
        port.w_strobe[at / 32] = 0xfu << (at % 32);
        port.w_last = port.b_ready = true;
        port.aw_valid = true;
        while (!on.core.out(0).aw_ready) on.core.bus_edge();
        on.core.bus_edge();
        port.aw_valid = false;
        port.w_valid = true;
        while (!on.core.out(0).w_ready) on.core.bus_edge();
        on.core.bus_edge();
        port.w_valid = false;
        ASSERT_NO_FATAL_FAILURE(watch(AllEngines));
        port.b_ready = false;
        set(csr::NotifyControl, 0);
        while ((on.core.read32(on.port(), csr::NotifyStatus) & 4) == 0) on.core.bus_edge();

        std::array<std::vector<Event>, Engines> told;
        std::array<std::vector<bool>, Engines> lost;
        std::uint32_t index = 0;
        for (const Record& r : on.core.memory->records()) {
            EXPECT_EQ(r.address, (5ull << 32) + 0x10000 + 16 * index++);
            const auto engine = bits(r, record::Engine);
            ASSERT_LT(engine, static_cast<unsigned>(Engines));
            const auto pc = static_cast<std::uint32_t>(bits(r, record::Pc));
            told[engine].push_back(
                {static_cast<Notification>(bits(r, record::Kind)), pc, bits(r, record::Timestamp)});
            lost[engine].push_back(bits(r, record::Lost) != 0);
            EXPECT_EQ(bits(r, record::Opcode), static_cast<unsigned>(programs[engine].at(pc).opcode()));
        }
        std::size_t missing = 0;
        for (int e = 0; e < Engines; ++e) {
            if ((enabled >> e & 1) == 0) {
                EXPECT_TRUE(told[e].empty());
                continue;
            }
            // The records are in order. Missing events come before a record that says so, or at the end.
            auto event = seen[e].begin();
            for (std::size_t i = 0; i < told[e].size(); ++i) {
                const auto found = std::find(event, seen[e].end(), told[e][i]);
                ASSERT_NE(found, seen[e].end()) << "engine " << e << " record " << i << " pc "
                                                << told[e][i].pc << " time " << told[e][i].time;
                EXPECT_EQ(found != event, lost[e][i]) << "engine " << e << " record " << i;
                missing += static_cast<std::size_t>(found - event);
                event = found + 1;
            }
            missing += static_cast<std::size_t>(seen[e].end() - event);
        }
        EXPECT_EQ(on.core.read32(on.port(), csr::NotifyDropped), missing);
        EXPECT_EQ(on.core.read32(on.port(), csr::NotifyWritten), index);
        if (enabled == AllEngines) {
            EXPECT_GT(index, 100u);
        }
    }
}

TEST_F(CoreNotification, FaultsAndNumericErrors) {
    set_up(64, AllEngines | 0xc00);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &nan, bytes.size());
    on.core.poke(sbuf(0, 0), bytes);
    run(on, Vector, {nop(), copy(sbuf(0, 0), sbuf(0, 4096), 1), nop(), halt()});
    run(on, Scalar, {nop(), nop(), copy(sbuf(1, 0), sbuf(0, 4096), 1), halt()});  // illegal start
    ASSERT_TRUE(on.core.error());
    for (int i = 0; i < 50; ++i) on.core.bus_edge();
    const auto& records = on.core.memory->records();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(bits(records[0], record::Kind), static_cast<unsigned>(Notification::Numeric));
    EXPECT_EQ(bits(records[0], record::Engine), static_cast<unsigned>(Vector));
    EXPECT_EQ(bits(records[0], record::Pc), 1u);
    EXPECT_EQ(bits(records[1], record::Kind), static_cast<unsigned>(Notification::Error));
    EXPECT_EQ(bits(records[1], record::Engine), static_cast<unsigned>(Scalar));
    EXPECT_EQ(bits(records[1], record::Pc), 2u);
    EXPECT_EQ(bits(records[1], record::Code), on.core.read32(on.port(), csr::ErrorCode));
    EXPECT_GT(bits(records[1], record::Timestamp), bits(records[0], record::Timestamp));
}

TEST(CoreNotificationOverflow, StopsTheCoreIfItIsTo) {
    for (const std::uint32_t stop : {0u, Stop}) {
        CoreProgram fresh;
        const auto set_register = [&](std::uint32_t reg, std::uint32_t value) {
            ASSERT_EQ(fresh.core.write32(fresh.port(), reg, value), Okay);
        };
        set_register(csr::NotifySize, 1);
        set_register(csr::NotifyControl, AllEngines | AllKinds | stop);
        run(fresh, Vector, [] {
            Program program(40, nop());
            program.push_back(halt());
            return program;
        }());
        EXPECT_EQ(fresh.core.error(), stop != 0);
        EXPECT_EQ(fresh.core.read32(fresh.port(), csr::NotifyStatus) & 1, 1u);
        EXPECT_EQ(fresh.core.read32(fresh.port(), csr::NotifyWritten), 1u);
        if (stop == 0) {
            EXPECT_EQ(fresh.core.read32(fresh.port(), csr::NotifyDropped), 2u * 41 - 1 - 16);
        } else {
            EXPECT_EQ(fresh.core.read32(fresh.port(), csr::ErrorCode),
                      static_cast<std::uint32_t>(isa::Error::NotificationOverflow));
            EXPECT_EQ(fresh.core.read32(fresh.port(), csr::ErrorEngine), static_cast<std::uint32_t>(Vector));
        }
    }
}

// Among several events in a cycle the first one of the lowest engine is named; here there is one engine.
TEST(CoreNotificationOverflow, NamesAnInstructionWhereverItIs) {
    for (const std::uint32_t pc : {0xaaaaaa00u, 0x55555500u}) {
        CoreProgram fresh;
        ASSERT_EQ(fresh.core.write32(0, csr::NotifySize, 1), Okay);
        ASSERT_EQ(fresh.core.write32(0, csr::NotifyControl, AllEngines | AllKinds | Stop), Okay);
        Program program(40, nop());
        program.push_back(halt());
        run_far(fresh, Vector, pc, program);
        ASSERT_TRUE(fresh.core.error());
        // The branch and eight instructions begin and end before the queue of 16 is full; one record is
        // written.
        EXPECT_EQ(fresh.core.read32(0, csr::ErrorPc), pc + 7);
        EXPECT_EQ(fresh.core.read32(0, csr::ErrorEngine), static_cast<std::uint32_t>(Vector));
    }
}

}  // namespace
}  // namespace trnsim::test
