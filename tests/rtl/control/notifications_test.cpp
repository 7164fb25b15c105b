// The notification queue by itself beside a model: events of all engines at once, a bus that is not always
// ready, a reader that falls behind, buffers of all sizes, overflow.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "Vnotifications.h"
#include "common/random.hpp"
#include "isa/isa_tables.hpp"
#include "tests/common/model.hpp"

namespace trnsim::test {
namespace {

using isa::Notification;
namespace csr = isa::csr;
namespace record = isa::notification_record;

constexpr unsigned Engines = 5, Sources = Engines + 1, MaxOutstanding = 48;
constexpr unsigned QueueId = 5, RecordSize = 4;  // AXI ID; AXI size
constexpr std::array<std::size_t, Sources> Depth{16, 16, 16, 16, 16, 8};
constexpr std::uint32_t Offsets = 0xfff;  // mask of an offset in the register space

struct Event {
    Notification kind;
    unsigned engine = 0, code = 0, opcode = 0;
    std::uint32_t pc = 0;
    std::uint64_t time = 0;
    bool lost = false;
};

struct Written {
    std::uint32_t offset, value;
};

class NotificationsTest : public testing::Test {
  protected:
    void reset() {
        model_->write_i = model_->ready_i = model_->b_valid_i = model_->begin_i = model_->end_i = 0;
        model_->fault_i = model_->nan_i = 0;
        for (const int level : {1, 0}) {
            model_->rst_ni = level;
            clock(0);
        }
        clock(1);
        clock(0);
        model_->rst_ni = 1;
        clock(0);
        now_ = random_();
        for (auto& fifo : fifo_) fifo.clear();
        lost_ = {};
        passed_ = {};
        responses_.clear();
        base_ = 0;
        size_ = control_ = written_ = read_ = dropped_ = status_ = 0;
    }

    void clock(int level) {
        model_->clk_i = level;
        model_->eval();
    }

    std::uint32_t word(unsigned first) const {  // a word of write_o
        const unsigned at = first / 32, shift = first % 32;
        const std::uint64_t pair =
            model_->write_o[at] | (at + 1 < 7 ? std::uint64_t{model_->write_o[at + 1]} << 32 : 0);
        return static_cast<std::uint32_t>(pair >> shift);
    }
    std::uint64_t bits(const isa::RecordField& field) const {
        const std::uint64_t low = word(field.offset), high = field.width > 32 ? word(field.offset + 32) : 0;
        const std::uint64_t mask =
            field.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.width) - 1;
        return (low | high << 32) & mask;
    }

    std::uint32_t reg(std::uint32_t address) {
        model_->write_i = 0;
        model_->offset_i = address & Offsets;
        model_->eval();
        EXPECT_TRUE(model_->mapped_o) << std::hex << address;
        return model_->rdata_o;
    }

    bool waiting() const {
        for (const auto& fifo : fifo_)
            if (!fifo.empty()) return true;
        return false;
    }
    bool still() const { return (control_ >> 8 & 0xf) == 0 && !waiting() && responses_.empty(); }

    bool refused(const Written& w) const {
        if (w.offset == csr::NotifyBaseLo) return !still() || w.value % 16 != 0;
        if (w.offset == csr::NotifyBaseHi) return !still();
        if (w.offset == csr::NotifySize)
            return !still() || w.value == 0 || (w.value & (w.value - 1)) != 0 || w.value > 1u << 24;
        if (w.offset == csr::NotifyControl) return size_ == 0;
        return w.offset != csr::NotifyRead;
    }

