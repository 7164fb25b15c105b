#include "common/gpsimd_faults/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "arch/target/memory.hpp"
#include "common/gpsimd_faults/spoils.hpp"
#include "compiler/builder/microcode.hpp"
#include "compiler/builder/program.hpp"
#include "compiler/neff/images.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using firmware::Command;
using firmware::Dtype;
using isa::Instruction;
using isa::Opcode;
using random_programs::Geometry;
using random_programs::GpsimdCall;

// An instruction that is refused when it is to begin.
struct Refusal {
    const char* expected;
    Instruction (*make)(GpsimdGenerator& g, std::uint32_t cores);
};

Instruction arguments(std::uint64_t first, std::uint64_t words) {
    return Instruction(Opcode::GpsimdArguments).set(field::FirstWord, first).set(field::Words, words);
}
Instruction command(std::uint64_t mask) {
    return Instruction(Opcode::GpsimdCommand).set(field::CoreMask, mask);
}
Instruction start(std::uint64_t boot) {
    return Instruction(Opcode::GpsimdStart).set(field::CoreMask, 1).set(field::Boot, boot);
}

constexpr const char* BadOperand = "operand not supported by this instruction";
constexpr std::array Refusals{
    Refusal{BadOperand, [](GpsimdGenerator& g, std::uint32_t) { return arguments(g.pick(192), 0); }},
    Refusal{BadOperand, [](GpsimdGenerator& g, std::uint32_t) { return arguments(0, 13 + g.pick(3)); }},
    Refusal{BadOperand,
            [](GpsimdGenerator& g, std::uint32_t) {
                const unsigned words = 1 + g.pick(12);
                return arguments(193 - words + g.pick(50), words);
            }},
    Refusal{BadOperand, [](GpsimdGenerator&, std::uint32_t) { return command(0); }},
    Refusal{BadOperand,
            [](GpsimdGenerator& g, std::uint32_t cores) {
                if (cores > 7) return command(0);
                return command((1U << cores) | g.pick(1U << cores));
            }},
    Refusal{"address out of range",
            [](GpsimdGenerator& g, std::uint32_t) {
                return start(g.any(std::array{0U, 0x7ffffffcU, 0x80010000U}));
            }},
    Refusal{"address not aligned to the element",
            [](GpsimdGenerator& g, std::uint32_t) { return start(0x80002c01 + g.pick(3)); }},
};

enum Other : std::size_t { UnknownCommand, WrongIndex, ForgottenArguments, NotStarted, Others };

class Writer {
  public:
    Writer(const target::Core& target, std::uint64_t seed)
        : target_(target),
          random_(seed),
          geometry_{static_cast<unsigned>(target.partitions),
                    {{false, 0, Buffer},
                     {false, Buffer, Buffer},
                     {false, 2 * Buffer, Buffer},
                     {false, 3 * Buffer, Buffer}}},
          g_(target_, geometry_, random_) {
        package_.name = "fault";
        package_.target = target;
        package_.queues.push_back({"images", isa::Engine::Gpsimd});
        program_.add_queue(isa::Engine::Gpsimd);
        package_.images.push_back(builder::microcode_image(target));
    }

    GpsimdFault write(std::size_t kind) {
        if (kind == gpsimd_spoils().size() + Refusals.size() + NotStarted) return not_started();
        load(0, cores());
        if (kind < gpsimd_spoils().size()) return spoiled(gpsimd_spoils()[kind]);
        kind -= gpsimd_spoils().size();
        if (kind < Refusals.size()) {
            add(Refusals.at(kind).make(g_, cores()));
            return finish(Refusals.at(kind).expected);
        }
        kind -= Refusals.size();
        return kind == UnknownCommand ? unknown_command() : kind == WrongIndex ? wrong_index() : forgotten();
    }

  private:
    static constexpr std::uint32_t Buffer = 512;

    std::uint32_t cores() const { return target::gpsimd_cores(target_); }
    void add(const Instruction& instruction, const builder::After& after = {}) {
        last_ = {program_.append(isa::Engine::Gpsimd, instruction, after, true)};
    }

    void load(std::uint32_t first_core, std::uint32_t count) {
        const neff::ImageContents contents = neff::contents_of(package_.images.front());
        neff::Transfer transfer = neff::image_transfer(contents, 0, first_core, count);
        transfer.name = "microcode";
        const auto number = static_cast<std::uint32_t>(package_.transfers.size());
        package_.transfers.push_back(transfer);
        const builder::Event loaded = program_.append_transfer(builder::Queue{0}, number, last_);
        add(Instruction(Opcode::GpsimdStart)
                .set(field::CoreMask, ((1U << count) - 1) << first_core)
                .set(field::Boot, contents.entry),
            {loaded});
    }

