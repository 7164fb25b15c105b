// Tests messages about GpSimd cores, from memories and registers as cores leave them.
#include "runtime/session/gpsimd.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "arch/addresses/addresses.hpp"
#include "base/files/files.hpp"
#include "common/sample_package.hpp"
#include "firmware/include/trnsim/mailbox.hpp"
#include "runtime/session/diagnosis.hpp"
#include "runtime/session/fake_machine.hpp"

namespace trnsim::runtime {
namespace {

using firmware::Mailbox;
using firmware::Status;

neff::GpsimdImage image(const std::string& name) {
    return {name, files::read(TRNSIM_FIRMWARE_IMAGES "/" + name + ".gpsimd")};
}

class Gpsimd : public testing::Test {
  protected:
    Gpsimd() { package_.images = {image("relu"), image("topk"), image("microcode_vlen512")}; }

    void poke(std::uint32_t core, std::uint32_t address, std::uint32_t value) {
        machine_.poke32(addresses::CoreWindowBase + neff::gpsimd_place(core, address), value);
    }
    void poke(std::uint32_t core, std::size_t offset, Status value) {
        poke(core, TRNSIM_MAILBOX_BASE + static_cast<std::uint32_t>(offset),
             static_cast<std::uint32_t>(value));
    }
    void load(std::uint32_t core, std::size_t number) {
        const neff::ImageContents contents = neff::contents_of(package_.images[number]);
        for (std::size_t at = 0; at < contents.bytes.size(); at += 4) {
            std::uint32_t word = 0;
            for (unsigned k = 0; k < 4; ++k) word |= std::uint32_t{contents.bytes[at + k]} << (8 * k);
            poke(core, contents.address + static_cast<std::uint32_t>(at), word);
        }
        poke(core, TRNSIM_MAILBOX_BASE, firmware::MailboxMagic);
    }
    std::uint32_t address_of(std::size_t number, std::string_view function) const {
        const auto image = firmware::parse(package_.images[number].bytes, "");
        const auto found = std::ranges::find_if(
            image.functions, [&](const auto& symbol) { return symbol.name.starts_with(function); });
        if (found == image.functions.end()) throw std::out_of_range(std::string(function));
        return found->address;
    }
    void put_pc(std::uint32_t core, std::uint32_t pc) {
        machine_.poke32(addresses::CoreWindowBase + isa::csr::GpsimdPc + core * isa::csr::GpsimdStride, pc);
    }
    void trap(std::uint32_t core, std::uint32_t cause, std::uint32_t pc, std::uint32_t value) {
        const auto place = [](std::size_t offset) {
            return TRNSIM_MAILBOX_BASE + static_cast<std::uint32_t>(offsetof(Mailbox, trap) + offset);
        };
        poke(core, offsetof(Mailbox, status), Status::Trapped);
        poke(core, place(offsetof(firmware::TrapRecord, cause)), cause);
        poke(core, place(offsetof(firmware::TrapRecord, pc)), pc);
        poke(core, place(offsetof(firmware::TrapRecord, value)), value);
    }
    static std::uint32_t mailbox_of(std::uint32_t core) {
        return neff::gpsimd_place(core, TRNSIM_MAILBOX_BASE);
    }

