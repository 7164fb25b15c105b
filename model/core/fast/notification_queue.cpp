#include "model/core/fast/notification_queue.hpp"

#include <bit>
#include <utility>

#include "isa/isa_tables.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/words.hpp"

namespace trnsim::tlm::core_fast {
namespace {

namespace csr = isa::csr;
namespace record = isa::notification_record;

constexpr std::uint8_t RecordSize = 4;             // AxSIZE of a record
constexpr std::uint32_t MaxSize = 1U << 24;        // records
constexpr unsigned KindShift = 8, StopShift = 16;  // in notify_control
constexpr std::uint32_t EngineMask = 0x1f, KindMask = 0xf;

void put(BusWrite& write, const isa::RecordField& field, std::uint64_t value) {
    write.data[field.offset / WordBits] |= static_cast<std::uint32_t>(value << field.offset % WordBits);
}

}  // namespace

std::optional<NotificationQueue::Read> NotificationQueue::read(std::uint32_t address,
                                                               std::uint32_t data) const {
    const bool still = is_still();
    switch (address) {
        case csr::NotifyBaseLo:
            return Read{static_cast<std::uint32_t>(base_), !still || data % record::Bytes != 0};
        case csr::NotifyBaseHi:
            return Read{static_cast<std::uint32_t>(base_ >> WordBits), !still};
        case csr::NotifySize:
            return Read{size_, !still || !std::has_single_bit(data) || data > MaxSize};
        case csr::NotifyControl:
            return Read{std::uint32_t{stops_} << StopShift | kinds_ << KindShift | engines_, size_ == 0};
        case csr::NotifyWritten:
            return Read{written_, true};
        case csr::NotifyRead:
            return Read{read_, false};
        case csr::NotifyDropped:
            return Read{dropped_, true};
        case csr::NotifyStatus:
            return Read{
                (waiting() == 0 && outstanding_ == 0 ? 4U : 0U) | (failed_ ? 2U : 0U) | (overflow_ ? 1U : 0U),
                true};
        default:
            return std::nullopt;
    }
}

void NotificationQueue::set(const Write& write) {
    switch (write.address) {
        case csr::NotifyBaseLo:
            base_ = base_ >> WordBits << WordBits | write.data;
            break;
        case csr::NotifyBaseHi:
            base_ = std::uint64_t{write.data} << WordBits | static_cast<std::uint32_t>(base_);
            break;
        case csr::NotifySize:
            size_ = write.data;
            read_ = written_ = dropped_ = 0;
            overflow_ = failed_ = false;
            for (Fifo& fifo : fifos_) fifo.lost = false;
            break;
        case csr::NotifyControl:
            engines_ = write.data & EngineMask;
            kinds_ = write.data >> KindShift & KindMask;
            stops_ = bit(write.data, StopShift);
            break;
        default:
            read_ = write.data;
            break;
    }
}

std::uint32_t NotificationQueue::waiting() const {
    std::uint32_t sources = 0;
    for (unsigned s = 0; s < Sources; ++s) sources |= std::uint32_t{!fifos_[s].events.empty()} << s;
    return sources;
}

// Returns the events in order: ends happened earlier than begins.
NotificationQueue::Pushes NotificationQueue::pushes(const Events& events) const {
    Pushes result;
    const auto wanted = [this](isa::Notification kind) { return bit(kinds_, static_cast<unsigned>(kind)); };
    for (unsigned e = 0; e < EngineCount; ++e) {
        if (!bit(engines_, e)) continue;
        const auto event = [e](isa::Notification kind, Origin origin) {
            return Event{kind, {isa::Error::None, static_cast<std::uint8_t>(e), origin, 0}};
        };
        if (events.end[e] && wanted(isa::Notification::End))
            result[e][0] = event(isa::Notification::End, *events.end[e]);
        if (events.begin[e] && wanted(isa::Notification::Begin))
            result[e][1] = event(isa::Notification::Begin, *events.begin[e]);
    }
    if (events.fault && wanted(isa::Notification::Error))
        result[EngineCount][0] = Event{isa::Notification::Error, *events.fault};
    if (events.nan && wanted(isa::Notification::Numeric))
        result[EngineCount][1] = Event{isa::Notification::Numeric, *events.nan};
    return result;
}

std::array<bool, 2> NotificationQueue::taken(unsigned source, const Pushes& pushes) const {
    const std::size_t held = fifos_[source].events.size(),
                      most = figure(source < EngineCount ? Figure::EngineEvents : Figure::CoreEvents);
    const bool first = pushes[source][0] && held < most;
    return {first, pushes[source][1] && held + (first ? 1 : 0) < most};
}

std::optional<CoreFault> NotificationQueue::overflow(const Events& events) const {
    if (!stops_) return std::nullopt;
    const Pushes all = pushes(events);
    for (unsigned s = 0; s < Sources; ++s) {
        const std::array<bool, 2> takes = taken(s, all);
        for (unsigned k = 0; k < 2; ++k) {
            if (!all[s][k] || takes[k]) continue;
            const CoreFault& what = all[s][k]->what;
            return CoreFault{isa::Error::NotificationOverflow, what.engine, what.origin, 0};
        }
    }
    return std::nullopt;
}

bool NotificationQueue::asks() const {
    return waiting() != 0 && written_ - read_ < size_ && outstanding_ < figure(Figure::RecordsUnderWay);
}

BusWrite NotificationQueue::write() const {
    const Event& event = fifos_[std::countr_zero(arbiter_.grant(waiting()))].events.front();
    const std::uint32_t index = written_ & (size_ - 1);
    BusWrite write{NotificationId, RecordSize, base_ + std::uint64_t{index} * record::Bytes, {}};
    put(write, record::Opcode, event.what.origin.opcode);
    put(write, record::Engine, event.what.engine);
    put(write, record::Kind, static_cast<std::uint64_t>(event.kind));
    put(write, record::Phase, (written_ & size_) == 0 ? 1 : 0);
    put(write, record::Lost, event.lost ? 1 : 0);
    put(write, record::Code, static_cast<std::uint64_t>(event.what.code));
    put(write, record::Pc, event.what.origin.pc);
    put(write, record::Timestamp, event.at);
    write.data[record::Timestamp.offset / WordBits + 1] = static_cast<std::uint32_t>(event.at >> WordBits);
    return write;
}

void NotificationQueue::push(const Pushes& pushes, std::uint64_t timestamp) {
    for (unsigned s = 0; s < Sources; ++s) {
        Fifo& fifo = fifos_[s];
        bool dropped = false, lost = fifo.lost;
        const std::array<bool, 2> takes = taken(s, pushes);
        for (unsigned k = 0; k < 2; ++k) {
            if (!pushes[s][k]) continue;
            if (!takes[k]) {
                dropped = true;
                ++dropped_;
                continue;
            }
            Event& event = fifo.events.emplace_back(*pushes[s][k]);
            event.at = timestamp;
            event.lost = std::exchange(lost, false);
        }
        fifo.lost = dropped || lost;
        overflow_ = overflow_ || dropped;
    }
}

void NotificationQueue::edge(const Events& events, const In& in) {
    const std::uint32_t waited = waiting();
    if (!is_off()) push(pushes(events), in.timestamp);
    if (in.taken) {
        const std::uint32_t granted = arbiter_.grant(waited);
        arbiter_.advance(granted);
        fifos_[std::countr_zero(granted)].events.pop_front();
        ++written_;
    }
    outstanding_ += (in.taken ? 1U : 0U) - (in.response ? 1U : 0U);
    failed_ = failed_ || in.error;
    if (in.access) set(*in.access);
}

}  // namespace trnsim::tlm::core_fast
