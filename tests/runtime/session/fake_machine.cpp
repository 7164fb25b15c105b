#include "runtime/session/fake_machine.hpp"

#include <algorithm>
#include <stdexcept>

#include "arch/dma/registers.hpp"
#include "isa/instruction.hpp"

namespace trnsim::test {
namespace {

namespace csr = isa::csr;
using addresses::CoreWindowBase;

constexpr std::uint64_t PageBytes = 0x10000;
constexpr std::uint64_t FsPerInstruction = 1'000'000;

std::uint64_t csr_address(std::uint32_t offset, std::uint32_t engine = 0) {
    return CoreWindowBase + offset + std::uint64_t{engine} * csr::EngineStride;
}

}  // namespace

void FakeMachine::write(std::uint64_t address, std::span<const std::uint8_t> data) {
    for (const std::uint8_t byte : data) {
        auto& page = pages_[address / PageBytes];
        page.resize(PageBytes);
        page[address % PageBytes] = byte;
        ++address;
    }
}

void FakeMachine::read(std::uint64_t address, std::span<std::uint8_t> data) {
    for (std::uint8_t& byte : data) {
        const auto page = pages_.find(address / PageBytes);
        byte = page == pages_.end() ? 0 : page->second[address % PageBytes];
        ++address;
    }
}

void FakeMachine::dma_write(std::uint64_t address, std::span<const std::uint8_t> data) {
    const std::uint64_t increment = CoreWindowBase + isa::window::SemInc;
    if (address >= increment && address < increment + 0x400) {
        if (data.size() != 4) throw std::logic_error("a semaphore takes four bytes");
        semaphores_[(address - increment) / 4] += data[0];
        return;
    }
    dma_bytes_ += data.size();
    std::vector<std::uint8_t> bytes(data.begin(), data.end());
    if (inverts_ && address >= CoreWindowBase) bytes.front() ^= 1;
    write(address, bytes);
}

void FakeMachine::ring_doorbell(std::uint64_t engine, std::uint64_t ring, std::uint32_t value) {
    using enum dma::RingRegister;
    const auto reg = [&](dma::RingRegister r) -> std::uint32_t& {
        return register_at(dma::ring_address(engine, ring, r));
    };
    const auto next = [&](dma::RingRegister low, dma::RingRegister high, dma::RingRegister head,
                          dma::RingRegister size) {
        std::array<std::uint8_t, dma::DescriptorBytes> bytes{};
        read((std::uint64_t{reg(high)} << 32 | reg(low)) + std::uint64_t{reg(head)} * dma::DescriptorBytes,
             bytes);
        reg(head) = (reg(head) + 1) % reg(size);
        return dma::decode(bytes);
    };
    if ((value & 0xffff) != value >> 16) throw std::logic_error("unequal descriptor counts");
    for (std::uint32_t i = 0; i < (value & 0xffff); ++i) {
        const dma::Descriptor from = next(M2sBaseLow, M2sBaseHigh, M2sHead, M2sSize);
        const dma::Descriptor to = next(S2mBaseLow, S2mBaseHigh, S2mHead, S2mSize);
        if (!from.first || !from.last || from.length != to.length) throw std::logic_error("malformed packet");
        std::vector<std::uint8_t> data(from.length);
        read(from.address, data);
        dma_write(to.address, data);
    }
    reg(M2sTail) = reg(M2sHead);
    reg(S2mTail) = reg(S2mHead);
}

void FakeMachine::write32(std::uint64_t address, std::uint32_t value) {
    if (address >= dma::RegisterBase) {
        const std::uint64_t offset = address - dma::RegisterBase;
        const std::uint64_t engine = offset / dma::EngineStride,
                            ring = offset % dma::EngineStride / dma::RingStride;
        if (address == dma::ring_address(engine, ring, dma::RingRegister::Doorbell))
            return ring_doorbell(engine, ring, value);
    }
    for (std::uint32_t e = 0; e < tlm::Engines; ++e) {
        if (address == csr_address(csr::EngineStart, e)) running_[e] = true;
    }
    register_at(address) = value;
}

std::uint32_t FakeMachine::read32(std::uint64_t address) {
    const std::uint64_t semaphores = CoreWindowBase + isa::window::SemRead;
    if (address >= semaphores && address < semaphores + 0x400) return semaphores_[(address - semaphores) / 4];
    return register_at(address);
}

void FakeMachine::fail_core_at(std::uint32_t engine, std::uint32_t pc, isa::Error code,
                               std::uint32_t address) {
    failures_.push_back({engine, pc, address, code});
}

// Returns false if the engine has to wait.
bool FakeMachine::step(std::uint32_t e) {
    std::array<std::uint8_t, isa::InstructionBytes> bytes{};
    const std::uint64_t program = std::uint64_t{register_at(csr_address(csr::EngineProgramHi, e))} << 32 |
                                  register_at(csr_address(csr::EngineProgramLo, e));
    read(program + std::uint64_t{pc_[e]} * isa::InstructionBytes, bytes);
    const isa::Instruction instruction{std::span<const std::uint8_t, isa::InstructionBytes>(bytes)};
    using namespace isa::field;
    register_at(csr_address(csr::EnginePc, e)) = pc_[e];
    const bool waits =
        instruction.get(WaitMode) != 0 && semaphores_[instruction.get(WaitSem)] < instruction.get(WaitValue);
    register_at(csr_address(csr::EngineState, e)) =
        static_cast<std::uint32_t>(waits ? isa::SeqState::WaitSem : isa::SeqState::Issue);
    if (waits) return false;
    if (instruction.opcode() == isa::Opcode::DmaTrigger) {
        for (std::uint64_t engine = 0; engine < 16; ++engine) {
            if ((instruction.get(EngineMask) >> engine & 1) == 0) continue;
            write32(instruction.get(Address) + engine * instruction.get(EngineStride),
                    dma::doorbell(static_cast<std::uint16_t>(instruction.get(M2sCount)),
                                  static_cast<std::uint16_t>(instruction.get(S2mCount))));
        }
    }
    if (instruction.get(UpdateMode) == static_cast<std::uint64_t>(isa::UpdateMode::Add)) {
        semaphores_[instruction.get(UpdateSem)] += static_cast<std::uint32_t>(instruction.get(UpdateValue));
    }
    const std::uint64_t cycle = statistics_.core.cycles++;
    statistics_.time += FsPerInstruction;
    if (options_.sink != nullptr)
        options_.sink->instruction(
            {e, pc_[e], cycle, cycle + 1, statistics_.time - FsPerInstruction, statistics_.time});
    ++statistics_.core.engine[e].completed;
    const bool jumps = instruction.opcode() == isa::Opcode::Branch;
    pc_[e] = jumps ? static_cast<std::uint32_t>(instruction.get(Target)) : pc_[e] + 1;
    if (instruction.opcode() == isa::Opcode::Halt) {
        running_[e] = false;
        register_at(csr_address(csr::EngineState, e)) = static_cast<std::uint32_t>(isa::SeqState::Halted);
    }
    return true;
}

void FakeMachine::reset() {
    registers_ = poked_;
    semaphores_ = {};
    running_ = {};
    pc_ = {};
}

tlm::RunResult FakeMachine::run(std::uint64_t limit) {
    using tlm::Outcome;
    statistics_.core.memories = unwritten_;
    std::uint64_t budget = limit == 0 ? ~std::uint64_t{0} : slice_;
    const auto result = [this](Outcome outcome, const char* message) {
        return tlm::RunResult{outcome, message, 0, statistics_.time};
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (std::uint32_t e = 0; e < tlm::Engines; ++e) {
            if (!running_[e]) continue;
            for (const Failure& failure : failures_) {
                if (failure.engine != e || failure.pc != pc_[e]) continue;
                register_at(csr_address(csr::ErrorCode)) = static_cast<std::uint32_t>(failure.code);
                register_at(csr_address(csr::ErrorEngine)) = e;
                register_at(csr_address(csr::ErrorPc)) = failure.pc;
                register_at(csr_address(csr::ErrorAddress)) = failure.address;
                return result(Outcome::CoreError, "the core raised its error pin");
            }
            if (!step(e)) continue;
            progress = true;
            if (--budget == 0) return result(Outcome::TimeLimit, "time limit");
        }
    }
    const bool waiting = std::ranges::find(running_, true) != running_.end();
    return waiting ? result(Outcome::Hang, "nothing can happen any more") : result(Outcome::Done, "");
}

tlm::Statistics FakeMachine::statistics() const {
    tlm::Statistics statistics = statistics_;
    statistics.hbm.resize(2);
    statistics.dram.resize(2);
    for (tlm::DramStatistics& stack : statistics.dram) stack.channels.resize(8);
    statistics.dma.resize(16);
    statistics.core.numeric = numeric_;
    return statistics;
}

}  // namespace trnsim::test
