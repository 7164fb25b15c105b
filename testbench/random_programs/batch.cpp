#include "testbench/random_programs/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "arch/target/memory.hpp"
#include "compiler/builder/microcode.hpp"
#include "compiler/neff/package.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/operand.hpp"
#include "testbench/random_programs/values.hpp"

namespace trnsim::random_programs {
namespace {

using target::Memory;

constexpr std::uint32_t BufferBytes = 512;
constexpr std::uint64_t MostCopies = 4;  // the number of buffers that a program stores while it runs
constexpr unsigned LeastLength = 8, MostLength = 32;
constexpr unsigned StepsOfARestart = 24;  // mean steps from one start of GpSimd cores to the next

// The tensors of the package.
enum Tensor : std::uint32_t { Before, After, Copied };

// Returns areas at both ends of the memories and, within PSUM, a whole bank.
std::vector<Area> areas_of(const target::Core& target) {
    const auto sbuf = static_cast<std::uint32_t>(target.sbuf_partition),
               psum = static_cast<std::uint32_t>(target.psum_partition);
    return {{false, 0, 2048},
            {false, sbuf - 1024, 1024},
            {true, 0, 1024},
            {true, 4096, 2048},
            {true, psum - 1024, 1024}};
}

Geometry geometry_of(const target::Core& target, const std::vector<Area>& areas) {
    Geometry geometry{static_cast<unsigned>(target.partitions), {}};
    for (const Area& area : areas) {
        for (std::uint32_t offset = 0; offset < area.bytes; offset += BufferBytes)
            geometry.buffers.push_back({area.psum, area.offset + offset, BufferBytes});
    }
    return geometry;
}

bool overlap(const Area& one, const Area& other) {
    return one.psum == other.psum && one.offset < other.offset + other.bytes &&
           other.offset < one.offset + one.bytes;
}

}  // namespace

Batch::Batch(const target::Core& target, std::uint64_t seed, std::span<const std::uint64_t> numbers, Aim aim)
    : areas_(areas_of(target)),
      geometry_(geometry_of(target, areas_)),
      row_bytes_(geometry_.buffers.size() * BufferBytes),
      area_size_(geometry_.lanes * row_bytes_),
      copy_size_(std::uint64_t{geometry_.lanes} * BufferBytes),
      aim_(std::move(aim)),
      users_(geometry_.buffers.size()),
      listings_(numbers.size()) {
    package_.name = "engines";
    package_.target = target;
    const std::uint64_t programs = numbers.size();
    package_.tensors = {
        {"before", neff::TensorKind::Input, isa::Dtype::U32, {programs, geometry_.lanes, row_bytes_ / 4}},
        {"after", neff::TensorKind::Output, isa::Dtype::U32, {programs, geometry_.lanes, row_bytes_ / 4}},
        {"copied", neff::TensorKind::Output, isa::Dtype::U32, {0, geometry_.lanes, BufferBytes / 4}}};
    const auto add_queue = [this](const char* name, isa::Engine owner) {
        package_.queues.push_back({name, owner});
        program_.add_queue(owner);
    };
    add_queue("load", isa::Engine::Sync);
    add_queue("store", isa::Engine::Sync);
    add_queue("images", isa::Engine::Gpsimd);
    package_.images.push_back(builder::microcode_image(target));
    microcode_ = neff::contents_of(package_.images.front());
    load_microcode(0, 0, target::gpsimd_cores(target));
    contents_.resize(programs * area_size_);
    for (std::size_t index = 0; index < numbers.size(); ++index) {
        std::seed_seq mixed{seed, seed >> 32, numbers[index], numbers[index] >> 32};
        std::mt19937_64 random(mixed);
        add_program(index, random);
    }
    if (copied_.empty()) add_copy(numbers.size() - 1, geometry_.buffers.front());
    package_.tensors[Copied].shape.front() = copied_.size();
    program_.assign(package_);
}

// Returns the offset of a buffer in the working area's row of a tensor.
std::uint64_t Batch::place_of(const Area& buffer) const {
    std::uint64_t place = 0;
    for (const Area& area : areas_) {
        if (overlap(area, buffer)) return place + buffer.offset - area.offset;
        place += area.bytes;
    }
    return place;
}

void Batch::add_program(std::size_t index, std::mt19937_64& random) {
    for (std::uint64_t byte = 0; byte < area_size_; byte += 4) {
        const std::uint32_t word = random_word(random);
        std::memcpy(&contents_[index * area_size_ + byte], &word, 4);
    }
    const auto move = [&](std::size_t queue, const Area& area) {
        add_transfer(index, queue, area, queue == Load ? Before : After, index * area_size_ + place_of(area),
                     row_bytes_);
    };
    for (const Area& area : areas_) move(Load, area);

    EngineGenerator generator(package_.target, geometry_, areas_, random);
    const auto pick = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
    const unsigned length = LeastLength + pick(MostLength - LeastLength + 1);
    const std::size_t before = copied_.size();
    for (unsigned k = 0; k < length; ++k) {
        const Area buffer = geometry_.buffers[pick(static_cast<unsigned>(geometry_.buffers.size()))];
        const unsigned choice = pick(24);
        if (choice == 0) {
            move(Load, buffer);
        } else if (choice == 1 && copied_.size() < before + MostCopies) {
            add_copy(index, buffer);
        }
        for (const Step& step : generator.next(aim_)) add_step(index, step, pick(8) == 0);
        if (pick(StepsOfARestart) != 0) continue;
        const std::uint32_t cores = target::gpsimd_cores(package_.target);
        const std::uint32_t first = pick(cores), count = 1 + pick(cores - first);
        switch (pick(3)) {
            case 0:
                load_microcode(index, 0, cores);
                generator.microcode_loaded(true);
                break;
            case 1:
                load_microcode(index, first, count);
                generator.microcode_loaded(count == cores);
                break;
            default:
                start_cores(index, 1 + pick((1U << cores) - 1), {});
        }
    }
    for (const Area& area : areas_) move(Store, area);
}

// Stores a copy of a buffer with the contents that it has at this point of program `index`.
void Batch::add_copy(std::size_t index, const Area& buffer) {
    add_transfer(index, Store, buffer, Copied, copied_.size() * copy_size_, BufferBytes);
    copied_.push_back(index);
}

// If `wait` is set, the step also waits for all steps so far of the other engines.
void Batch::add_step(std::size_t index, const Step& step, bool wait, builder::After after) {
    const auto engine = static_cast<std::size_t>(step.engine);
    listings_[index].push_back(
        fmt::format("{} {}", isa::name_of(step.engine), isa::disassemble(step.instruction)));
    const std::vector<Access> touched = accesses(step);
    std::ranges::copy(order(touched, engine, true), std::back_inserter(after));
    if (wait) std::ranges::copy(last_, std::back_inserter(after));
    const builder::Event event = program_.append(step.engine, step.instruction, after, true);
    note(touched, event);
    last_[engine] = event;
}

// Loads the microcode once all commands so far are done, and starts the cores.
void Batch::load_microcode(std::size_t index, std::uint32_t first_core, std::uint32_t cores) {
    neff::Transfer transfer = neff::image_transfer(microcode_, 0, first_core, cores);
    transfer.queue = Images;
    transfer.name = fmt::format("program {}, microcode", index);
    package_.transfers.push_back(std::move(transfer));
    const builder::Event loaded = program_.append_transfer(
        builder::Queue{Images}, static_cast<std::uint32_t>(package_.transfers.size() - 1),
        {last_[static_cast<std::size_t>(isa::Engine::Gpsimd)]});
    start_cores(index, ((1U << cores) - 1) << first_core, {loaded});
}

void Batch::start_cores(std::size_t index, std::uint32_t mask, const builder::After& after) {
    isa::Instruction start(isa::Opcode::GpsimdStart);
    start.set(isa::field::CoreMask, mask).set(isa::field::Boot, microcode_.entry);
    add_step(index, {isa::Engine::Gpsimd, start}, false, after);
}

void Batch::add_transfer(std::size_t index, std::size_t queue, const Area& area, std::uint32_t tensor,
                         std::uint64_t offset, std::uint64_t row_bytes) {
    constexpr std::uint32_t Element = 64;
    const Memory memory = area.psum ? Memory::Psum : Memory::Sbuf;
    const neff::Pattern core{neff::Pattern::Space::Core,
                             0,
                             target::address_of(package_.target, memory, 0, area.offset),
                             {Element, target::partition_stride(package_.target, memory)},
                             {area.bytes / Element, geometry_.lanes, 1, 1}};
    neff::Pattern host = core;
    host.place = neff::Pattern::Space::Tensor;
    host.tensor = tensor;
    host.offset = offset;
    host.step[1] = static_cast<std::int64_t>(row_bytes);
    package_.transfers.push_back({static_cast<std::uint32_t>(queue), Element, queue == Load ? host : core,
                                  queue == Load ? core : host, 0,
                                  fmt::format("program {}, {}", index, package_.tensors[tensor].name)});

    std::vector<Access> touched;
    for (std::size_t buffer = 0; buffer < users_.size(); ++buffer) {
        if (overlap(area, geometry_.buffers[buffer])) touched.push_back({buffer, queue == Load});
    }
    const builder::Event event =
        program_.append_transfer(builder::Queue{static_cast<std::uint32_t>(queue)},
                                 static_cast<std::uint32_t>(package_.transfers.size() - 1),
                                 order(touched, neff::EngineCount + queue, false));
    note(touched, event);
}

void Batch::add_accesses(std::vector<Access>& all, const Touched& touched) const {
    for (std::size_t buffer = 0; buffer < users_.size(); ++buffer) {
        if (overlap(touched.area, geometry_.buffers[buffer])) all.push_back({buffer, touched.write});
    }
}

// Adds accesses to the buffers that the bytes `low` to `high` from an address touch.
void Batch::add_accesses(std::vector<Access>& all, std::uint32_t address, std::int64_t low, std::int64_t high,
                         bool write) const {
    const target::Location location = target::locate(package_.target, address);
    const Area touched{location.memory == Memory::Psum, static_cast<std::uint32_t>(location.offset + low),
                       static_cast<std::uint32_t>(high - low)};
    add_accesses(all, {touched, write});
}

std::vector<Batch::Access> Batch::accesses(const Step& step) const {
    std::vector<Access> all;
    for (const Touched& touched : step.touched) add_accesses(all, touched);
    const isa::Instruction& instruction = step.instruction;
    const isa::InstructionInfo& info = *instruction.info();
    const auto add = [&](bool used, functional::Role role, bool write) {
        if (!used) return;
        const functional::Operand operand = functional::operand_of(instruction, package_.target, role, 1);
        const auto [low, high] = std::ranges::minmax(operand.offsets);
        add_accesses(all, operand.address, low, high + isa::element_size(operand.dtype), write);
    };
    add(info.uses_a, functional::Role::A, false);
    add(instruction.reads_b(), functional::Role::B, false);
    add(info.uses_dst, functional::Role::Dst, true);
    for (const functional::Operand& operand : functional::vector_operands(step.engine, instruction))
        add_accesses(all, operand.address, 0, isa::element_size(operand.dtype), false);
    return all;
}

// Returns the events that a producer's accesses must come after; its own earlier accesses too unless it works
// in order.
builder::After Batch::order(const std::vector<Access>& accesses, std::size_t producer, bool in_order) const {
    builder::After after;
    for (const Access& access : accesses) {
        for (std::size_t other = 0; other < Producers; ++other) {
            if (in_order && other == producer) continue;
            after.push_back(users_[access.buffer].writes[other]);
            if (access.write) after.push_back(users_[access.buffer].reads[other]);
        }
    }
    return after;
}

void Batch::note(const std::vector<Access>& accesses, const builder::Event& event) {
    for (const Access& access : accesses) {
        Users& users = users_[access.buffer];
        (access.write ? users.writes : users.reads)[static_cast<std::size_t>(event.producer)] = event;
    }
}

std::optional<Batch::Difference> Batch::difference(std::span<const std::uint8_t> got,
                                                   std::span<const std::uint8_t> want) const {
    const auto differs = std::ranges::mismatch(got, want).in1;
    if (differs == got.end()) return std::nullopt;
    std::uint64_t byte = static_cast<std::uint64_t>(differs - got.begin());
    const std::string values = fmt::format("got 0x{:02x}, want 0x{:02x}", got[byte], want[byte]);
    if (byte >= contents_.size()) {
        byte -= contents_.size();
        return Difference{copied_[byte / copy_size_],
                          fmt::format("copy {} partition {} byte {}: {}", byte / copy_size_,
                                      byte / BufferBytes % geometry_.lanes, byte % BufferBytes, values)};
    }
    const std::size_t index = byte / area_size_;
    const std::uint64_t partition = byte / row_bytes_ % geometry_.lanes;
    byte %= row_bytes_;
    const Area* area = areas_.data();
    for (; byte >= area->bytes; ++area) byte -= area->bytes;
    return Difference{index, fmt::format("{} partition {} + 0x{:x}: {}", area->psum ? "PSUM" : "SBUF",
                                         partition, area->offset + byte, values)};
}

std::string Batch::listing(std::size_t index) const {
    std::string text;
    for (const std::string& line : listings_[index]) text += line + "\n";
    return text;
}

}  // namespace trnsim::random_programs
