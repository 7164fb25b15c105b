// The reader of the core's notification queue: it sets up the queue, takes the records out of its buffer
// during a run and writes them to a file, an instruction a line. docs/notifications.md describes queue and
// file.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <ostream>
#include <span>

#include "compiler/neff/package.hpp"
#include "runtime/loader/image.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

struct NotificationRecord {
    isa::Notification kind;
    std::uint32_t engine, code, opcode, pc;
    bool phase, lost;
    std::uint64_t cycle;
};

NotificationRecord decode_notification(std::span<const std::uint8_t, isa::notification_record::Bytes> bytes);

// Joins begin and end records and writes lines of comma-separated values.
class NotificationLog {
  public:
    explicit NotificationLog(std::ostream& out);

    // Throws tlm::SimulationError when the records of an engine are in no order that the engine can have.
    void add(const NotificationRecord& notification);
    // Writes the instructions that have not ended, as far as is known: events may have been dropped.
    void finish(bool dropped);

  private:
    void write(const char* kind, const NotificationRecord& at, std::uint64_t begin, bool has_begin,
               bool has_end, bool lost);

    std::ostream& out_;
    std::array<std::deque<NotificationRecord>, neff::EngineCount> begun_;
    std::array<std::uint64_t, neff::EngineCount> last_{};  // time of the last record
    std::array<bool, neff::EngineCount> gap_{};            // an end without a beginning may come
};

struct NotificationCounts {
    std::uint64_t records = 0, dropped = 0;
};

class NotificationReader {
  public:
    // Reads the queue of this core of the chip.
    NotificationReader(CoreAccess& machine, const loader::NotificationBuffer& buffer, NotificationLog& log,
                       unsigned core = 0)
        : machine_(machine), buffer_(buffer), log_(log), window_(addresses::core_window(core)) {}

    // Empties the buffer and tells the core.
    void set_up();
    // Switches the queue on, which must be set up.
    void start();
    // Takes the available records and tells the core.
    void drain();
    // Switches the queue off and takes the remaining records.
    void finish();
    NotificationCounts counts() const { return {read_, dropped_}; }

  private:
    bool take();

    CoreAccess& machine_;
    loader::NotificationBuffer buffer_;
    NotificationLog& log_;
    std::uint64_t window_;  // system address of the core's window
    std::uint64_t read_ = 0, dropped_ = 0;
};

}  // namespace trnsim::runtime
