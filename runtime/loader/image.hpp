// What a kernel looks like in the memory of a chip: tensors, descriptor rings and rewritten programs with
// their addresses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "arch/config/config.hpp"
#include "compiler/neff/images.hpp"
#include "runtime/loader/allocator.hpp"
#include "runtime/loader/ring.hpp"

namespace trnsim::loader {

// Where the descriptors of a transfer stand in a cycle of its ring; the same on every engine.
struct TransferPlace {
    std::uint32_t first = 0;       // index in both directions, of its first iteration
    std::uint16_t count = 0;       // in an iteration
    std::uint32_t stride = 0;      // from an iteration to the next
    std::uint32_t iterations = 1;  // of its loop
};

struct ProgramImage {
    std::uint64_t address = 0;
    std::vector<isa::Instruction> instructions;
};

// The tables of activation functions that one set has.
struct Tables {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;  // activation::table_image()
};

// A circular buffer of records that the core writes.
struct NotificationBuffer {
    std::uint64_t address = 0;
    std::uint32_t records = 0;  // a power of two; 0: there is none
};

// By Package::transfers, then by iteration of its loop: where a collective tells members of its group, this rank among
// them, that this rank has begun it. Empty for other transfers.
using Begins = std::vector<std::vector<std::vector<std::uint64_t>>>;

// An engine's own scratch bytes, so that no two engines write the same ones.
constexpr std::uint64_t ScratchSlot = 64;

struct Image {
    unsigned core = 0;                            // of the chip, that executes it
    std::vector<std::uint64_t> tensor_address;    // by Package::tensors
    std::vector<std::vector<Ring>> rings;         // by queue and DMA engine
    std::vector<TransferPlace> transfers;         // by Package::transfers
    std::map<isa::ActivationSet, Tables> tables;  // of every set that a program loads
    std::array<ProgramImage, neff::EngineCount> programs;
    std::uint64_t one_address = 0;              // a word that holds 1, what completion writes to a semaphore
    std::vector<std::uint64_t> gpsimd_address;  // by Package::images
    std::vector<neff::ImageContents> gpsimd;    // there
    Begins begins;
    NotificationBuffer notifications;
    std::uint64_t scratch = 0;  // system address of the DMA engines' own bytes, a ScratchSlot of each
};

// By Package::tensors: the system address of a tensor that is elsewhere and needs no memory of its own.
using Placed = std::vector<std::optional<std::uint64_t>>;

// Every transfer is cut into segments, blocks of consecutive segments go to the DMA engines (128 partitions:
// 8 to an engine), one packet a segment or, with indices, for many (transfer_packets.hpp). Engines with fewer segments move four bytes of scratch memory
// instead, so that one dma_trigger with the same counts serves all; last comes the semaphore update behind a
// write barrier. A transfer in a loop has its descriptors for every iteration, as many in each: rings are
// static. Throws Error when the target differs, HBM is too small or a transfer has too many segments. All
// memory comes out of `blocks`. `notifications`: records of the buffer for the notification queue, 0 for
// none. `core`: the one of the chip that executes it, with its DMA engines. `begins`: of a package with collectives;
// their transfers are packets of the first DMA engine alone.
Image plan(const neff::Package& package, const config::Config& config, Blocks& blocks,
           const Placed& placed = {}, std::uint32_t notifications = 0, unsigned core = 0, Begins begins = {});

// Makes the descriptors of all rings anew, for tensors at other addresses. Their number does not change.
void point_rings(const neff::Package& package, Image& image, std::vector<std::uint64_t> tensor_address);

}  // namespace trnsim::loader
