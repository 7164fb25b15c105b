// One DMA engine: 16 rings that take turns packet by packet, reads and writes overlapped.
//
// Reading: the m2s descriptors of the packet at work are cut into bursts that do not cross a multiple of the
// burst size and are sent as fast as the wire allows while earlier ones are still under way. Writing: their
// bytes, in order, fill the s2m descriptors in the same way. Several packets may be under way: reading goes
// on to the next one while the last is still being written.
//
// Consecutive bursts go as one access, a train, that holds the wire for as long as all of them. The first and
// the last burst of a packet go alone: so it begins and ends as it would without trains.
//
// The reads of a packet of elements go through the element unit, and its results are written instead. A
// packet with indices reads these first, then the rows that they name. A packet that transposes writes the
// bytes of its matrix by columns.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "model/dma/descriptor_queue.hpp"
#include "model/dma/element_unit.hpp"
#include "model/dma/indices.hpp"
#include "model/dma/statistics.hpp"
#include "model/dma/timing.hpp"
#include "model/dma/transpose.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/alarm.hpp"
#include "model/protocol/initiator_port.hpp"
#include "model/protocol/ring_queue.hpp"
#include "model/protocol/timed_queue.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::tlm::dma {

// The reason why an engine stopped.
struct EngineError {
    ErrorCode code = ErrorCode::None;
    std::uint32_t ring = 0, descriptor = 0;  // ring and index in it
    std::uint64_t address = 0;               // address at fault, 0 if none applies
    std::string message;                     // one line with all of this
};

class Engine : public sc_core::sc_module {
  public:
    using OnError = std::function<void(const EngineError&)>;

    // `number`: the engine's number on its chip; `core`: the core of the engine. `sink` may be null.
    Engine(const sc_core::sc_module_name& name, unsigned number, unsigned rings, const EngineTiming& timing,
           trace::Sink* sink, OnError on_error, perturb::Seed seed = {}, addresses::CoreId core = {});

    protocol::InitiatorPort port;

    // Access a register now. Return false if there is no such register, or not for this direction.
    bool write(unsigned ring, RingRegister reg, std::uint32_t value);
    bool read(unsigned ring, RingRegister reg, std::uint32_t& value) const;
    bool write(EngineRegister reg, std::uint32_t value);
    bool read(EngineRegister reg, std::uint32_t& value) const;

    bool idle() const;

    // Begins nothing more; accesses under way are answered.
    void stop() { stopped_ = true; }
    bool quiet() const;  // every access has been answered
    // Puts a quiet engine back into its first state, except for its counts: no ring is set up and there is no
    // work.
    void reset();

    // Save and load an engine that is idle and quiet. Throw checkpoint::Error for a state with another number
    // of rings, or for a place outside one.
    checkpoint::DmaEngineState save() const;
    void load(const checkpoint::DmaEngineState& state);

    const EngineError& error() const { return error_; }
    const DmaStatistics& statistics() const { return statistics_; }
    std::uint64_t progress() const { return progress_; }  // accesses answered so far
    std::string state() const;                            // the reason why it waits, one line

  private:
    struct Grant {  // descriptors that may be executed from `at`
        Time at;
        std::uint32_t m2s, s2m;
    };
    struct Ring {
        DescriptorQueue m2s, s2m;
        std::deque<Grant> grants;
        std::uint32_t m2s_ready = 0, s2m_ready = 0;
        std::uint32_t packets = 0;  // packets under way
    };
    struct Packet {
        unsigned ring = 0;
        std::uint64_t bytes = 0;
        std::uint32_t descriptors = 0;
        std::uint64_t source = 0, destination = 0;  // addresses of its first descriptors
        bool begun = false;                         // something has been read
        bool computes = false;                      // packet of elements, or one that transposes
        Indices indices{};
        Transposition transposition{};
        unsigned writes = 0;   // bursts under way
        bool written = false;  // nothing left to write
        Time start = 0;        // time of the first write
    };
    // A read; slots are in the order of the bytes. The transaction holds the bytes once they have arrived.
    struct Slot {
        std::uint32_t length = 0, used = 0;
        bool barrier = false;  // wait for earlier writes
        bool last = false;     // ends the packet
        bool hole = false;     // a row that is left out: nothing is read or written
        protocol::Transaction* data = nullptr;
        std::uint32_t index = 0;  // index of its descriptor
        ElementUnit::Source source{};
    };
    // A descriptor being cut into accesses.
    struct Cursor {
        bool active = false;
        Descriptor descriptor;
        std::uint32_t index = 0, offset = 0;
        Time start = 0;
        bool dropped = false;  // a row that is left out: its bytes are not written
        std::uint32_t left() const { return descriptor.length - offset; }
        std::uint64_t address() const { return descriptor.address + offset; }
    };
    // The state of a packet of elements while its descriptors are taken.
    struct ReadElements {
        ReadMeta meta;  // meta word of the last source descriptor
        float scale = 1;
        std::uint64_t first_element = 0;
        bool sources = false;  // there was a source
        bool barrier = false;  // barrier of a constant, for the next source
    };
    // Results of the packet being written.
    struct Results {
        std::vector<std::uint8_t> bytes;
        bool begun = false, ended = false;
        WriteMeta meta{};
    };
    enum Kind : std::uint64_t { ReadAccess, WriteAccess, FetchM2s, FetchS2m, IndexAccess };

