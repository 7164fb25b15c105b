// A kernel in the memory of a chip: tensors, descriptor rings and rewritten programs with their addresses.
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

// The place of the descriptors of a transfer in a cycle of its ring; it is the same on every engine.
struct TransferPlace {
    std::uint32_t first = 0;       // index of the first iteration in both directions
    std::uint16_t count = 0;       // descriptors of an iteration
    std::uint32_t stride = 0;      // descriptors from an iteration to the next
    std::uint32_t iterations = 1;  // iterations of its loop
};

struct ProgramImage {
    std::uint64_t address = 0;
    std::vector<isa::Instruction> instructions;
};

// The tables of the activation functions of one set.
struct Tables {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;  // activation::table_image()
};

// A circular buffer of records that the core writes.
struct NotificationBuffer {
    std::uint64_t address = 0;
    std::uint32_t records = 0;  // a power of two; 0: there is none
};

// By Package::transfers, then by iteration of its loop: the addresses at which a collective tells the members
// of its group, including this rank, that this rank has begun it. Empty for other transfers.
using Begins = std::vector<std::vector<std::vector<std::uint64_t>>>;

// Bytes of scratch memory for each engine, so that no two engines write the same ones.
constexpr std::uint64_t ScratchSlot = 64;

struct Image {
    unsigned core = 0;                            // core of the chip that executes it
    bool split_by_partitions = false;             // of transfers among the DMA engines: dma.split
    std::vector<std::uint64_t> tensor_address;    // by Package::tensors
    std::vector<std::vector<Ring>> rings;         // by queue and DMA engine
    std::vector<TransferPlace> transfers;         // by Package::transfers
    std::map<isa::ActivationSet, Tables> tables;  // tables of every set that a program loads
    std::array<ProgramImage, neff::EngineCount> programs;
    std::uint64_t one_address = 0;              // a word with the value 1, which completions write
    std::vector<std::uint64_t> gpsimd_address;  // by Package::images
    std::vector<neff::ImageContents> gpsimd;    // their contents
    Begins begins;
    NotificationBuffer notifications;
    std::uint64_t scratch = 0;  // system address of the DMA engines' scratch memory, a ScratchSlot each
};

// By Package::tensors: the system address of a tensor that is elsewhere and needs no memory of its own.
using Placed = std::vector<std::optional<std::uint64_t>>;

// Every transfer is cut into segments, which go to the DMA engines by their partition (128 partitions: 8 to an
// engine) or in blocks of consecutive ones, one packet for a segment or, with indices, for many
// (transfer_packets.hpp).
// Engines with fewer segments move four bytes of scratch memory instead, so that one dma_trigger with the
// same counts serves all; the semaphore update after a write barrier comes last. A transfer in a loop has its
// descriptors for every iteration, the same number in each: rings are static. Throws Error when the target
// differs, HBM is too small or a transfer has too many segments. All memory comes out of `blocks`.
// `notifications`: records of the buffer for the notification queue, 0 for none. `core`: the core of the chip
// that executes it, with its DMA engines. `begins` is for a package with collectives; their transfers are
// packets of the first DMA engine alone.
Image plan(const neff::Package& package, const config::Config& config, Blocks& blocks,
           const Placed& placed = {}, std::uint32_t notifications = 0, unsigned core = 0, Begins begins = {});

// Rebuilds the descriptors of all rings for tensors at other addresses. Their number does not change.
void point_rings(const neff::Package& package, Image& image, std::vector<std::uint64_t> tensor_address);

}  // namespace trnsim::loader
