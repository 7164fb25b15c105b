#include "testbench/functional/gpsimd_operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "arch/firmware/status.hpp"
#include "arch/target/memory.hpp"
#include "compiler/neff/images.hpp"
#include "firmware/include/trnsim/mailbox.hpp"
#include "model/rv32/hart.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {

using firmware::Mailbox;
using firmware::Status;

namespace {

// Code that executes more instructions, which takes some seconds, counts as endless.
constexpr std::uint64_t MostInstructions = 1'000'000'000;
constexpr std::uint32_t WordBytes = 4;

Mailbox mailbox_of(std::span<const std::uint8_t> tcm) {
    Mailbox mailbox;
    std::memcpy(&mailbox, &tcm[TRNSIM_MAILBOX_BASE - TRNSIM_TCM_BASE], sizeof mailbox);
    return mailbox;
}

// Calls `found` with the first bit and the number of bits of each run of ones in four bits.
template <class Found>
void for_runs(std::uint32_t bits, Found found) {
    for (std::uint32_t first = 0; bits >> first != 0;) {
        first += static_cast<std::uint32_t>(std::countr_zero(bits >> first));
        const auto count = static_cast<std::uint32_t>(std::countr_one(bits >> first));
        found(first, count);
        first += count;
    }
}

}  // namespace

GpsimdOperators::GpsimdOperators(const target::Core& target, Storage& storage)
    : target_(target), storage_(storage), harts_(target::gpsimd_cores(target)) {}

GpsimdOperators::~GpsimdOperators() = default;

rv32::Hart& GpsimdOperators::hart(std::uint32_t core) {
    if (!harts_[core]) {
        const auto vlen = static_cast<std::uint32_t>(target_.gpsimd_vlen);
        harts_[core] = std::make_unique<rv32::Hart>(rv32::Sizes{.vlen = vlen, .hart_id = core});
    }
    return *harts_[core];
}

void GpsimdOperators::start(std::uint32_t core, std::uint32_t boot, const firmware::Image& image,
                            const Actor& actor) {
    // Clears the magic number, which an image may have left there before.
    const std::uint32_t magic = TRNSIM_MAILBOX_BASE + offsetof(Mailbox, magic);
    std::ranges::fill(storage_.gpsimd(core, magic, sizeof(Mailbox::magic)), std::uint8_t{0});
    hart(core).start(boot);
    run(core, image, actor);
    const Mailbox begun = mailbox_of(hart(core).tcm());
    if (begun.magic == firmware::MailboxMagic) return;
    if (begun.status == Status::Trapped)
        throw Error(fmt::format("gpsimd core {}: {}", core, firmware::text_of_end(&image, begun)));
    throw Error(fmt::format("gpsimd core {}: it waits at {}, expected the loop of commands", core,
                            firmware::text_of_place(&image, hart(core).pc())));
}

void GpsimdOperators::command(std::uint32_t core, const Command& command, const firmware::Image& image,
                              const Actor& actor) {
    const std::span<std::uint8_t> bytes = storage_.gpsimd(core, TRNSIM_MAILBOX_BASE, sizeof(Mailbox));
    Mailbox mailbox;
    std::memcpy(&mailbox, bytes.data(), sizeof mailbox);
    mailbox.request = command.request;
    mailbox.command = command.operation;
    mailbox.core = core;
    mailbox.cores = command.cores;
    mailbox.partition_bytes = static_cast<std::uint32_t>(target_.sbuf_partition);
    mailbox.partitions = static_cast<std::uint32_t>(target_.partitions);
    std::memcpy(bytes.data(), &mailbox, sizeof mailbox);
    hart(core).interrupt(true);
    run(core, image, actor);
    const Mailbox done = mailbox_of(hart(core).tcm());
    if (done.completed != command.request)
        throw Error(fmt::format("gpsimd core {}: it waits at {}, the request is not completed", core,
                                firmware::text_of_place(&image, hart(core).pc())));
    if (done.status != Status::Ok)
        throw Error(fmt::format("gpsimd core {}: {}", core, firmware::text_of_end(&image, done)));
}

void GpsimdOperators::run(std::uint32_t core, const firmware::Image& image, const Actor& actor) {
    rv32::Hart& hart = this->hart(core);
    const std::span<std::uint8_t> memory = storage_.gpsimd(core, TRNSIM_TCM_BASE, TRNSIM_TCM_BYTES);
    storage_.note(true, neff::gpsimd_place(core, TRNSIM_TCM_BASE), memory.size(), actor);
    // Writes only the lines that differ, so that the rest stays decoded.
    constexpr std::size_t Line = 64;
    for (std::size_t at = 0; at < memory.size(); at += Line) {
        const auto line = memory.subspan(at, Line);
        if (!std::ranges::equal(line, hart.tcm().subspan(at, Line)))
            hart.write_tcm(TRNSIM_TCM_BASE + static_cast<std::uint32_t>(at), line);
    }
    const std::uint32_t first = core * TRNSIM_SLICE_PARTITIONS,
                        partitions = static_cast<std::uint32_t>(target_.partitions);
    const std::span<std::uint8_t> sbuf = storage_.core.sbuf(first);
    const auto partition_bytes = static_cast<std::uint32_t>(target_.sbuf_partition);
    touched_.assign(std::size_t{TRNSIM_SLICE_PARTITIONS} * partition_bytes / WordBytes, 0);
    hart.attach({.data = sbuf.data(),
                 .partition_bytes = partition_bytes,
                 .partitions = std::min<std::uint32_t>(partitions - first, TRNSIM_SLICE_PARTITIONS),
                 .touched = touched_.data()});
    // The interrupt stays pending until the core has left wfi.
    rv32::Stop stop = hart.run(1);
    hart.interrupt(false);
    if (stop != rv32::Stop::NoHandler) stop = hart.run(MostInstructions);
    std::ranges::copy(hart.tcm(), memory.begin());
    note_slice(core, actor);
    if (stop == rv32::Stop::Limit)
        throw Error(
            fmt::format("gpsimd core {}: it does not end: it has executed {} instructions and is at {}", core,
                        MostInstructions, firmware::text_of_place(&image, hart.pc())));
    if (stop == rv32::Stop::NoHandler)
        throw Error(fmt::format("gpsimd core {}: its trap handler at {} cannot be executed", core,
                                firmware::text_of_place(&image, hart.pc())));
}

// Notes the core's reads and writes of SBUF as accesses of the instruction.
void GpsimdOperators::note_slice(std::uint32_t core, const Actor& actor) {
    const std::size_t words = static_cast<std::size_t>(target_.sbuf_partition) / WordBytes;
    for (std::size_t word = 0; word < touched_.size(); ++word) {
        if (touched_[word] == 0) continue;
        const auto partition =
            static_cast<std::uint32_t>(std::size_t{core} * TRNSIM_SLICE_PARTITIONS + word / words);
        const std::uint32_t address = target::address_of(
            target_, target::Memory::Sbuf, partition, static_cast<std::uint32_t>(word % words * WordBytes));
        for_runs(touched_[word] & 15U, [&](std::uint32_t first, std::uint32_t bytes) {
            storage_.note(false, address + first, bytes, actor);
            storage_.core.require_written(address + first, bytes);
        });
        for_runs(touched_[word] >> 4U, [&](std::uint32_t first, std::uint32_t bytes) {
            storage_.note(true, address + first, bytes, actor);
            storage_.core.mark_written(address + first, bytes);
        });
    }
}

}  // namespace trnsim::functional