    // Runs a cycle with events of the sources (the older one first) and a write of a register.
    void cycle(const std::array<std::array<std::optional<Event>, 2>, Sources>& events,
               const std::optional<Written>& write, unsigned ready_percent) {
        ++now_;
        model_->timestamp_i = now_;
        model_->begin_i = model_->end_i = 0;
        for (unsigned e = 0; e < Engines; ++e) {
            const auto& [ends, begins] = events[e];
            if (ends) {
                model_->end_i |= 1u << e;
                model_->end_origin_i[e] = std::uint64_t{ends->pc} << 8 | ends->opcode;
            }
            if (begins) {
                model_->begin_i |= 1u << e;
                model_->begin_origin_i[e] = std::uint64_t{begins->pc} << 8 | begins->opcode;
            }
        }
        const auto& [fault, nan] = events[Engines];
        model_->fault_i = fault.has_value();
        model_->nan_i = nan.has_value();
        if (fault) {
            model_->fault_origin_i[0] = fault->opcode;
            model_->fault_origin_i[1] = fault->pc << 8;
            model_->fault_origin_i[2] = fault->pc >> 24 | fault->engine << 8 | fault->code << 11;
        }
        if (nan) {
            model_->nan_engine_i = nan->engine;
            model_->nan_origin_i = std::uint64_t{nan->pc} << 8 | nan->opcode;
        }
        model_->write_i = write.has_value();
        if (write) {
            model_->offset_i = write->offset & Offsets;
            model_->wdata_i = write->value;
        }
        model_->ready_i = random_() % 100 < ready_percent;
        const bool answers = !responses_.empty() && responses_.front() <= now_;
        const bool fails = answers && random_() % 200 == 0;
        model_->b_valid_i = answers;
        model_->b_resp_i = fails ? 2 : 0;
        clock(0);
        if (write) {
            ASSERT_EQ(model_->refused_o, refused(*write)) << std::hex << write->offset << " " << write->value;
        }
        const bool valid = waiting() && written_ - read_ < size_ && responses_.size() < MaxOutstanding;
        ASSERT_EQ(model_->valid_o, valid);
        const bool taken = valid && model_->ready_i;
        ASSERT_EQ(model_->active_o, taken || answers);
        std::optional<unsigned> from;
        if (taken) check_record(from);
        if (HasFatalFailure()) return;
        // At the edge events find the room from before it.
        const bool good_write = write && !refused(*write);
        unsigned dropped = 0;
        std::optional<Event> first_dropped;
        for (unsigned s = 0; s < Sources; ++s) {
            std::size_t room = Depth[s] - fifo_[s].size();
            if (from == s) fifo_[s].pop_front();
            bool kept = false;
            bool lost_now = false;
            for (const auto& event : events[s]) {
                if (!event || (control_ >> 8 >> static_cast<unsigned>(event->kind) & 1) == 0) continue;
                if (s < Engines && (control_ >> s & 1) == 0) continue;
                if (room == 0) {
                    ++dropped;
                    if (!first_dropped) first_dropped = event;
                    lost_now = true;
                    continue;
                }
                --room;
                fifo_[s].push_back(*event);
                fifo_[s].back().time = now_;
                fifo_[s].back().lost = lost_[s] && !kept;
                kept = true;
            }
            lost_[s] = lost_now || (lost_[s] && !kept);
        }
        ASSERT_EQ(model_->overflow_o, dropped != 0 && (control_ >> 16 & 1) != 0);
        if (model_->overflow_o) {
            EXPECT_EQ(model_->overflow_fault_o[0] & 0xff, first_dropped->opcode);
            EXPECT_EQ(model_->overflow_fault_o[1] >> 8 | model_->overflow_fault_o[2] << 24,
                      first_dropped->pc);
            EXPECT_EQ(model_->overflow_fault_o[2] >> 8 & 7, first_dropped->engine);
            EXPECT_EQ(model_->overflow_fault_o[2] >> 11,
                      static_cast<unsigned>(isa::Error::NotificationOverflow));
        }
        clock(1);
        if (good_write && write->offset == csr::NotifySize) {
            written_ = read_ = dropped_ = status_ = 0;
            lost_ = {};
        } else {
            written_ += taken;
            dropped_ += dropped;
            status_ |= (dropped != 0 ? 1u : 0u) | (fails ? 2u : 0u);
        }
        if (answers) responses_.pop_front();
        if (taken) responses_.push_back(now_ + 1 + random_() % 20);
        if (!good_write) return;
        if (write->offset == csr::NotifyBaseLo) base_ = (base_ & ~0xffffffffull) | write->value;
        if (write->offset == csr::NotifyBaseHi)
            base_ = (base_ & 0xffffffff) | std::uint64_t{write->value} << 32;
        if (write->offset == csr::NotifySize) size_ = write->value;
        if (write->offset == csr::NotifyControl) control_ = write->value & 0x10f1f;
        if (write->offset == csr::NotifyRead) read_ = write->value;
    }

