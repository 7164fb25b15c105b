#include "testbench/functional/gpsimd_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/firmware/status.hpp"
#include "arch/target/memory.hpp"
#include "compiler/neff/package.hpp"
#include "firmware/include/trnsim/mailbox.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/gpsimd_checks.hpp"
#include "testbench/functional/gpsimd_microcode.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

namespace {

bool is_microcode(const std::vector<std::string>& operations) {
    return std::ranges::equal(operations, firmware::CommandNames);
}

// Accesses SBUF for an instruction of the engine.
class Accesses : public GpsimdMemory {
  public:
    Accesses(const target::Core& target, Storage& storage, const Actor& actor)
        : target_(target), storage_(storage), actor_(actor) {}

    std::uint32_t load(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes) override {
        const std::uint32_t address = address_of(partition, byte, bytes);
        storage_.note(false, address, bytes, actor_);
        return storage_.core.read(address, bytes);
    }
    void store(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes,
               std::uint32_t value) override {
        const std::uint32_t address = address_of(partition, byte, bytes);
        storage_.note(true, address, bytes, actor_);
        storage_.core.write(address, bytes, value);
    }

  private:
    std::uint32_t address_of(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes) const {
        if (partition >= static_cast<std::uint32_t>(target_.partitions) || byte % bytes != 0 ||
            byte > target_.sbuf_partition - bytes)
            throw Error(
                fmt::format("there are no {} bytes at byte {} of partition {}", bytes, byte, partition));
        return target::address_of(target_, target::Memory::Sbuf, partition, byte);
    }

    const target::Core& target_;
    Storage& storage_;
    const Actor& actor_;
};

}  // namespace

GpsimdEngine::GpsimdEngine(const neff::Package& package, Storage& storage)
    : package_(package),
      storage_(storage),
      running_(target::gpsimd_cores(package.target)),
      operators_(package.target, storage) {
    static_assert(ArgumentWords == firmware::ArgumentWords);
    for (const neff::GpsimdImage& image : package.images) {
        firmware::Image parsed = firmware::parse(image.bytes, image.name);
        const bool microcode = is_microcode(parsed.operations);
        images_.push_back({neff::contents_of(image), std::move(parsed), microcode});
    }
}

std::vector<std::uint32_t> GpsimdEngine::cores_of(const Instruction& instruction) const {
    const std::uint64_t mask = instruction.get(field::CoreMask);
    std::vector<std::uint32_t> cores;
    for (std::uint32_t core = 0; core < running_.size(); ++core) {
        if ((mask >> core & 1) != 0) cores.push_back(core);
    }
    return cores;
}

void GpsimdEngine::execute(const Instruction& instruction, const Actor& actor) {
    if (instruction.opcode() == Opcode::GpsimdArguments) return take_arguments(instruction, actor);
    if (instruction.opcode() == Opcode::GpsimdStart) return start(instruction, actor);
    command(instruction, actor);
}

// Compares only the executable segments, as a running core changes its data.
bool GpsimdEngine::has(std::uint32_t core, const Image& image) {
    return std::ranges::all_of(image.image.segments, [&](const firmware::Segment& segment) {
        return !segment.executable ||
               std::ranges::equal(storage_.gpsimd(core, segment.address, segment.bytes.size()),
                                  segment.bytes);
    });
}

std::span<std::uint8_t> GpsimdEngine::argument_bytes(std::uint32_t core, std::size_t first,
                                                     std::size_t words) {
    const std::size_t place = offsetof(firmware::Mailbox, arguments) + first * sizeof(std::uint32_t);
    return storage_.gpsimd(core, TRNSIM_MAILBOX_BASE + static_cast<std::uint32_t>(place),
                           words * sizeof(std::uint32_t));
}

GpsimdEngine::Arguments GpsimdEngine::arguments_of(std::uint32_t core) {
    Arguments arguments{};
    std::ranges::copy(argument_bytes(core, 0, arguments.size()),
                      reinterpret_cast<std::uint8_t*>(arguments.data()));
    return arguments;
}