    neff::Package package_ = test::sample_package();
    test::FakeMachine machine_;
};

TEST_F(Gpsimd, ATrapNamesInstructionFunctionAndLine) {
    load(3, 1);
    const std::uint32_t pc = address_of(1, "topk");
    trap(3, 2, pc, 0);
    const std::string text = GpsimdCores(machine_, package_).fault(mailbox_of(3));
    EXPECT_EQ(text.find(fmt::format("gpsimd core 3: illegal instruction 0x0 at 0x{:x}, topk", pc)), 0u)
        << text;
    EXPECT_NE(text.find("firmware/examples/topk.cpp:"), std::string::npos) << text;
    trap(3, 7, pc, TRNSIM_TCM_BASE - 16);
    EXPECT_NE(GpsimdCores(machine_, package_).fault(mailbox_of(3)).find("0x7ffffff0 (stack overflow) at"),
              std::string::npos);
    trap(3, 5, 0x1234, 0x70000000);
    EXPECT_EQ(GpsimdCores(machine_, package_).fault(mailbox_of(3)),
              "gpsimd core 3: load outside its memory 0x70000000 at 0x1234");
}

TEST_F(Gpsimd, AJumpOutOfTheCodeNamesTheFunctionThatCalled) {
    load(3, 1);
    const std::uint32_t call = address_of(1, "topk");
    const std::uint32_t caller =
        TRNSIM_MAILBOX_BASE + offsetof(Mailbox, trap) + offsetof(firmware::TrapRecord, caller);
    trap(3, 1, 0x40000000, 0x40000000);
    poke(3, caller, call + 4);
    const std::string text = GpsimdCores(machine_, package_).fault(mailbox_of(3));
    EXPECT_EQ(text.find(fmt::format("gpsimd core 3: instruction fetch outside its memory 0x40000000 at "
                                    "0x40000000, called from 0x{:x}, topk",
                                    call)),
              0u)
        << text;
    poke(3, caller, 0x50000000);
    EXPECT_EQ(GpsimdCores(machine_, package_).fault(mailbox_of(3)),
              "gpsimd core 3: instruction fetch outside its memory 0x40000000 at 0x40000000");
}

TEST_F(Gpsimd, OtherEndsNameTheOperation) {
    load(0, 2);
    poke(0, TRNSIM_MAILBOX_BASE + offsetof(Mailbox, command), 6);
    poke(0, offsetof(Mailbox, status), Status::BadIndex);
    EXPECT_EQ(GpsimdCores(machine_, package_).fault(mailbox_of(0)),
              "gpsimd core 0: local_gather: an index names what is not there");
    poke(1, TRNSIM_MAILBOX_BASE, 0);
    put_pc(1, 0x1234);
    EXPECT_EQ(GpsimdCores(machine_, package_).fault(mailbox_of(1)),
              "gpsimd core 1: does not get ready after its start: it waits at 0x1234");
    trap(1, 2, 0x1238, 0xc0001073);
    EXPECT_EQ(GpsimdCores(machine_, package_).fault(mailbox_of(1)),
              "gpsimd core 1: illegal instruction 0xc0001073 (require) at 0x1238");
    const auto error = [this](std::uint32_t address) {
        machine_.poke32(addresses::CoreWindowBase + isa::csr::ErrorCode,
                        static_cast<std::uint32_t>(isa::Error::GpsimdFault));
        machine_.poke32(addresses::CoreWindowBase + isa::csr::ErrorEngine,
                        static_cast<std::uint32_t>(isa::Engine::Sync));
        machine_.poke32(addresses::CoreWindowBase + isa::csr::ErrorPc, 1);
        machine_.poke32(addresses::CoreWindowBase + isa::csr::ErrorAddress, address);
        return diagnose_core_error(machine_, package_, {});
    };
    EXPECT_EQ(error(mailbox_of(0)),
              "chip 0 core 0, gpsimd core 0: local_gather: an index names what is not there; instruction 1 "
              "(event_semaphore wait S[3]>=16)");
}

TEST_F(Gpsimd, ACommandThatIsNotCompletedSaysWhereTheCoreIs) {
    load(2, 1);
    const std::uint32_t pc = address_of(1, "topk");
    put_pc(2, pc);
    poke(2, TRNSIM_MAILBOX_BASE + offsetof(Mailbox, request), 8);
    poke(2, TRNSIM_MAILBOX_BASE + offsetof(Mailbox, completed), 7);
    const std::string text = GpsimdCores(machine_, package_).fault(mailbox_of(2));
    EXPECT_EQ(text.find(fmt::format("gpsimd core 2: it waits at 0x{:x}, topk", pc)), 0u) << text;
    EXPECT_TRUE(text.ends_with(", the request is not completed")) << text;
}

TEST_F(Gpsimd, WrongNumbersOfArgumentsAreToldBesideTheRightOnes) {
    load(0, 0);
    poke(0, offsetof(Mailbox, status), Status::BadArguments);
    poke(0, TRNSIM_MAILBOX_BASE + offsetof(Mailbox, arguments), 1);
    const std::string any = GpsimdCores(machine_, package_).fault(mailbox_of(0));
    EXPECT_EQ(any, "gpsimd core 0: relu: tensors or scalars that it does not take");
    poke(0, TRNSIM_MAILBOX_BASE + offsetof(Mailbox, taken_tensors), 2);
    poke(0, TRNSIM_MAILBOX_BASE + offsetof(Mailbox, arguments) + 4, 3);
    EXPECT_EQ(GpsimdCores(machine_, package_).fault(mailbox_of(0)),
              "gpsimd core 0: relu: 1 tensors and 3 scalars, expected 2 and 0");
}

TEST_F(Gpsimd, WhatCoresPrintedComesInTheirOrder) {
    const auto print = [this](std::uint32_t core, std::uint32_t printed, const std::string& text) {
        poke(core, TRNSIM_MAILBOX_BASE, firmware::MailboxMagic);
        poke(core, TRNSIM_MAILBOX_BASE + offsetof(Mailbox, printed), printed);
        std::vector<std::uint8_t> ring(TRNSIM_PRINT_BYTES, '.');
        for (std::size_t k = 0; k < text.size(); ++k)
            ring[(printed - text.size() + k) % TRNSIM_PRINT_BYTES] = static_cast<std::uint8_t>(text[k]);
        for (std::uint32_t at = 0; at < TRNSIM_PRINT_BYTES; at += 4)
            poke(core, TRNSIM_PRINT_BASE + at,
                 ring[at] | ring[at + 1] << 8 | ring[at + 2] << 16 | std::uint32_t{ring[at + 3]} << 24);
    };
    print(2, 11, "row 1\nrow 2");
    print(5, 4, "\x01yz\n");
    EXPECT_EQ(GpsimdCores(machine_, package_).printed(),
              (std::vector<std::string>{"[gpsimd core 2] row 1", "[gpsimd core 2] row 2",
                                        "[gpsimd core 5] \\x01yz"}));
    GpsimdCores(machine_, package_).clear();
    EXPECT_TRUE(GpsimdCores(machine_, package_).printed().empty());
    print(0, 5000, "last\n");
    const auto lines = GpsimdCores(machine_, package_).printed();
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find("[gpsimd core 0] ......"), 0u);
    EXPECT_TRUE(lines[0].ends_with(".last"));
    package_.images.clear();
    EXPECT_TRUE(GpsimdCores(machine_, package_).printed().empty());
}

TEST_F(Gpsimd, CoresThatRunAreNamedWhereItHangs) {
    load(1, 1);
    const std::uint32_t pc = address_of(1, "topk");
    machine_.poke32(addresses::CoreWindowBase + isa::csr::GpsimdState + isa::csr::GpsimdStride,
                    static_cast<std::uint32_t>(isa::GpsimdState::Running));
    put_pc(1, pc);
    const auto lines = GpsimdCores(machine_, package_).running();
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find(fmt::format("gpsimd core 1: running at 0x{:x}, topk", pc)), 0u) << lines[0];
}

}  // namespace
}  // namespace trnsim::runtime