    // Checks that the record is the head of one of the FIFOs, at the next place of the buffer, and that no
    // FIFO waits for another one twice.
    void check_record(std::optional<unsigned>& from) {
        EXPECT_EQ(word(195) & 7, QueueId);
        EXPECT_EQ(word(192) & 7, RecordSize);
        const std::uint64_t address = word(128) | std::uint64_t{word(160)} << 32;
        EXPECT_EQ(address, base_ + std::uint64_t{16} * (written_ % size_));
        EXPECT_EQ(bits(record::Phase), 1 - written_ / size_ % 2);
        const auto kind = static_cast<Notification>(bits(record::Kind));
        const auto engine = static_cast<unsigned>(bits(record::Engine));
        from = kind == Notification::Begin || kind == Notification::End ? engine : Engines;
        ASSERT_LT(*from, Sources);
        ASSERT_FALSE(fifo_[*from].empty());
        const Event& head = fifo_[*from].front();
        EXPECT_EQ(kind, head.kind);
        EXPECT_EQ(engine, head.engine);
        EXPECT_EQ(bits(record::Opcode), head.opcode);
        EXPECT_EQ(bits(record::Pc), head.pc);
        EXPECT_EQ(bits(record::Code), head.kind == Notification::Error ? head.code : 0);
        EXPECT_EQ(bits(record::Timestamp), head.time);
        EXPECT_EQ(bits(record::Lost), head.lost);
        for (unsigned s = 0; s < Sources; ++s) {
            const bool waits = !fifo_[s].empty() && s != *from;
            passed_[s] = waits ? passed_[s] + 1 : 0;
            ASSERT_LT(passed_[s], Sources) << "source " << s << " waits too long";
        }
    }

    void check_registers() {
        EXPECT_EQ(reg(csr::NotifyBaseLo), static_cast<std::uint32_t>(base_));
        EXPECT_EQ(reg(csr::NotifyBaseHi), static_cast<std::uint32_t>(base_ >> 32));
        EXPECT_EQ(reg(csr::NotifySize), size_);
        EXPECT_EQ(reg(csr::NotifyControl), control_);
        EXPECT_EQ(reg(csr::NotifyWritten), written_);
        EXPECT_EQ(reg(csr::NotifyRead), read_);
        EXPECT_EQ(reg(csr::NotifyDropped), dropped_);
        EXPECT_EQ(reg(csr::NotifyStatus), status_ | (!waiting() && responses_.empty() ? 4u : 0u));
    }

    Event event(Notification kind, unsigned engine) {
        return {kind, engine, 1 + static_cast<unsigned>(random_() % 31),
                static_cast<unsigned>(random_() % 256), static_cast<std::uint32_t>(random_())};
    }
    std::array<std::array<std::optional<Event>, 2>, Sources> events(unsigned percent) {
        std::array<std::array<std::optional<Event>, 2>, Sources> all;
        const auto happens = [&](unsigned rate) { return random_() % 100 < rate; };
        for (unsigned e = 0; e < Engines; ++e) {
            if (happens(percent)) all[e][0] = event(Notification::End, e);
            if (happens(percent)) all[e][1] = event(Notification::Begin, e);
        }
        if (happens(percent / 4)) all[Engines][0] = event(Notification::Error, random_() % 8);
        if (happens(percent / 4)) all[Engines][1] = event(Notification::Numeric, random_() % 5);
        return all;
    }
    void set(std::uint32_t offset, std::uint32_t value) { cycle({}, Written{offset, value}, 100); }
    void set_up(std::uint32_t size, std::uint32_t control) {
        set(csr::NotifyBaseLo, static_cast<std::uint32_t>(random_()) & ~15u);
        set(csr::NotifyBaseHi, static_cast<std::uint32_t>(random_()));
        set(csr::NotifySize, size);
        set(csr::NotifyControl, control);
    }
    // Lets the reader read on until everything is written.
    void drain() {
        set(csr::NotifyControl, control_ & 0x1f);
        for (unsigned i = 0; !HasFatalFailure() && i < 5000 && !still(); ++i)
            cycle({}, i % 3 == 0 ? std::optional(Written{csr::NotifyRead, written_}) : std::nullopt, 80);
        ASSERT_TRUE(still());
    }

