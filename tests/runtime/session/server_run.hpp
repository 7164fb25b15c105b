// A run of kernels on a server, in its own process or in several, and everything that it leaves.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/checkpoint/archive.hpp"
#include "isa/core_window.hpp"
#include "model/processes/run.hpp"
#include "model/system/linked_server.hpp"
#include "runtime/session/session.hpp"
#include "testbench/parity/comparable.hpp"
#include "testbench/trial/ranks.hpp"

namespace trnsim::test {

struct ServerSubject {
    std::string name;
    config::Server server;                                       // with fast cores
    std::vector<std::shared_ptr<const neff::Package>> packages;  // [rank]
    std::vector<runtime::Arrays> inputs;                         // [rank]
    runtime::Rounding rounding;

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(packages.size()); }
};

using Pieces = std::map<std::string, std::vector<std::uint8_t>>;  // the data to compare, by name

struct ServerRun {
    std::string message;               // the reason of a failure, or the interpreter's complaint
    std::uint64_t begin = 0, end = 0;  // fs
    bool checkpoint = false;           // it has been reached
    Pieces pieces;
};

struct HowToRun {
    std::vector<config::SlotKinds> slots{};  // empty: the slots of the subject
    runtime::Checkpoints checkpoints{};
    bool switches = false;
    unsigned processes = 1;
    bool interpret = false;  // outputs are compared with the interpreter's
};

// Reads the bytes of memories and semaphores through the host's accesses.
inline void read_core(runtime::Session& session, std::uint32_t rank, Pieces& pieces) {
    const config::Core& core = session.server().chip.core;
    tlm::Server& server = session.linked_server().server();
    const addresses::CoreId id = session.core(rank);
    const std::uint64_t window = addresses::core_window(id.core);
    const auto partitions = static_cast<std::uint32_t>(core.partitions);
    const auto read = [&](const char* what, std::uint64_t first, std::uint64_t stride, std::uint64_t bytes) {
        std::vector<std::uint8_t>& all = pieces[fmt::format("rank {}: {}", rank, what)];
        all.resize(partitions * bytes);
        for (std::uint64_t p = 0; p < partitions; ++p)
            server.read(id.chip, window + first + p * stride, std::span(all).subspan(p * bytes, bytes));
    };
    read("SBUF", 0, isa::sbuf_partition_stride(partitions), core.sbuf_partition);
    read("PSUM", isa::window::PsumBase, isa::window::PsumPartitionStride, core.psum_partition);
    constexpr std::uint32_t Semaphores = 256;
    std::vector<std::uint8_t>& semaphores = pieces[fmt::format("rank {}: semaphores", rank)];
    for (std::uint32_t s = 0; s < Semaphores; ++s) {
        const std::uint32_t value = server.read32(id.chip, window + isa::window::SemRead + s * sizeof(value));
        semaphores.insert(semaphores.end(),
                          {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8)});
    }
}

template <typename State>
std::vector<std::uint8_t> bytes_of(State& state) {
    checkpoint::Writer writer;
    archive(writer, state);
    return std::move(writer.data());
}

// Reads the state of the chips; HBM is represented by the CRC-32 of its pages.
inline void read_chips(runtime::Session& session, Pieces& pieces) {
    checkpoint::SystemState state;
    session.linked_server().server().save(state);
    for (checkpoint::ChipState& chip : state.chips) {
        const auto name = [&chip](const std::string& what) {
            return fmt::format("chip {}: {}", chip.number, what);
        };
        for (checkpoint::SlotState& slot : chip.slots) {
            slot.core = parity::comparable(std::move(slot.core));
            pieces[name(fmt::format("core {}", slot.slot))] = bytes_of(slot.core);
            pieces[name(fmt::format("DMA of core {}", slot.slot))] = bytes_of(slot.dma);
        }
        pieces[name("collective cores")] = bytes_of(chip.collective_cores);
        for (std::size_t stack = 0; stack < chip.hbm.size(); ++stack) {
            std::vector<std::uint64_t> pages;
            for (const checkpoint::PageState& page : chip.hbm[stack])
                pages.insert(pages.end(), {page.number, crc32_z(0, page.bytes.data(), page.bytes.size())});
            pieces[name(fmt::format("HBM {}", stack))] = bytes_of(pages);
        }
    }
}

inline std::string text_of(ServerRun& run) {
    checkpoint::Writer writer;
    archive_all(writer, run.message, run.begin, run.end, run.checkpoint);
    for (auto& [name, bytes] : run.pieces) {
        std::string copy = name;
        archive_all(writer, copy, bytes);
    }
    return {writer.data().begin(), writer.data().end()};
}

inline ServerRun run_of(const std::string& text) {
    checkpoint::Reader reader({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    ServerRun run;
    archive_all(reader, run.message, run.begin, run.end, run.checkpoint);
    while (!reader.ended()) {
        std::string name;
        archive(reader, name);
        archive(reader, run.pieces[name]);
    }
    return run;
}

// Runs the subject. Throws tlm::processes::Error with the message of an exception in a process.
inline ServerRun run_on(const ServerSubject& subject, const HowToRun& how = {}) {
    return run_of(tlm::processes::run(how.processes, [&](tlm::processes::Exchange& exchange) {
        config::Server server = subject.server;
        if (!how.slots.empty()) server.slots = how.slots;
        runtime::Session session(server, subject.ranks(), {.switches = how.switches, .exchange = &exchange});
        const runtime::ModelId model = session.load(subject.packages);
        const runtime::Results result = session.execute_ranks(
            model, subject.inputs, {.rounding = subject.rounding, .checkpoints = how.checkpoints});
        ServerRun own;
        own.message = result.message;
        own.end = tlm::now();
        own.begin = own.end - result.time;
        own.checkpoint = result.checkpoint.has_value();
        if (result.done() && how.interpret) {
            std::vector<runtime::Contents> contents;
            for (std::uint32_t rank = 0; rank < session.ranks(); ++rank)
                contents.push_back(session.contents_of(model, subject.inputs[rank], {}, rank));
            for (const std::string& line : trial::differences(session, model, contents, result))
                own.message += line + "\n";
        }
        if (result.done()) read_chips(session, own.pieces);
        for (std::uint32_t rank = 0; result.done() && rank < session.ranks(); ++rank) {
            if (!session.here(rank)) continue;
            for (const auto& [name, array] : result.ranks[rank].outputs)
                own.pieces[fmt::format("rank {}: output {}", rank, name)] = array.data;
            read_core(session, rank, own.pieces);
        }
        ServerRun all = own;
        for (const std::string& other : session.texts(text_of(own))) all.pieces.merge(run_of(other).pieces);
        return text_of(all);
    }));
}

// Returns the names of the pieces that differ.
inline std::string differences(const ServerRun& want, const ServerRun& got) {
    std::string text = got.message == want.message ? "" : "message '" + got.message + "'\n";
    if (!text.empty()) return text;
    for (const auto& [name, bytes] : want.pieces) {
        const auto found = got.pieces.find(name);
        if (found == got.pieces.end() || found->second != bytes) text += name + " differs\n";
    }
    return got.pieces.size() == want.pieces.size() ? text : text + "other pieces\n";
}

}  // namespace trnsim::test
