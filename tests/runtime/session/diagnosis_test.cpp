#include "runtime/session/diagnosis.hpp"

#include <gtest/gtest.h>

#include "arch/addresses/addresses.hpp"
#include "common/sample_package.hpp"
#include "common/stream_package.hpp"
#include "runtime/session/fake_machine.hpp"

namespace trnsim::runtime {
namespace {

constexpr addresses::CoreId Core{.chip = 2, .core = 1};
constexpr std::uint64_t Window = addresses::core_window(Core.core);

// Plans the package in an allocator of its own.
Image plan(const neff::Package& package, const config::Config& config) {
    loader::Allocator hbm(config.hbm);
    loader::Blocks blocks(hbm);
    return loader::plan(package, config, blocks, {}, 0, Core.core);
}

namespace csr = isa::csr;

void poke_core_error(test::FakeMachine& machine, std::uint32_t code, std::uint32_t engine, std::uint32_t pc,
                     std::uint32_t address) {
    machine.poke32(Window + csr::ErrorCode, code);
    machine.poke32(Window + csr::ErrorEngine, engine);
    machine.poke32(Window + csr::ErrorPc, pc);
    machine.poke32(Window + csr::ErrorAddress, address);
}

TEST(Diagnosis, CoreErrorsNameEngineInstructionAndAddress) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    poke_core_error(machine, static_cast<std::uint32_t>(isa::Error::AddressRange), 1, 0,
                    3 * 0x40000 + 0x30000);
    EXPECT_EQ(
        diagnose_core_error(machine, package, Core),
        "chip 2 core 1, vector engine, instruction 0 (event_semaphore wait S[3]>=16): address out of range: "
        "sbuf[3+0x30000]");
    poke_core_error(machine, static_cast<std::uint32_t>(isa::Error::IllegalInstruction), 4, 17, 0);
    EXPECT_EQ(diagnose_core_error(machine, package, Core),
              "chip 2 core 1, sync engine, instruction 17 (outside the program): illegal instruction");
    poke_core_error(machine, 31, 6, 0, 0);
    EXPECT_EQ(diagnose_core_error(machine, package, Core),
              "chip 2 core 1, engine 6, instruction 0 (outside the program): error code 31");
    poke_core_error(machine, static_cast<std::uint32_t>(isa::Error::EventSetTwice), 7, 2,
                    isa::window::EventBase + 12);
    EXPECT_EQ(diagnose_core_error(machine, package, Core),
              "chip 2 core 1, core window, access at port 2: an event is set that is set already: 0x270000c");
}

TEST(Diagnosis, EveryCoreErrorHasAText) {
    const neff::Package package = test::sample_package();
    test::FakeMachine machine;
    for (const isa::EnumValue& value : isa::error_values()) {
        if (value.value == 0) continue;
        poke_core_error(machine, value.value, 4, 0, 0);
        EXPECT_EQ(diagnose_core_error(machine, package, Core).find("error code"), std::string::npos)
            << value.name;
    }
}

TEST(Diagnosis, DmaErrorsNameQueueTransferAndAddress) {
    const neff::Package package = test::sample_package();
    const Image image = plan(package, test::trn1_config());
    test::FakeMachine machine;
    machine.poke32(dma::engine_address(3, dma::EngineRegister::Error, Core.core),
                   static_cast<std::uint32_t>(dma::ErrorCode::Write));
    machine.poke32(dma::engine_address(3, dma::EngineRegister::ErrorRing, Core.core), 1);
    machine.poke32(dma::engine_address(3, dma::EngineRegister::ErrorDescriptor, Core.core), 1);
    machine.poke32(dma::engine_address(3, dma::EngineRegister::ErrorAddressLow, Core.core), 0xc4040008);
    machine.poke32(dma::engine_address(3, dma::EngineRegister::ErrorAddressHigh, Core.core), 0xfff);
    EXPECT_EQ(diagnose_dma_error(machine, package, image, Core),
              "chip 2, DMA engine 19, queue 'qSyncIO1', transfer 'store y', descriptor 1: error response to "
              "a write "
              "at sbuf[1+0x8]");
    machine.poke32(dma::engine_address(3, dma::EngineRegister::ErrorRing, Core.core), 9);
    machine.poke32(dma::engine_address(3, dma::EngineRegister::Error, Core.core), 99);
    EXPECT_EQ(diagnose_dma_error(machine, package, image, Core),
              "chip 2, DMA engine 19, ring 9, descriptor 1: error code 99");
}

TEST(Diagnosis, HangsNameTheSemaphoreAndItsValue) {
    const neff::Package package = test::sample_package();
    const Image image = plan(package, test::trn1_config());
    test::FakeMachine machine;
    machine.poke32(Window + csr::EngineState + 4 * csr::EngineStride,
                   static_cast<std::uint32_t>(isa::SeqState::WaitSem));
    machine.poke32(Window + csr::EnginePc + 4 * csr::EngineStride, 3);
    machine.poke32(Window + csr::EngineState + csr::EngineStride,
                   static_cast<std::uint32_t>(isa::SeqState::Halted));
    machine.poke32(dma::ring_address(2, 1, dma::RingRegister::M2sTail, Core.core), 2);
    EXPECT_EQ(
        diagnose_hang(machine, package, image, Core),
        "chip 2 core 1, sync engine: wait_sem at instruction 3 (event_semaphore wait S[4]>=16), S[4] is 0\n"
        "queue 'qSyncIO1': DMA engine 18 has 2 descriptors left, the next one of transfer 'store y'");
}

// Tests full rings and wrapped ones.
TEST(Diagnosis, DescriptorsOfLoopsNameTheIteration) {
    const neff::Package package = test::stream_package(test::sample_package().target);
    const Image image = plan(package, test::trn1_config());
    const auto line = [&](std::uint32_t head, std::uint32_t tail) {
        test::FakeMachine machine;
        for (const auto engine : {isa::Engine::Vector, isa::Engine::Gpsimd, isa::Engine::Sync}) {
            machine.poke32(Window + csr::EngineState + static_cast<std::uint32_t>(engine) * csr::EngineStride,
                           static_cast<std::uint32_t>(isa::SeqState::Halted));
        }
        machine.poke32(dma::ring_address(2, 1, dma::RingRegister::M2sHead, Core.core), head);
        machine.poke32(dma::ring_address(2, 1, dma::RingRegister::M2sTail, Core.core), tail);
        return diagnose_hang(machine, package, image, Core);
    };
    const std::string place = "queue 'qStore': DMA engine 18 has ",
                      next = " descriptors left, the next one of ";
    EXPECT_EQ(line(0, 9), place + "9" + next + "transfer 'store y' in iteration 0");
    EXPECT_EQ(line(9 * 36 + 8, dma::pointer(1, 9)),
              place + "10" + next + "transfer 'store y' in iteration 36");
    EXPECT_EQ(line(dma::pointer(3, 9), dma::pointer(0, 9)),
              place + "333" + next + "transfer 'store y' in iteration 1");
    EXPECT_EQ(line(dma::pointer(1, 9), dma::pointer(1, 9)), "");
}

}  // namespace
}  // namespace trnsim::runtime
