// One AXI4 subordinate port to the core window (rtl/bus/axi_port.sv). Beats for memories wait in it for their
// slice; events, semaphores and registers take single beats with one word, over the system port.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/core/core_model.hpp"
#include "model/core/fast/window_target.hpp"

namespace trnsim::tlm::core_fast {

// An access to a word of events, semaphores or registers.
struct SystemAccess {
    bool write = false;
    std::uint32_t address = 0, data = 0;
};
// The answer, in the cycle after the access was taken.
struct SystemAnswer {
    std::uint32_t data = 0;
    bool failed = false;
};

class WindowPort {
  public:
    WindowPort(const WindowMap& map, std::uint32_t beat_bytes) : map_(&map), beat_bytes_(beat_bytes) {}

    // Return its requests; reads depend on `r_ready` of this cycle. Addresses are those of beats.
    std::optional<std::uint32_t> write_request() const {
        return beat_ ? std::optional(beat_address_) : std::nullopt;
    }
    std::optional<std::uint32_t> read_request(bool r_ready) const;
    std::optional<SystemAccess> system_request() const;
    bool busy() const { return write_ != Write::Idle || read_ != Read::Idle || read_full_; }

    // The beat of write_request() with a strobe for each byte; or the data of a granted read.
    struct Beat {
        std::array<std::uint32_t, MaxAxiWords> data;
        std::array<std::uint32_t, MaxAxiWords / 8> strobe;
    };
    const Beat& beat() const { return write_beat_; }
    std::array<std::uint32_t, MaxAxiWords>& read_data() { return read_data_; }

    struct Grants {
        bool write = false, read = false;
        bool system = false;  // the word of system_request() was taken
    };
    void edge(const AxiSubordinateIn& in, const Grants& grants, const SystemAnswer& answer);
    // Drives the outputs, with the grant of the waiting beat.
    void drive(AxiSubordinateOut& out, bool write_granted) const;

    // Used by the sequencers' own accesses.
    bool aw_ready() const { return write_ == Write::Idle; }
    bool ar_ready() const { return read_ == Read::Idle; }
    bool w_ready(bool write_granted) const { return write_ == Write::Data && (!beat_ || write_granted); }
    bool b_valid() const { return write_ == Write::Response; }
    bool write_failed() const { return write_failed_; }
    bool r_valid() const { return read_full_; }
    bool read_failed() const { return read_failed_; }
    std::uint32_t read_word(std::uint32_t address) const {
        return read_system_ ? read_word_ : read_data_[address % beat_bytes_ / WordBytes];
    }

  private:
    static constexpr std::uint32_t WordBytes = 4;
    enum class Write : std::uint8_t { Idle, Data, Drain, System, Response };
    enum class Read : std::uint8_t { Idle, Memory, System, SystemData };

    bool wants_beat(bool r_ready) const {
        return read_ == Read::Memory && requesting_ && (!read_full_ || r_ready);
    }
    void edge_write(const AxiSubordinateIn& in, const Grants& grants, const SystemAnswer& answer);
    void edge_read(const AxiSubordinateIn& in, const Grants& grants, const SystemAnswer& answer);
    void take_beat(const AxiSubordinateIn& in);
    std::uint32_t next_beat(std::uint32_t address) const { return (address / beat_bytes_ + 1) * beat_bytes_; }

    const WindowMap* map_;
    std::uint32_t beat_bytes_;

    Write write_ = Write::Idle;
    std::uint32_t write_address_ = 0;
    bool write_failed_ = false;
    bool beat_ = false;  // a beat waits for the memory
    std::uint32_t beat_address_ = 0;
    Beat write_beat_{};
    bool whole_word_ = false, pending_ = false;  // for a system word: all bytes written; not taken yet
    std::uint32_t system_data_ = 0;

    Read read_ = Read::Idle;
    std::uint32_t read_address_ = 0, beats_left_ = 0;
    bool requesting_ = false;  // the beat at read_address_ is still to be requested
    bool read_full_ = false, read_last_ = false, read_failed_ = false, read_system_ = false;
    std::uint32_t read_word_ = 0;
    std::array<std::uint32_t, MaxAxiWords> read_data_{};
};

}  // namespace trnsim::tlm::core_fast
