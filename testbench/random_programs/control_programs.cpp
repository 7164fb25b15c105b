#include "testbench/random_programs/control_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "arch/target/memory.hpp"
#include "testbench/random_programs/control_instructions.hpp"
#include "testbench/random_programs/semaphores.hpp"
#include "testbench/random_programs/sequence_writer.hpp"
#include "testbench/random_programs/values.hpp"

namespace trnsim::random_programs {
namespace {

namespace field = isa::field;
using isa::Engine;
using isa::Instruction;
using isa::Opcode;
using isa::UpdateMode;
using isa::WaitMode;

// Tensors of the package.
enum ControlTensor : std::uint32_t { LoadedTensor, StoredTensor };

constexpr std::uint64_t OwnBytes = OwnSbuf + OwnPsum;  // bytes of a partition

class Maker {
  public:
    Maker(const target::Core& target, std::uint64_t seed, std::uint64_t rounds)
        : lanes_(static_cast<std::uint64_t>(target.partitions)), rounds_(rounds), random_(seed) {
        package_.name = "control";
        package_.target = target;
        for (const char* name : {"before", "after"})
            package_.tensors.push_back({name,
                                        *name == 'b' ? neff::TensorKind::Input : neff::TensorKind::Output,
                                        isa::Dtype::U32,
                                        {rounds, neff::EngineCount, lanes_, OwnBytes / 4}});
        for (std::size_t e = 0; e < neff::EngineCount; ++e)
            package_.queues.push_back(
                {std::string(isa::name_of(static_cast<Engine>(e))), static_cast<Engine>(e)});
    }

    ControlPrograms make() {
        std::array<std::size_t, neff::EngineCount> order;
        std::iota(order.begin(), order.end(), 0);
        for (round_ = 0; round_ < rounds_; ++round_) {
            std::ranges::shuffle(order, random_);
            for (const std::size_t engine : order) part(static_cast<Engine>(engine));
        }
        for (auto& program : package_.programs) program.push_back(halt());
        ControlPrograms made{std::move(package_), {}};
        made.before.resize(rounds_ * neff::EngineCount * lanes_ * OwnBytes);
        for (std::size_t byte = 0; byte < made.before.size(); byte += 4) {
            const std::uint32_t word = random_word(random_);
            std::memcpy(&made.before[byte], &word, 4);
        }
        return made;
    }

  private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    std::vector<Instruction>& program(Engine engine) {
        return package_.programs[static_cast<std::size_t>(engine)];
    }

    void part(Engine engine) {
        SequenceWriter writer(package_.target, engine, program(engine), random_);
        for (const bool psum : {false, true}) transfer(engine, psum, true);
        if (round_ == 0) writer.begin();
        writer.block(10 + pick(20));
        writer.store_registers();
        for (const bool psum : {false, true}) transfer(engine, psum, false);
        hand_over(engine);
    }

    // Transfers the engine's own area to or from a tensor, after all earlier instructions of the engine;
    // later ones wait for its end.
    void transfer(Engine engine, bool psum, bool load) {
        constexpr std::uint32_t Element = 64;
        const auto number = static_cast<std::size_t>(engine);
        const auto memory = psum ? target::Memory::Psum : target::Memory::Sbuf;
        const Area own = own_area(package_.target, engine, psum);
        const neff::Pattern core{neff::Pattern::Space::Core,
                                 0,
                                 target::address_of(package_.target, memory, 0, own.offset),
                                 {Element, target::partition_stride(package_.target, memory)},
                                 {own.bytes / Element, static_cast<std::uint32_t>(lanes_), 1, 1}};
        neff::Pattern host = core;
        host.place = neff::Pattern::Space::Tensor;
        host.tensor = load ? LoadedTensor : StoredTensor;
        host.offset = (round_ * neff::EngineCount + number) * lanes_ * OwnBytes + (psum ? OwnSbuf : 0);
        host.step[1] = OwnBytes;
        package_.transfers.push_back({static_cast<std::uint32_t>(number), Element, load ? host : core,
                                      load ? core : host,
                                      static_cast<std::uint8_t>(transfer_semaphore(engine)),
                                      fmt::format("round {}, {}", round_, load ? "before" : "after")});

        const unsigned fence = fence_semaphore(engine);
        const std::uint32_t passed = ++fences_[number];
        const auto add = [&](const Instruction& instruction) { program(engine).push_back(instruction); };
        add(then_update(Instruction(Opcode::EventSemaphore), fence, UpdateMode::Add, 1));
        add(wait_for(Instruction(Opcode::Nop), fence, WaitMode::Ge, passed));
        Instruction trigger(Opcode::DmaTrigger);
        trigger.set(field::Address, package_.transfers.size() - 1);
        if (const unsigned mode = pick(4); mode != 0)
            trigger = wait_for(trigger, fence, static_cast<WaitMode>(mode), passed);
        add(trigger);
        const std::uint32_t done =
            ++transfers_[number] * static_cast<std::uint32_t>(package_.target.dma_engines);
        add(wait_for(Instruction(pick(2) ? Opcode::Nop : Opcode::EventSemaphore), transfer_semaphore(engine),
                     pick(2) ? WaitMode::Ge : WaitMode::Eq, done));
    }

    // Waits for what other engines have counted so far in the order of generation, so that there is no
    // deadlock.
    void hand_over(Engine engine) {
        const unsigned waits = pick(SharedSemaphores), updates = pick(SharedSemaphores);
        Instruction i(Opcode::EventSemaphore);
        if (shared_[waits] != 0)
            i = wait_for(i, FirstShared + waits, WaitMode::Ge, shared_[waits] - pick(shared_[waits]));
        const unsigned step = 1 + pick(3);
        shared_[updates] += step;
        program(engine).push_back(then_update(i, FirstShared + updates, UpdateMode::Add, step));
    }

    std::uint64_t lanes_, rounds_, round_ = 0;
    std::mt19937_64 random_;
    neff::Package package_;
    std::array<std::uint32_t, neff::EngineCount> fences_{}, transfers_{};
    std::array<std::uint32_t, SharedSemaphores> shared_{};
};

}  // namespace

ControlPrograms make_control_programs(const target::Core& target, std::uint64_t seed, std::uint64_t rounds) {
    return Maker(target, seed, rounds).make();
}

}  // namespace trnsim::random_programs
