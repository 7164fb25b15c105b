// Tests every way an engine can stop, with its code and message.
#include "model/dma/bench.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;
using dma::ErrorCode;
using dma::RingRegister;

struct Bad {
    const char* name;
    std::vector<Descriptor> m2s, s2m;
    ErrorCode code;
    std::uint64_t address;
    const char* message;
};

constexpr std::uint64_t Nowhere = 0x500000000;

std::vector<Descriptor> edit(std::vector<Descriptor> list, std::size_t index, void (*change)(Descriptor&)) {
    change(list[index]);
    return list;
}

const std::vector<Descriptor> Source = packet(Low, 400, 100), Destination = packet(High, 400, 200);

const Bad Cases[] = {
    {"NoFirst", edit(Source, 0, [](Descriptor& d) { d.first = false; }), Destination,
     ErrorCode::BadDescriptor, 0, "DMA engine 0 ring 2 descriptor 0: packet without `first`"},
    {"FirstWithin", edit(Source, 2, [](Descriptor& d) { d.first = true; }), Destination,
     ErrorCode::BadDescriptor, 200,
     "DMA engine 0 ring 2 descriptor 2, address 0xc8: `first` within a packet"},
    {"NoLast", edit(Source, 3, [](Descriptor& d) { d.last = false; }), Destination, ErrorCode::BadDescriptor,
     0, "DMA engine 0 ring 2 descriptor 0: the descriptors handed over end within a packet, expected `last`"},
    {"Operation", edit(Source, 1, [](Descriptor& d) { d.meta = 12; }), Destination, ErrorCode::Unsupported,
     100,
     "DMA engine 0 ring 2 descriptor 1, address 0x64: meta word 0xc: unknown operation, expected 0 (copy) to "
     "11"},
    {"Result", Source, edit(Destination, 1, [](Descriptor& d) { d.meta = 3; }), ErrorCode::Unsupported,
     High + 200,
     "DMA engine 0 ring 2 descriptor 1, address 0x10000000c8: meta word 0x3: unknown result, expected 0 "
     "(copy) to 2"},
    {"PacketTooLong", Source, packet(High, 200, 200), ErrorCode::LengthMismatch, 0,
     "DMA engine 0 ring 2 descriptor 0: the packet is longer than its s2m descriptors"},
    {"PacketTooShort", Source, packet(High, 500, 250), ErrorCode::LengthMismatch, High + 250,
     "DMA engine 0 ring 2 descriptor 1, address 0x10000000fa: s2m descriptor goes 100 bytes beyond the end "
     "of its packet"},
    {"DescriptorsLeft", Source, packet(High, 600, 200), ErrorCode::LengthMismatch, 0,
     "DMA engine 0 ring 2 descriptor 2: 1 s2m descriptors beyond the packets, expected none"},
    {"ReadRefused", packet(Nowhere, 400, 400), Destination, ErrorCode::Read, Nowhere,
     "DMA engine 0 ring 2 descriptor 0, address 0x500000000: read refused (TLM_ADDRESS_ERROR_RESPONSE)"},
    {"WriteRefused", Source, packet(Nowhere, 400, 200), ErrorCode::Write, Nowhere,
     "DMA engine 0 ring 2 descriptor 0, address 0x500000000: write refused (TLM_ADDRESS_ERROR_RESPONSE)"},
};

class DmaError : public testing::TestWithParam<Bad> {};

TEST_P(DmaError, StopsTheEngineWithAMessage) {
    const Bad& bad = GetParam();
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 2, 1 << 20, bad.m2s, bad.s2m);
    b.ring_doorbell(0, 2, static_cast<unsigned>(bad.m2s.size()), static_cast<unsigned>(bad.s2m.size()));
    sc_core::sc_start();
    ASSERT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.errors[0].code, bad.code);
    EXPECT_EQ(b.errors[0].message, bad.message);
    EXPECT_EQ(b.errors[0].address, bad.address);
    using E = dma::EngineRegister;
    EXPECT_EQ(b.register_value(engine_address(0, E::Error)), static_cast<std::uint32_t>(bad.code));
    EXPECT_EQ(b.register_value(engine_address(0, E::ErrorRing)), 2u);
    EXPECT_EQ(b.register_value(engine_address(0, E::ErrorDescriptor)), b.errors[0].descriptor);
    EXPECT_EQ(b.register_value(engine_address(0, E::ErrorAddressLow)),
              static_cast<std::uint32_t>(bad.address));
    EXPECT_EQ(b.register_value(engine_address(0, E::ErrorAddressHigh)),
              static_cast<std::uint32_t>(bad.address >> 32));
    EXPECT_EQ(b.register_value(ring_address(0, 2, RingRegister::Status)) & 2, 2u);

    // A reset clears the error, the rings and the work under way.
    b.dma.stop();
    ASSERT_TRUE(b.dma.quiet());
    b.dma.reset();
    EXPECT_TRUE(b.dma.idle());
    EXPECT_EQ(b.register_value(engine_address(0, E::Error)), 0u);
    EXPECT_EQ(b.register_value(ring_address(0, 2, RingRegister::M2sSize)), 0u);
    b.poke(Low, pattern(400, 3));
    b.set_ring(0, 2, 1 << 20, Source, Destination);
    b.ring_doorbell(0, 2, 4, 2);
    sc_core::sc_start();
    EXPECT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.peek(High, 400), pattern(400, 3));
}