    std::unique_ptr<Model<Vnotifications>> model_ = std::make_unique<Model<Vnotifications>>();
    std::mt19937_64 random_ = generator();
    std::uint64_t now_ = 0, base_ = 0;
    std::uint32_t size_ = 0, control_ = 0, written_ = 0, read_ = 0, dropped_ = 0, status_ = 0;
    std::array<std::deque<Event>, Sources> fifo_;
    std::array<bool, Sources> lost_{};
    std::array<unsigned, Sources> passed_{};
    std::deque<std::uint64_t> responses_;  // cycles in which they come
};

TEST_F(NotificationsTest, RecordsAreEventsInOrder) {
    for (std::uint64_t round = 0; round < 60 * scale(); ++round) {
        reset();
        const std::uint32_t all = 0xf1f, chosen = static_cast<std::uint32_t>(random_()) & 0x10f1f;
        for (int buffers = 0; buffers < 3; ++buffers) {
            set_up(1u << random_() % 8, random_() % 2 != 0 ? all : chosen);
            const unsigned rate = std::array{2u, 6u, 20u, 60u}[random_() % 4], ready = 10 + random_() % 91;
            const unsigned reads = std::array{1u, 5u, 40u}[random_() % 3];
            for (int i = 0; i < 600; ++i) {
                std::optional<Written> write;
                if (random_() % 100 < reads)
                    write = Written{csr::NotifyRead,
                                    read_ + static_cast<std::uint32_t>(random_() % (written_ - read_ + 1))};
                else if (random_() % 150 == 0)
                    write = Written{csr::NotifyControl, static_cast<std::uint32_t>(random_()) & 0x10f1f};
                else if (random_() % 50 == 0)
                    write = Written{static_cast<std::uint32_t>(csr::NotifyBaseLo + 4 * (random_() % 4)),
                                    still() ? 64u : static_cast<std::uint32_t>(random_() & ~15u)};
                cycle(events(rate), write, ready);
                ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << i;
                if (random_() % 50 == 0) check_registers();
            }
            if (random_() % 4 == 0) {
                reset();  // in the middle of the test
                check_registers();
                continue;
            }
            ASSERT_NO_FATAL_FAILURE(drain());
            check_registers();
        }
    }
}

TEST_F(NotificationsTest, AFullBufferDropsAndGoesOn) {
    reset();
    set_up(4, 0xf1f);
    for (int i = 0; i < 100; ++i) cycle(events(30), {}, 100);
    EXPECT_EQ(written_, 4u);
    EXPECT_GT(dropped_, 0u);
    check_registers();
    EXPECT_EQ(reg(csr::NotifyStatus) & 1, 1u);
    ASSERT_NO_FATAL_FAILURE(drain());
    EXPECT_EQ(reg(csr::NotifyStatus) & 1, 1u) << "it stays";
    set_up(8, 0xf1f);
    EXPECT_EQ(reg(csr::NotifyStatus) & 1, 0u);
}

TEST_F(NotificationsTest, WithoutABufferNothingIsRecorded) {
    reset();
    set(csr::NotifyControl, 0xf1f);
    for (int i = 0; i < 20; ++i) cycle(events(50), {}, 100);
    EXPECT_EQ(control_, 0u);
    check_registers();
    for (const std::uint32_t size : {0u, 3u, 1u << 25, 0x80000001u}) set(csr::NotifySize, size);
    EXPECT_EQ(size_, 0u);
    model_->offset_i = (csr::NotifyStatus + 4) & Offsets;
    model_->eval();
    EXPECT_FALSE(model_->mapped_o);
}

TEST_F(NotificationsTest, RegistersHoldEveryBit) {
    reset();
    for (std::uint32_t size = 1; size <= 1u << 24; size *= 2) {
        set(csr::NotifySize, size);
        for (const std::uint32_t value : {0xaaaaaaaau, 0x55555555u}) {
            set(csr::NotifyBaseLo, value & ~15u);
            set(csr::NotifyBaseHi, value);
            set(csr::NotifyRead, value);
            check_registers();
        }
        ASSERT_EQ(reg(csr::NotifySize), size);
    }
}

TEST_F(NotificationsTest, CountsOnInALargeBuffer) {
    reset();
    set_up(1u << 20, 0xf1f);
    for (int i = 0; i < 40000 && !HasFatalFailure(); ++i) cycle(events(20), {}, 100);
    EXPECT_GT(written_, 1u << 14);
    check_registers();
    ASSERT_NO_FATAL_FAILURE(drain());
    set_up(1, 0xf1f);
    for (int i = 0; i < 10000 && !HasFatalFailure(); ++i) cycle(events(60), {}, 100);
    EXPECT_GT(dropped_, 1u << 14);
    check_registers();
}

}  // namespace
}  // namespace trnsim::test