void GpsimdEngine::take_arguments(const Instruction& instruction, const Actor& actor) {
    constexpr std::array Fields{&field::W0, &field::W1, &field::W2, &field::W3, &field::W4,  &field::W5,
                                &field::W6, &field::W7, &field::W8, &field::W9, &field::W10, &field::W11};
    const std::uint64_t first = instruction.get(field::FirstWord), count = instruction.get(field::Words);
    std::array<std::uint32_t, Fields.size()> words{};
    for (std::size_t i = 0; i < count; ++i)
        words.at(i) = static_cast<std::uint32_t>(instruction.get(*Fields.at(i)));
    for (std::uint32_t core = 0; core < running_.size(); ++core) {
        const auto bytes = argument_bytes(core, first, count);
        if (bytes.empty()) return;  // no image, no command
        storage_.note(true, neff::gpsimd_place(core, TRNSIM_MAILBOX_BASE), TRNSIM_MAILBOX_BYTES, actor);
        std::memcpy(bytes.data(), words.data(), bytes.size());
    }
}

void GpsimdEngine::start(const Instruction& instruction, const Actor& actor) {
    const std::uint64_t boot = instruction.get(field::Boot);
    const std::vector<std::uint32_t> cores = cores_of(instruction);
    for (const std::uint32_t core : cores) {
        const auto is_there = [&](const Image& image) {
            return image.contents.entry == boot && has(core, image);
        };
        const auto image = std::ranges::find_if(images_, is_there);
        if (image == images_.end()) {
            throw Error(
                fmt::format("the memory of GpSimd core {} has no image that starts at 0x{:x}", core, boot));
        }
        storage_.note(true, neff::gpsimd_place(core, image->contents.address), image->contents.bytes.size(),
                      actor);
        running_[core] = static_cast<std::size_t>(image - images_.begin());
        if (!image->is_microcode)
            operators_.start(core, static_cast<std::uint32_t>(boot), image->image, actor);
    }
}

void GpsimdEngine::command(const Instruction& instruction, const Actor& actor) {
    const auto operation = static_cast<std::uint32_t>(instruction.get(field::Operation));
    const std::vector<std::uint32_t> cores = cores_of(instruction);
    ++requests_;
    for (const std::uint32_t core : cores) {
        if (!running_[core]) throw Error(fmt::format("gpsimd core {}: has not been started", core));
        const Image& image = images_[*running_[core]];
        if (operation >= image.image.operations.size()) {
            throw Error(fmt::format("gpsimd core {}: operation {}: {}", core, operation,
                                    firmware::text_of(firmware::Status::UnknownCommand)));
        }
        if (image.is_microcode) {
            run_microcode_on(core, operation, image, actor);
        } else {
            operators_.command(core, {requests_, operation, static_cast<std::uint32_t>(cores.size())},
                               image.image, actor);
        }
    }
}

void GpsimdEngine::run_microcode_on(std::uint32_t core, std::uint32_t operation, const Image& image,
                                    const Actor& actor) {
    // Notes an access to the mailbox, so that a load of an image that does not wait for the command is a
    // race.
    storage_.note(true, neff::gpsimd_place(core, TRNSIM_MAILBOX_BASE), TRNSIM_MAILBOX_BYTES, actor);
    Accesses memory(package_.target, storage_, actor);
    try {
        const auto command = static_cast<firmware::Command>(operation);
        const Arguments arguments = arguments_of(core);
        const firmware::Status status = check_microcode(command, arguments, package_.target);
        if (status != firmware::Status::Ok) throw Refused(status);
        run_microcode(command, arguments, core, memory);
    } catch (const Error& error) {
        throw Error(
            fmt::format("gpsimd core {}: {}: {}", core, image.image.operations[operation], error.what()));
    }
}

}  // namespace trnsim::functional
