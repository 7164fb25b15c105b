#include "runtime/session/diagnosis.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "arch/target/memory.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/disassembler.hpp"
#include "isa/error_text.hpp"
#include "runtime/loader/segments.hpp"
#include "runtime/session/gpsimd.hpp"
#include "runtime/session/observer.hpp"

namespace trnsim::runtime {
namespace {

namespace csr = isa::csr;

struct DmaErrorText {
    dma::ErrorCode code;
    std::string_view text;
    bool has_address;
};

constexpr std::array DmaErrors{
    DmaErrorText{dma::ErrorCode::RingSetup, "doorbell on a ring that is not set up for this many descriptors",
                 false},
    DmaErrorText{dma::ErrorCode::Busy, "ring set up while it has work", false},
    DmaErrorText{dma::ErrorCode::BadDescriptor, "packet without first or last descriptor", false},
    DmaErrorText{dma::ErrorCode::Unsupported, "operation, element type or rounding that there is not", false},
    DmaErrorText{dma::ErrorCode::LengthMismatch, "read and write descriptors of different length", false},
    DmaErrorText{dma::ErrorCode::DescriptorFetch, "descriptor refused by the memory", true},
    DmaErrorText{dma::ErrorCode::Read, "error response to a read", true},
    DmaErrorText{dma::ErrorCode::Write, "error response to a write", true},
    DmaErrorText{dma::ErrorCode::Elements, "elements of the sources and results of a packet that do not fit",
                 false},
    DmaErrorText{dma::ErrorCode::Indices, "indices of a packet that do not fit", false},
    DmaErrorText{dma::ErrorCode::OutOfBounds, "index out of bounds", true},
    DmaErrorText{dma::ErrorCode::Transposition, "a matrix to be transposed that does not fit its packet",
                 false},
};

std::uint32_t read_csr(CoreAccess& machine, addresses::CoreId core, std::uint32_t offset) {
    return machine.read32(addresses::core_window(core.core) + offset);
}

// Returns the number on the chip of a DMA engine of the core.
std::uint64_t dma_number(const neff::Package& package, addresses::CoreId core, std::uint32_t engine) {
    return core.core * package.target.dma_engines + engine;
}

std::string engine_name(std::uint32_t engine) {
    const std::string_view name = isa::name_of(isa::engine_values(), engine);
    return name.empty() ? fmt::format("engine {}", engine) : fmt::format("{} engine", name);
}

// Returns "instruction 12 (tensor_copy ...)".
std::string instruction_text(const neff::Package& package, std::uint32_t engine, std::uint32_t pc) {
    const std::string text = describe(package, engine, pc);
    return fmt::format("instruction {}{}", pc, text.empty() ? " (outside the program)" : " (" + text + ")");
}

std::string system_address_text(std::uint64_t address, addresses::CoreId core, const target::Core& target) {
    const std::uint64_t window = addresses::core_window(core.core);
    if (address < window || address >= window + isa::window::Size) return fmt::format("0x{:x}", address);
    return isa::format_address(static_cast<std::uint32_t>(address - window),
                               target::sbuf_partition_stride(target));
}

struct FoundTransfer {
    std::size_t id;
    const neff::Transfer& transfer;
    std::uint32_t iteration;  // iteration of its loop
};

// Returns the transfer that has the descriptor.
std::optional<FoundTransfer> find_transfer(const neff::Package& package, const Image& image,
                                           std::uint32_t queue, std::uint32_t descriptor) {
    const auto cycle = static_cast<std::uint32_t>(image.rings[queue].front().m2s.size());
    if (cycle == 0) return std::nullopt;
    descriptor %= cycle;
    for (std::size_t id = 0; id < package.transfers.size(); ++id) {
        const loader::TransferPlace& place = image.transfers[id];
        if (package.transfers[id].queue != queue || descriptor < place.first) continue;
        const std::uint32_t iteration = (descriptor - place.first) / place.stride;
        if (iteration >= place.iterations || (descriptor - place.first) % place.stride >= place.count)
            continue;
        return FoundTransfer{id, package.transfers[id], iteration};
    }
    return std::nullopt;
}

// Returns "transfer 'load x'", with the iteration if it is in a loop; empty: no transfer has the descriptor.
std::string transfer_text(const neff::Package& package, const Image& image, std::uint32_t queue,
                          std::uint32_t descriptor) {
    const auto found = find_transfer(package, image, queue, descriptor);
    if (!found) return "";
    const std::string& name = found->transfer.name;
    return found->transfer.loop ? fmt::format("transfer '{}' in iteration {}", name, found->iteration)
                                : fmt::format("transfer '{}'", name);
}

// Returns " at kernel.cpp:12", the place at which the kernel calls the transfer; empty: not known.
std::string place_text(const neff::Package& package, const Image& image, std::uint32_t queue,
                       std::uint32_t descriptor) {
    const auto found = find_transfer(package, image, queue, descriptor);
    const std::string line = found ? neff::source_line_of_transfer(package, found->id) : "";
    return line.empty() ? "" : " at " + line;
}

// Returns "index 7 out of bounds, expected 0 to 5"; it reads the index again at the address that the engine
// read.
std::string index_text(CoreAccess& machine, const neff::Package& package, const Image& image,
                       std::uint32_t queue, std::uint32_t descriptor, std::uint64_t address) {
    const auto found = find_transfer(package, image, queue, descriptor);
    if (!found || !found->transfer.indirect) return "index out of bounds";
    return fmt::format("index {} out of bounds, expected {} to {},",
                       static_cast<std::int32_t>(machine.read32(address)), found->transfer.indirect->first,
                       found->transfer.indirect->last);
}

std::string waiting_line(CoreAccess& machine, const neff::Package& package, addresses::CoreId core,
                         std::uint32_t engine) {
    const std::uint32_t block = engine * csr::EngineStride;
    const std::uint32_t state = read_csr(machine, core, csr::EngineState + block);
    if (state == static_cast<std::uint32_t>(isa::SeqState::Halted)) return "";
    const std::uint32_t pc = read_csr(machine, core, csr::EnginePc + block);
    std::string line =
        fmt::format("{}, {}: {} at {}", name_of(core), engine_name(engine),
                    isa::name_of(isa::seq_state_values(), state), instruction_text(package, engine, pc));
    if (state == static_cast<std::uint32_t>(isa::SeqState::WaitSem) && pc < package.programs[engine].size()) {
        const std::uint64_t semaphore = package.programs[engine][pc].get(isa::field::WaitSem);
        line += fmt::format(
            ", S[{}] is {}", semaphore,
            read_csr(machine, core, isa::window::SemRead + 4 * static_cast<std::uint32_t>(semaphore)));
    }
    return line + "\n";
}

// The engines of a queue are at most a transfer apart; the line is about the one that is furthest behind.
std::string queue_line(CoreAccess& machine, const neff::Package& package, const Image& image,
                       addresses::CoreId core, std::uint32_t queue) {
    std::string line;
    std::uint32_t behind = 0;
    for (std::uint32_t e = 0; e < image.rings[queue].size(); ++e) {
        const auto read = [&](dma::RingRegister reg) {
            return machine.read32(dma::ring_address(e, queue, reg, core.core));
        };
        const std::uint32_t head = read(dma::RingRegister::M2sHead);
        const std::uint32_t tail = read(dma::RingRegister::M2sTail);
        const std::uint32_t left = dma::distance(head, tail, image.rings[queue][e].m2s_place.size);
        if (left <= behind) continue;
        behind = left;
        const std::string transfer = transfer_text(package, image, queue, head & dma::PointerIndexMask);
        line = fmt::format("queue '{}': DMA engine {} has {} descriptors left{}{}\n",
                           package.queues[queue].name, dma_number(package, core, e), behind,
                           transfer.empty() ? "" : ", the next one of ", transfer);
    }
    return line;
}

std::string without_last_newline(std::string text) {
    if (!text.empty()) text.pop_back();
    return text;
}

}  // namespace

std::string diagnose_core_error(CoreAccess& machine, const neff::Package& package, addresses::CoreId core) {
    const std::uint32_t code = read_csr(machine, core, csr::ErrorCode);
    const std::uint32_t engine = read_csr(machine, core, csr::ErrorEngine);
    const std::uint32_t pc = read_csr(machine, core, csr::ErrorPc);
    const std::uint32_t address = read_csr(machine, core, csr::ErrorAddress);
    constexpr std::uint32_t FromOutside = 7;
    std::string text = name_of(core) + ", ";
    text += engine == FromOutside
                ? fmt::format("core window, access at port {}: ", pc)
                : fmt::format("{}, {}: ", engine_name(engine), instruction_text(package, engine, pc));
    const isa::ErrorText* found = isa::find_error_text(static_cast<isa::Error>(code));
    if (found == nullptr) return text + fmt::format("error code {}", code);
    if (found->code == isa::Error::GpsimdFault && !package.images.empty())
        return fmt::format("{}, {}; {}", name_of(core),
                           GpsimdCores(machine, package, core.core).fault(address),
                           instruction_text(package, engine, pc));
    text += found->text;
    if (found->has_address && address != 0)
        text += ": " + isa::format_address(address, target::sbuf_partition_stride(package.target));
    return text;
}

std::string diagnose_dma_error(CoreAccess& machine, const neff::Package& package, const Image& image,
                               addresses::CoreId core) {
    const auto read = [&machine, core](std::uint32_t engine, dma::EngineRegister reg) {
        return machine.read32(dma::engine_address(engine, reg, core.core));
    };
    for (std::uint32_t e = 0; e < static_cast<std::uint32_t>(package.target.dma_engines); ++e) {
        const std::uint32_t code = read(e, dma::EngineRegister::Error);
        if (code == static_cast<std::uint32_t>(dma::ErrorCode::None)) continue;
        const std::uint32_t ring = read(e, dma::EngineRegister::ErrorRing);
        const std::uint32_t descriptor = read(e, dma::EngineRegister::ErrorDescriptor);
        const std::uint64_t address = std::uint64_t{read(e, dma::EngineRegister::ErrorAddressHigh)} << 32 |
                                      read(e, dma::EngineRegister::ErrorAddressLow);
        std::string text = fmt::format("chip {}, DMA engine {}, ", core.chip, dma_number(package, core, e));
        if (ring >= package.queues.size()) {
            text += fmt::format("ring {}", ring);
        } else {
            text += fmt::format("queue '{}'", package.queues[ring].name);
            const std::string transfer = transfer_text(package, image, ring, descriptor);
            if (!transfer.empty()) text += ", " + transfer + place_text(package, image, ring, descriptor);
        }
        text += fmt::format(", descriptor {}: ", descriptor);
        for (const DmaErrorText& row : DmaErrors) {
            if (static_cast<std::uint32_t>(row.code) != code) continue;
            const bool index = row.code == dma::ErrorCode::OutOfBounds && ring < package.queues.size();
            text += index ? index_text(machine, package, image, ring, descriptor, address)
                          : std::string(row.text);
            if (row.has_address) text += " at " + system_address_text(address, core, package.target);
            return text;
        }
        return text + fmt::format("error code {}", code);
    }
    return fmt::format("chip {}, a DMA engine stopped", core.chip);
}

std::string diagnose_hang(CoreAccess& machine, const neff::Package& package, const Image& image,
                          addresses::CoreId core) {
    std::string text;
    for (std::uint32_t engine = 0; engine < neff::EngineCount; ++engine) {
        if (!package.programs[engine].empty()) text += waiting_line(machine, package, core, engine);
    }
    for (const std::string& line : GpsimdCores(machine, package, core.core).running())
        text += fmt::format("{}, {}\n", name_of(core), line);
    for (std::uint32_t queue = 0; queue < package.queues.size(); ++queue) {
        text += queue_line(machine, package, image, core, queue);
    }
    return without_last_newline(text);
}

std::string with_lines(std::string what, const std::string& lines) {
    if (!lines.empty()) what += "\n" + lines;
    return what;
}

}  // namespace trnsim::runtime
