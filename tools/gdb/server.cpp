#include "tools/gdb/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "firmware/include/trnsim/slice.hpp"
#include "tools/gdb/address_space.hpp"
#include "tools/gdb/hex.hpp"
#include "tools/gdb/registers.hpp"

namespace trnsim::gdb {
namespace {

using tlm::GpsimdReason;
using tlm::GpsimdResume;

// Signal numbers of the protocol.
constexpr int SigInt = 2, SigIll = 4, SigTrap = 5, SigSegv = 11;
constexpr const char *Ok = "OK", *BadRequest = "E16", *NoAccess = "E0e", *Unsupported = "";
constexpr std::uint32_t LongestRead = 0x1ff0;  // bytes that fit into a packet of the size in qSupported

constexpr std::uint32_t Mcause = 0x342;

// Returns the error for a refused write to a register. GDB shows the text after "E.".
std::string refusal_of(const tlm::GpsimdDebugPort& port, unsigned core, unsigned number) {
    if (number != PcRegister) return NoAccess;
    switch (port.state(core)) {
        case tlm::GpsimdState::Halted:
            return fmt::format("E.core {} is halted: the engine gives it a pc when it starts it", core);
        case tlm::GpsimdState::Sleeping:
            return fmt::format("E.core {} sleeps in wfi: only a core that is stopped takes a pc", core);
        default:
            return "E.pc is not a multiple of 4";
    }
}

// Returns the signal for the mcause of an exception.
int signal_of(std::uint32_t cause) {
    constexpr std::uint32_t IllegalInstruction = 2, Breakpoint = 3, EnvironmentCall = 11;
    switch (cause) {
        case IllegalInstruction:
            return SigIll;
        case Breakpoint:
        case EnvironmentCall:
            return SigTrap;
        default:
            return SigSegv;
    }
}

// The addresses of an access: those of the 64 bytes from `base` that have their bit set.
struct Bytes {
    std::uint32_t base = 0;
    std::uint64_t set = 0;
};

Bytes bytes_of(const tlm::GpsimdCycle& cycle) {
    constexpr std::uint32_t LineBytes = 64;
    const tlm::GpsimdAccess& access = *cycle.access;
    const std::uint32_t place = access.address % LineBytes;
    if (access.strobe != 0 || access.bytes != 0) return {access.address - place, access.strobe};
    const unsigned size = 1U << (cycle.insn >> 12 & 3);  // funct3 of a scalar load
    return {access.address - place, ((std::uint64_t{1} << size) - 1) << place};
}

// Returns the first byte of the access in [address, address + bytes), nothing if there is none.
std::optional<std::uint32_t> first_within(const Bytes& access, std::uint32_t address, std::uint32_t bytes) {
    for (std::uint64_t left = access.set; left != 0; left &= left - 1) {
        const std::uint32_t byte = access.base + static_cast<std::uint32_t>(std::countr_zero(left));
        if (byte - address < bytes) return byte;
    }
    return std::nullopt;
}

// Returns a part of a text for a qXfer packet, which asks for it by "OFFSET,LENGTH".
std::string part_of(std::string_view text, std::string_view range) {
    std::uint32_t offset = 0, length = 0;
    if (!take_number(range, offset, ',') || !take_number(range, length) || offset > text.size())
        return BadRequest;
    const bool last = length >= text.size() - offset;
    return (last ? "l" : "m") + escape(text.substr(offset, length));
}

}  // namespace

struct Server::Packet {
    std::string_view name;  // beginning of the packet
    Reply (Server::*answer)(std::string_view rest);
    std::string_view fixed{};  // answer, in place of a function
};

Server::Reply Server::reply(std::string_view packet) {
    // Longer names come first.
    static constexpr std::array Packets{
        Packet{"qSupported", nullptr,
               "PacketSize=4000;QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;qXfer:features:read+;"
               "qXfer:memory-map:read+"},
        Packet{"QStartNoAckMode", &Server::acknowledge_no_more},
        Packet{"qXfer:features:read:target.xml:", &Server::describe_target},
        Packet{"qXfer:memory-map:read::", &Server::describe_memory},
        Packet{"qfThreadInfo", &Server::list_threads},
        Packet{"qsThreadInfo", nullptr, "l"},
        Packet{"qThreadExtraInfo,", &Server::describe_thread},
        Packet{"qAttached", nullptr, "1"},
        Packet{"qSymbol", nullptr, Ok},
        Packet{"vCont?", nullptr, "vCont;c;C;s;S"},
        Packet{"vCont;", &Server::resume},
        Packet{"vKill", &Server::kill},
        Packet{"?", &Server::say_why},
        Packet{"H", &Server::choose_thread},
        Packet{"T", &Server::has_thread},
        Packet{"g", &Server::read_registers},
        Packet{"G", &Server::write_registers},
        Packet{"p", &Server::read_register},
        Packet{"P", &Server::write_register},
        Packet{"m", &Server::read_memory},
        Packet{"M", &Server::write_memory},
        Packet{"X", &Server::write_binary},
        Packet{"Z", &Server::insert_point},
        Packet{"z", &Server::remove_point},
        Packet{"c", &Server::resume_all},
        Packet{"s", &Server::step_one},
        Packet{"D", &Server::detach},
        Packet{"k", &Server::kill},
    };
    const auto row = std::ranges::find_if(
        Packets, [packet](const Packet& known) { return packet.starts_with(known.name); });
    if (row == Packets.end()) return Unsupported;
    if (row->answer == nullptr) return std::string(row->fixed);
    packet.remove_prefix(row->name.size());
    return (this->*row->answer)(packet);
}

Server::Resume Server::stopped(tlm::GpsimdDebugPort& port, const tlm::GpsimdStop& stop) {
    port_ = &port;
    resume_.reset();
    const bool first = why_.empty();
    if (stop.reason != GpsimdReason::Asked) thread_ = stop.core + 1;
    why_ = describe(stop);
    if (!first) connection_.send(why_);  // the debugger asks for the first one
    while (!resume_) {
        const auto packet = connection_.receive();
        if (!packet) {
            forget();
            break;
        }
        if (const Reply answer = reply(*packet)) connection_.send(*answer);
    }
    return resume_.value_or(Resume{});
}

void Server::forget() {
    breakpoints_.clear();
    watchpoints_.clear();
    resume_ = Resume{};
}

void Server::finish(std::uint8_t status) {
    connection_.send(fmt::format("W{:02x}", status));
    connection_.close();
}

std::string Server::describe(const tlm::GpsimdStop& stop) {
    constexpr auto ThreadOf = "T{:02x}thread:{:x};{}";
    const bool asked = stop.reason == GpsimdReason::Asked;
    int signal = asked && !why_.empty() ? SigInt : SigTrap;
    std::string detail;
    if (stop.reason == GpsimdReason::Trap) signal = signal_of(port_->view(stop.core).csr(Mcause).value_or(0));
    if (stop.reason == GpsimdReason::Breakpoint) detail = "swbreak:;";
    if (stop.reason == GpsimdReason::Access) detail = watched(stop.cycle);
    return fmt::format(ThreadOf, signal, thread_, detail);
}

std::string Server::watched(const tlm::GpsimdCycle& cycle) const {
    const Bytes bytes = bytes_of(cycle);
    for (const Watchpoint& point : watchpoints_) {
        if (point.access == (cycle.access->store ? Access::Read : Access::Write)) continue;
        constexpr std::array Names{"watch", "rwatch", "awatch"};
        const auto place = first_within(bytes, point.address, point.bytes);
        const auto name = static_cast<std::size_t>(point.access) - static_cast<std::size_t>(Access::Write);
        if (place) return fmt::format("{}:{:x};", Names.at(name), *place);
    }
    return {};
}

Server::Reply Server::acknowledge_no_more(std::string_view) {
    connection_.send(Ok);  // acknowledged like other packets
    connection_.stop_acknowledging();
    return std::nullopt;
}

Server::Reply Server::say_why(std::string_view) {
    return why_;
}

// Parses "gTHREAD" or "cTHREAD"; the latter is for packets that vCont has replaced.
Server::Reply Server::choose_thread(std::string_view rest) {
    if (rest.empty()) return BadRequest;
    std::string_view text = rest.substr(1);
    std::uint32_t thread = 0;
    if (text != "-1" && (!take_number(text, thread) || thread > port_->cores())) return BadRequest;
    if (thread != 0) thread_ = thread;
    return Ok;
}

Server::Reply Server::has_thread(std::string_view rest) {
    std::uint32_t thread = 0;
    return take_number(rest, thread) && thread >= 1 && thread <= port_->cores() ? Ok : BadRequest;
}

Server::Reply Server::list_threads(std::string_view) {
    std::string text = "m1";
    for (unsigned thread = 2; thread <= port_->cores(); ++thread) text += fmt::format(",{:x}", thread);
    return text;
}

Server::Reply Server::describe_thread(std::string_view rest) {
    std::uint32_t thread = 0;
    if (!take_number(rest, thread) || thread == 0 || thread > port_->cores()) return BadRequest;
    constexpr std::array States{"halted", "stopped", "sleeps"};
    const auto state = static_cast<std::size_t>(port_->state(thread - 1));
    const std::string text = fmt::format("core {}, {}", thread - 1, States.at(state));
    return to_hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Server::Reply Server::read_registers(std::string_view) {
    std::string text;
    for (unsigned number = 0; number < GeneralRegisters; ++number)
        text += to_hex(*gdb::read_register(*port_, core(), number));
    return text;
}

Server::Reply Server::write_registers(std::string_view rest) {
    constexpr std::size_t WordBytes = 4;
    const auto bytes = from_hex(rest);
    if (!bytes || bytes->size() != GeneralRegisters * WordBytes) return BadRequest;
    std::string refused;
    for (unsigned number = 0; number < GeneralRegisters; ++number) {
        const auto word = std::span(*bytes).subspan(number * WordBytes, WordBytes);
        if (!gdb::write_register(*port_, core(), number, word)) refused = refusal_of(*port_, core(), number);
    }
    return refused.empty() ? Ok : refused;
}

Server::Reply Server::read_register(std::string_view rest) {
    std::uint32_t number = 0;
    if (!take_number(rest, number)) return BadRequest;
    const auto bytes = gdb::read_register(*port_, core(), number);
    return bytes ? to_hex(*bytes) : NoAccess;
}

Server::Reply Server::write_register(std::string_view rest) {
    std::uint32_t number = 0;
    if (!take_number(rest, number, '=')) return BadRequest;
    const auto bytes = from_hex(rest);
    if (!bytes) return BadRequest;
    if (gdb::write_register(*port_, core(), number, *bytes)) return Ok;
    return refusal_of(*port_, core(), number);
}

// Reads up to the end of the memory.
Server::Reply Server::read_memory(std::string_view rest) {
    std::uint32_t address = 0, length = 0;
    if (!take_number(rest, address, ',') || !take_number(rest, length)) return BadRequest;
    std::vector<std::uint8_t> data(std::min(length, LongestRead));
    std::size_t have = 0;
    while (have < data.size()) {
        const auto piece = piece_at(core(), address + static_cast<std::uint32_t>(have),
                                    static_cast<std::uint32_t>(data.size() - have), partitions_);
        if (!piece || !port_->read(piece->offset, std::span(data).subspan(have, piece->bytes))) break;
        have += piece->bytes;
    }
    if (have == 0 && length != 0) return NoAccess;
    return to_hex(std::span(data).first(have));
}

std::string Server::write(std::uint32_t address, std::span<const std::uint8_t> data) {
    // Writes all of it or nothing.
    std::vector<std::pair<Piece, std::span<const std::uint8_t>>> pieces;
    std::vector<std::uint8_t> old;
    while (!data.empty()) {
        const auto piece = piece_at(core(), address, static_cast<std::uint32_t>(data.size()), partitions_);
        if (!piece) return NoAccess;
        old.resize(piece->bytes);
        if (!port_->read(piece->offset, old)) return NoAccess;
        pieces.emplace_back(*piece, data.first(piece->bytes));
        data = data.subspan(piece->bytes);
        address += piece->bytes;
    }
    for (const auto& [piece, bytes] : pieces) port_->write(piece.offset, bytes);
    return Ok;
}

Server::Reply Server::write_memory(std::string_view rest) {
    std::uint32_t address = 0, length = 0;
    if (!take_number(rest, address, ',') || !take_number(rest, length, ':')) return BadRequest;
    const auto bytes = from_hex(rest);
    return bytes && bytes->size() == length ? write(address, *bytes) : BadRequest;
}

Server::Reply Server::write_binary(std::string_view rest) {
    std::uint32_t address = 0, length = 0;
    if (!take_number(rest, address, ',') || !take_number(rest, length, ':')) return BadRequest;
    const std::string data = unescape(rest);
    if (data.size() != length) return BadRequest;
    return write(address, {reinterpret_cast<const std::uint8_t*>(data.data()), data.size()});
}

// Parses "TYPE,ADDRESS,LENGTH". Breakpoints of both types compare the address of an instruction; the memory
// is not changed.
template <typename Change>
Server::Reply Server::change_point(std::string_view text, Change change) {
    constexpr std::uint32_t LastBreakpoint = 1;
    std::uint32_t type = 0, address = 0, length = 0;
    if (!take_number(text, type, ',') || !take_number(text, address, ',') || !take_number(text, length))
        return BadRequest;
    if (type > static_cast<std::uint32_t>(Access::Any)) return Unsupported;
    if (type <= LastBreakpoint) {
        change(breakpoints_, address);
    } else {
        change(watchpoints_, Watchpoint{static_cast<Access>(type), address, length});
    }
    return Ok;
}

Server::Reply Server::insert_point(std::string_view rest) {
    return change_point(rest, [](auto& points, const auto& point) { points.insert(points.end(), point); });
}

Server::Reply Server::remove_point(std::string_view rest) {
    return change_point(rest, [](auto& points, const auto& point) {
        const auto found = std::ranges::find(points, point);
        if (found != points.end()) points.erase(found);
    });
}

// Parses "ACTION[:THREAD];..." with actions c, s, Csignal and Ssignal: each core does the first one that is
// for it, and stays stopped without one.
Server::Reply Server::resume(std::string_view rest) {
    if (rest.empty()) return BadRequest;
    Resume all;
    all.fill(GpsimdResume::Stay);
    std::set<unsigned> given;
    while (!rest.empty()) {
        std::string_view action = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(rest.size(), action.size() + 1));
        const char kind = action.empty() ? '\0' : action.front();
        action.remove_prefix(std::min<std::size_t>(action.size(), 1));
        std::uint32_t signal = 0, thread = 0;  // a core ignores the signal
        if (kind != 'c' && kind != 's' && !((kind == 'C' || kind == 'S') && take_number(action, signal)))
            return BadRequest;
        const bool every = action.empty() || action == ":-1";
        if (!every) {
            if (!action.starts_with(':')) return BadRequest;
            action.remove_prefix(1);
            if (!take_number(action, thread) || !action.empty() || thread > port_->cores()) return BadRequest;
            if (thread == 0) thread = thread_;  // any thread
        }
        const GpsimdResume how = kind == 's' || kind == 'S' ? GpsimdResume::Step : GpsimdResume::Run;
        for (unsigned k = 0; k < port_->cores(); ++k) {
            if ((every || k + 1 == thread) && given.insert(k).second) all.at(k) = how;
        }
    }
    resume_ = all;
    return std::nullopt;
}

Server::Reply Server::resume_all(std::string_view rest) {
    return rest.empty() ? resume("c") : Unsupported;
}

Server::Reply Server::step_one(std::string_view rest) {
    return rest.empty() ? resume(fmt::format("s:{:x};c", thread_)) : Unsupported;
}

Server::Reply Server::detach(std::string_view) {
    connection_.send(Ok);
    connection_.close();
    forget();
    return std::nullopt;
}

Server::Reply Server::kill(std::string_view rest) {
    if (!rest.empty()) connection_.send(Ok);  // vKill
    connection_.close();
    throw std::runtime_error("the debugger has ended the run");
}

Server::Reply Server::describe_target(std::string_view rest) {
    return part_of(target_description(*port_), rest);
}

Server::Reply Server::describe_memory(std::string_view rest) {
    const std::string text = fmt::format(
        R"(<?xml version="1.0"?>
<!DOCTYPE memory-map PUBLIC "+//IDN gnu.org//DTD GDB Memory Map V1.0//EN" "http://sourceware.org/gdb/gdb-memory-map.dtd">
<memory-map>
<memory type="ram" start="{:#x}" length="{:#x}"/>
<memory type="ram" start="{:#x}" length="{:#x}"/>
</memory-map>
)",
        TRNSIM_TCM_BASE, TRNSIM_TCM_BYTES, TRNSIM_SLICE_BASE,
        firmware::Partitions * firmware::PartitionBytes);
    return part_of(text, rest);
}

}  // namespace trnsim::gdb
