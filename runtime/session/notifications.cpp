#include "runtime/session/notifications.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa/isa_tables.hpp"
#include "model/simulation/simulation.hpp"
#include "runtime/loader/segments.hpp"

namespace trnsim::runtime {
namespace {

namespace record = isa::notification_record;

constexpr std::uint32_t AllEngines = (1u << neff::EngineCount) - 1, AllKinds = 0xf;
constexpr std::uint32_t KindShift = 8;
constexpr std::uint32_t NothingWaits = 4;  // bit of the status register
constexpr std::uint64_t Block = 256;       // records read at a time
constexpr unsigned Patience = 1000;        // reads of the status of a queue that has to become empty

std::uint64_t bits(std::span<const std::uint8_t, record::Bytes> bytes, const isa::RecordField& field) {
    std::uint64_t value = 0;
    for (unsigned b = 0; b < field.width; ++b) {
        const unsigned at = field.offset + b;
        value |= std::uint64_t{bytes[at / 8] >> (at % 8) & 1u} << b;
    }
    return value;
}

std::string_view opcode_name(std::uint32_t opcode) {
    const isa::InstructionInfo* info = isa::find_instruction(static_cast<isa::Opcode>(opcode));
    return info == nullptr ? "illegal" : info->name;
}

[[noreturn]] void fail(const NotificationRecord& at, const char* what) {
    throw tlm::SimulationError(fmt::format("notification queue: {} pc {} at cycle {}: {}",
                                           name_of(static_cast<isa::Engine>(at.engine)), at.pc, at.cycle,
                                           what));
}

}  // namespace

NotificationRecord decode_notification(std::span<const std::uint8_t, record::Bytes> bytes) {
    const auto field = [&](const isa::RecordField& f) { return static_cast<std::uint32_t>(bits(bytes, f)); };
    return {static_cast<isa::Notification>(field(record::Kind)),
            field(record::Engine),
            field(record::Code),
            field(record::Opcode),
            field(record::Pc),
            field(record::Phase) != 0,
            field(record::Lost) != 0,
            bits(bytes, record::Timestamp)};
}

NotificationLog::NotificationLog(std::ostream& out) : out_(out) {
    out_ << "kind,engine,pc,opcode,begin,end,error,lost\n";
}

void NotificationLog::write(const char* kind, const NotificationRecord& at, std::uint64_t begin,
                            bool has_begin, bool has_end, bool lost) {
    const auto engine = at.engine < neff::EngineCount ? name_of(static_cast<isa::Engine>(at.engine)) : "bus";
    out_ << fmt::format("{},{},{},{},{},{},{},{}\n", kind, engine, at.pc,
                        at.opcode == 0 ? "" : opcode_name(at.opcode),
                        has_begin ? fmt::format("{}", begin) : "", has_end ? fmt::format("{}", at.cycle) : "",
                        at.kind == isa::Notification::Error ? isa::name_of(static_cast<isa::Error>(at.code))
                                                            : std::string_view(),
                        lost ? 1 : 0);
}

void NotificationLog::add(const NotificationRecord& at) {
    if (at.kind == isa::Notification::Error || at.kind == isa::Notification::Numeric) {
        write(at.kind == isa::Notification::Error ? "error" : "numeric", at, at.cycle, true, false, at.lost);
        return;
    }
    if (at.engine >= neff::EngineCount) fail(at, "there is no such engine");
    auto& begun = begun_[at.engine];
    if (at.cycle < last_[at.engine]) fail(at, "earlier than the record before it");
    last_[at.engine] = at.cycle;
    if (at.lost) gap_[at.engine] = true;
    if (at.kind == isa::Notification::Begin) {
        begun.push_back(at);
        return;
    }
    // A gap may have dropped ends of instructions that began, and beginnings of instructions that ended.
    const auto first =
        std::ranges::find_if(begun, [&](const NotificationRecord& b) { return b.pc == at.pc; });
    if (!gap_[at.engine] && (first == begun.end() || first != begun.begin()))
        fail(at, "ends, but is not the oldest that has begun");
    if (first == begun.end()) {
        write("instruction", at, 0, false, true, true);
        return;
    }
    for (auto b = begun.begin(); b != first; ++b) write("instruction", *b, b->cycle, true, false, true);
    if (first->opcode != at.opcode) fail(at, "ends as another instruction");
    write("instruction", at, first->cycle, true, true, at.lost);
    begun.erase(begun.begin(), first + 1);
}

void NotificationLog::finish(bool dropped) {
    for (auto& begun : begun_) {
        for (const NotificationRecord& b : begun)
            write("instruction", b, b.cycle, true, false, b.lost || dropped);
        begun.clear();
    }
    out_.flush();
}

void NotificationReader::set_up() {
    machine_.write(buffer_.address, std::vector<std::uint8_t>(buffer_.records * record::Bytes));
    const auto set = [this](std::uint32_t reg, std::uint64_t value) {
        machine_.write32(window_ + reg, static_cast<std::uint32_t>(value));
    };
    set(isa::csr::NotifyBaseLo, buffer_.address);
    set(isa::csr::NotifyBaseHi, buffer_.address >> 32);
    set(isa::csr::NotifySize, buffer_.records);
}

void NotificationReader::start() {
    machine_.write32(window_ + isa::csr::NotifyControl, AllEngines | AllKinds << KindShift);
}

// Returns whether there was anything to take.
bool NotificationReader::take() {
    const std::uint64_t before = read_;
    for (;;) {
        const std::uint64_t index = read_ % buffer_.records;
        const std::uint64_t count = std::min(Block, buffer_.records - index);
        std::vector<std::uint8_t> bytes(count * record::Bytes);
        machine_.read(buffer_.address + index * record::Bytes, bytes);
        for (std::uint64_t i = 0; i < count; ++i) {
            const NotificationRecord at = decode_notification(std::span<const std::uint8_t, record::Bytes>(
                bytes.data() + i * record::Bytes, record::Bytes));
            const bool here = at.phase == (read_ / buffer_.records % 2 == 0);
            if (!here) return read_ != before;
            log_.add(at);
            ++read_;
        }
    }
}

void NotificationReader::drain() {
    if (take()) machine_.write32(window_ + isa::csr::NotifyRead, static_cast<std::uint32_t>(read_));
}

void NotificationReader::finish() {
    machine_.write32(window_ + isa::csr::NotifyControl, 0);
    bool empty = false;
    for (unsigned i = 0; i < Patience && !empty; ++i) {
        empty = (machine_.read32(window_ + isa::csr::NotifyStatus) & NothingWaits) != 0;
        drain();
    }
    if (!empty) throw tlm::SimulationError("notification queue: it does not become empty");
    dropped_ = machine_.read32(window_ + isa::csr::NotifyDropped);
    log_.finish(dropped_ != 0);
}

}  // namespace trnsim::runtime