    void give(Command command, const GpsimdWords& words, std::uint32_t mask) {
        constexpr std::array Fields{&field::W0, &field::W1, &field::W2, &field::W3, &field::W4,  &field::W5,
                                    &field::W6, &field::W7, &field::W8, &field::W9, &field::W10, &field::W11};
        for (std::size_t first = 0; first < words.size(); first += Fields.size()) {
            const std::size_t count = std::min(words.size() - first, Fields.size());
            Instruction piece = arguments(first, count);
            for (std::size_t i = 0; i < count; ++i) piece.set(*Fields[i], words[first + i]);
            add(piece);
        }
        add(test::command(mask).set(field::Operation, static_cast<std::uint32_t>(command)));
    }
    std::uint32_t any_mask() { return 1 + g_.pick((1U << cores()) - 1); }

    GpsimdCall call_of(const std::vector<Command>& wanted) {
        for (;;) {
            const std::vector<GpsimdCall> calls = random_gpsimd_calls(g_);
            if (!calls.empty() && std::ranges::find(wanted, calls.back().command) != wanted.end())
                return calls.back();
        }
    }

    GpsimdFault spoiled(const GpsimdSpoil& row) {
        for (;;) {
            GpsimdCall call = call_of(row.commands);
            if (!row.spoil(g_, call.words)) continue;
            const std::uint32_t mask = any_mask();
            give(call.command, call.words, mask);
            return finish(fmt::format("gpsimd core {}: {}: {}", std::countr_zero(mask),
                                      firmware::CommandNames[static_cast<std::size_t>(call.command)],
                                      row.status));
        }
    }

    GpsimdFault unknown_command() {
        const std::uint32_t mask = any_mask(), operation = 12 + g_.pick(65536 - 12);
        add(command(mask).set(field::Operation, operation));
        return finish(fmt::format("gpsimd core {}: operation {}: the image has no such operation",
                                  std::countr_zero(mask), operation));
    }

    // Some cores get the microcode again, and their arguments become zeros.
    GpsimdFault forgotten() {
        const GpsimdCall call = call_of({Command::Memset});
        give(call.command, call.words, (1U << cores()) - 1);
        const std::uint32_t first = g_.pick(cores()), count = 1 + g_.pick(cores() - first);
        load(first, count);
        const std::uint32_t mask = any_mask() | 1U << (first + g_.pick(count));
        add(command(mask).set(field::Operation, static_cast<std::uint32_t>(Command::Memset)));
        return finish(fmt::format("gpsimd core {}: memset: counts, partitions or steps that it does not take",
                                  std::countr_zero(mask >> first << first)));
    }

    GpsimdFault not_started() {
        add(command(1));
        return finish("gpsimd core 0: ");
    }

    // Puts a wrong index into the memory of one core only.
    GpsimdFault wrong_index() {
        const std::uint32_t whole = (1U << cores()) - 1, core = g_.pick(cores());
        GpsimdCall call = call_of({Command::LocalGather});
        firmware::LocalGatherArguments gather;
        std::memcpy(&gather, call.words.data(), sizeof gather);
        gather.partition = 0;
        gather.partitions = g_.lanes();
        std::memcpy(call.words.data(), &gather, sizeof gather);
        const auto set = [&](std::uint32_t address, Dtype dtype, std::uint32_t partition,
                             std::uint32_t partitions, std::uint32_t columns, std::uint32_t value) {
            const firmware::MemsetArguments memset{
                {partition, partitions, {columns, 1, 1, 1}}, {address, dtype, {1, 0, 0, 0}}, value};
            GpsimdWords words(sizeof memset / 4);
            std::memcpy(words.data(), &memset, sizeof memset);
            give(Command::Memset, words, whole);
        };
        const std::uint32_t columns =
            (gather.indices + target::GpsimdPartitions - 1) / target::GpsimdPartitions;
        set(gather.a, Dtype::U8, 0, g_.lanes(),
            gather.groups * gather.elements << firmware::size_log2(gather.dtype), 0);
        set(gather.index, Dtype::U16, 0, g_.lanes(), columns, 0);
        const std::uint32_t index = g_.pick(gather.indices);
        set(gather.index + 2 * (index / target::GpsimdPartitions), Dtype::U16,
            target::GpsimdPartitions * core + index % target::GpsimdPartitions, 1, 1,
            gather.groups + (g_.pick(2) == 0 ? 0 : g_.pick(60000)));
        give(Command::LocalGather, call.words, whole);
        return finish(fmt::format("gpsimd core {}: local_gather: an index names what is not there", core));
    }

    GpsimdFault finish(const std::string& expected) {
        program_.assign(package_);
        return {std::move(package_), expected};
    }

    const target::Core& target_;
    std::mt19937_64 random_;
    Geometry geometry_;
    GpsimdGenerator g_;
    neff::Package package_;
    builder::Program program_;
    builder::After last_;
};

}  // namespace

std::size_t gpsimd_fault_kinds() {
    return gpsimd_spoils().size() + Refusals.size() + Others;
}

GpsimdFault make_gpsimd_fault(const target::Core& target, std::size_t kind, std::uint64_t seed) {
    return Writer(target, seed).write(kind);
}

}  // namespace trnsim::test
