// GDB's remote target for the GpSimd cores of a NeuronCore: core k is thread k + 1, and when one stops all
// do.
//
// The packets and their meanings: "Remote Protocol" in the manual of GDB.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/core/gpsimd_debug.hpp"
#include "tools/gdb/connection.hpp"

namespace trnsim::gdb {

class Server : public tlm::GpsimdDebugger {
  public:
    // Serves the cores of a NeuronCore with this many partitions. Throws std::runtime_error when it cannot
    // listen on the port; 0 means any free one. If `ended` returns true while the cores are stopped, the
    // debugger counts as gone.
    Server(std::uint16_t port, std::uint32_t partitions, std::function<bool()> ended = {})
        : connection_(port, std::move(ended)), partitions_(partitions) {}

    std::uint16_t port() const { return connection_.port(); }
    void accept() { connection_.accept(); }
    // Reports that the run and with it the debugged program has ended with this status.
    void finish(std::uint8_t status);

    bool asks_to_stop() override { return connection_.open() && connection_.interrupted(); }
    bool breaks(unsigned, std::uint32_t pc) const override { return breakpoints_.contains(pc); }
    bool watches() const override { return !watchpoints_.empty(); }
    bool watches(const tlm::GpsimdCycle& cycle) const override { return !watched(cycle).empty(); }
    // Throws std::runtime_error when the debugger ends the run.
    Resume stopped(tlm::GpsimdDebugPort& port, const tlm::GpsimdStop& stop) override;

  private:
    enum class Access : std::uint8_t { Write = 2, Read, Any };  // numbers of packets Z and z
    struct Watchpoint {
        Access access;
        std::uint32_t address, bytes;
        bool operator==(const Watchpoint&) const = default;
    };
    using Reply = std::optional<std::string>;  // nothing: no answer now
    struct Packet;

    void forget();
    unsigned core() const { return thread_ - 1; }
    // Returns the text of an answer for the watchpoint that an access hits, empty if it hits none.
    std::string watched(const tlm::GpsimdCycle& cycle) const;
    std::string describe(const tlm::GpsimdStop& stop);
    Reply reply(std::string_view packet);

    // Packets by their effect; `rest` is the text after the packet's name.
    Reply acknowledge_no_more(std::string_view rest);
    Reply say_why(std::string_view rest);
    Reply choose_thread(std::string_view rest);
    Reply has_thread(std::string_view rest);
    Reply list_threads(std::string_view rest);
    Reply describe_thread(std::string_view rest);
    Reply read_registers(std::string_view rest);
    Reply write_registers(std::string_view rest);
    Reply read_register(std::string_view rest);
    Reply write_register(std::string_view rest);
    Reply read_memory(std::string_view rest);
    Reply write_memory(std::string_view rest);
    Reply write_binary(std::string_view rest);
    Reply insert_point(std::string_view rest);
    Reply remove_point(std::string_view rest);
    Reply resume(std::string_view rest);
    Reply resume_all(std::string_view rest);
    Reply step_one(std::string_view rest);
    Reply detach(std::string_view rest);
    Reply kill(std::string_view rest);
    Reply describe_target(std::string_view rest);
    Reply describe_memory(std::string_view rest);

    std::string write(std::uint32_t address, std::span<const std::uint8_t> data);
    template <typename Change>
    Reply change_point(std::string_view text, Change change);

    Connection connection_;
    std::uint32_t partitions_;
    std::multiset<std::uint32_t> breakpoints_;
    std::vector<Watchpoint> watchpoints_;
    unsigned thread_ = 1;  // thread that packets are about
    std::string why_;      // reason of the last stop
    // Valid while the cores are stopped:
    tlm::GpsimdDebugPort* port_ = nullptr;
    std::optional<Resume> resume_;
};

}  // namespace trnsim::gdb