INSTANTIATE_TEST_SUITE_P(Cases, DmaError, testing::ValuesIn(Cases),
                         [](const testing::TestParamInfo<Bad>& info) { return info.param.name; });

std::string first_error(const DmaBench& b) {
    return b.errors.empty() ? "none" : b.errors[0].message;
}

TEST(DmaRegisters, DoorbellOnARingWithoutSize) {
    DmaBench b("b");
    elaborate();
    b.ring_doorbell(0, 0, 1, 1);
    sc_core::sc_start();
    EXPECT_EQ(first_error(b),
              "DMA engine 0 ring 0 descriptor 0: doorbell for 1 m2s and 1 s2m descriptors, expected at most "
              "0 and 0");
}

TEST(DmaRegisters, DescriptorFetchRefused) {
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 0, 1 << 20, Source, Destination);
    b.host.write32(ring_address(0, 0, RingRegister::M2sBaseHigh), 3);
    b.ring_doorbell(0, 0, 4, 2);
    sc_core::sc_start();
    EXPECT_EQ(first_error(b),
              "DMA engine 0 ring 0 descriptor 0, address 0x300100000: descriptor fetch refused "
              "(TLM_ADDRESS_ERROR_RESPONSE)");
}

TEST(DmaRegisters, SetupWhileBusy) {
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 0, 1 << 20, Source, Destination);
    b.ring_doorbell(0, 0, 4, 2);
    sc_core::sc_start(tlm::to_sc(500 * Ns));
    b.host.write32(ring_address(0, 0, RingRegister::S2mSize), 3);
    sc_core::sc_start();
    EXPECT_EQ(first_error(b),
              "DMA engine 0 ring 0 descriptor 0: base or size written while the ring has work");
}

TEST(DmaRegisters, BaseAlignment) {
    DmaBench b("b");
    elaborate();
    b.host.write32(ring_address(0, 0, RingRegister::M2sBaseLow), 0x80);
    sc_core::sc_start();
    EXPECT_EQ(first_error(b),
              "DMA engine 0 ring 0 descriptor 0: ring base or size 0x80, expected a multiple of 256 or 1 to "
              "16777200");
}

TEST(DmaRegisters, ReadBackAndRefuseOtherAddresses) {
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 5, (1ULL << 20) + 256, Source, Destination);
    EXPECT_EQ(b.register_value(ring_address(0, 5, RingRegister::M2sBaseLow)), (1u << 20) + 256);
    EXPECT_EQ(b.register_value(ring_address(0, 5, RingRegister::M2sSize)), 4u);
    EXPECT_EQ(b.register_value(ring_address(0, 5, RingRegister::S2mSize)), 2u);
    EXPECT_EQ(b.register_value(ring_address(0, 5, RingRegister::Status)), 0u);
    const std::uint64_t refused[] = {ring_address(0, 0, RingRegister::M2sBaseLow) + 0x14,
                                     ring_address(1, 0, RingRegister::M2sSize),
                                     engine_address(0, dma::EngineRegister::SrSeed) + 4};
    for (const std::uint64_t address : refused) {
        const auto read = b.host.read(address, 4);
        const auto write = b.host.write32(address, 1);
        sc_core::sc_start();
        EXPECT_EQ(b.host.replies.at(read).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << address;
        EXPECT_EQ(b.host.replies.at(write).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << address;
    }
    const auto wide = b.host.read(ring_address(0, 0, RingRegister::M2sSize), 8);
    sc_core::sc_start();
    EXPECT_EQ(b.host.replies.at(wide).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace
}  // namespace trnsim::test