    // Tag of a transaction: kind, ring and a sequence number.
    static constexpr std::uint64_t KindMask = 7, RingMask = 0x1f;
    static constexpr unsigned RingBit = 3, SequenceBit = 8;
    static constexpr std::uint64_t make_tag(Kind kind, unsigned ring, std::uint64_t sequence) {
        return kind | std::uint64_t{ring} << RingBit | sequence << SequenceBit;
    }

    // The delays of a perturbed engine.
    struct Perturbed {
        perturb::Delay start, read, write;             // doorbell to start, gaps between accesses
        perturb::Delay read_response, write_response;  // arrival of responses
        perturb::Delay fetch;                          // arrival of descriptors
        perturb::Choice train;                         // length of trains
    };

    // engine.cpp
    void take_response(protocol::Transaction& transaction, Time at);
    void work();
    void ring_doorbell(unsigned ring, std::uint32_t m2s, std::uint32_t s2m);
    Time start_of(Time doorbell, Time usual);
    void take_grants();
    void take_arrivals();
    void arrive(protocol::Transaction& transaction);
    void fetch();
    void fetch(unsigned ring, DescriptorQueue& queue, Kind kind);
    void finish_packets();
    void schedule();
    bool halted() const { return stopped_ || error_.code != ErrorCode::None; }
    void fail(ErrorCode code, unsigned ring, std::uint32_t descriptor, std::uint64_t address,
              const std::string& what);
    bool write_setup(Ring& ring, unsigned number, RingRegister reg, std::uint32_t value);
    // transfer.cpp
    bool read_step();
    bool start_packet();
    bool start_read_descriptor();
    bool write_step();
    bool start_write_descriptor();
    void send_write(std::uint32_t length);
    void drop(std::uint32_t length);
    bool take_read_bytes(std::uint32_t length, std::uint8_t* to);
    void end_write(bool last);
    // indexed.cpp
    bool take_index(const Descriptor& descriptor, std::uint32_t index);
    bool rows_may_be_read();
    bool take_row(const Packet& packet, Cursor& cursor);
    void leave_out_read();
    // compute.cpp
    bool take_read_meta(const Descriptor& descriptor, std::uint32_t index);
    bool take_write_meta(const Descriptor& descriptor, std::uint32_t index);
    bool compute_step();
    void release_slot();
    bool write_results_step();
    bool take_results(std::span<std::uint8_t> to);
    // transpose.cpp
    bool take_transposed(const Descriptor& descriptor, std::uint32_t index);
    void transpose_step(Packet& packet, const Slot& slot);
    bool writing_elements() const {
        return computing_ != 0 && writing_ - first_packet_ < packets_.size() &&
               packets_[writing_ - first_packet_].computes;
    }
    std::uint32_t burst(const Cursor& cursor) const;
    std::uint32_t train(const Cursor& cursor, std::uint64_t room);
    std::uint32_t next_read();
    std::uint32_t without_last_burst(const Cursor& cursor, std::uint32_t length) const;
    std::uint32_t ending_write(std::uint32_t length);
    Time next_access(Cursor& cursor, std::uint32_t length) const;
    unsigned bursts_of(const protocol::Transaction& transaction) const {
        const std::uint64_t first = transaction.sent_to, last = first + transaction.get_data_length() - 1;
        return static_cast<unsigned>(last / timing_.burst - first / timing_.burst + 1);
    }
    std::uint64_t room_for_writes() const { return std::uint64_t{MaxWrites - writes_} * timing_.burst; }
    Time tail_of(const protocol::Transaction& write) const;

    unsigned number_;
    addresses::CoreId core_;
    EngineTiming timing_;
    trace::Sink* sink_;
    OnError on_error_;
    protocol::PayloadPool pool_;
    protocol::Alarm wake_{[this] { work(); }};
    std::vector<Ring> rings_;
    unsigned granted_ = 0;     // grants of all rings
    std::uint64_t ready_ = 0;  // m2s_ready of all rings
    bool fetch_due_ = false;   // descriptors were handed over or executed since the last look
    protocol::TimedQueue<protocol::Transaction*> arrivals_;

    Time time_ = 0;  // time of the current work

    protocol::RingQueue<Packet> packets_;  // under way, oldest first
    unsigned computing_ = 0;               // packets of elements among them
    std::uint64_t first_packet_ = 0;
    unsigned turn_ = 0;          // ring that is tried first for the next packet
    bool reading_ = false;       // the newest packet is still being read
    std::uint64_t writing_ = 0;  // number of the packet being written
    Cursor read_, write_;
    Time read_free_ = 0, write_free_ = 0;  // when the wire is free

    protocol::RingQueue<Slot> slots_;
    std::uint64_t first_slot_ = 0;
    std::uint64_t buffered_ = 0;                     // bytes of all slots not yet written
    unsigned reads_ = 0, writes_ = 0, fetches_ = 0;  // bursts, bursts, accesses under way
    ReadElements read_elements_;
    ElementUnit element_unit_;
    Results results_;
    RoundingControl rounding_;
    EngineError error_;
    bool stopped_ = false;
    DmaStatistics statistics_;
    std::uint64_t progress_ = 0;
    Time busy_since_ = 0;
    Perturbed perturbed_;
};

}  // namespace trnsim::tlm::dma
