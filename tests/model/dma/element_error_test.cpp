// Tests every way in which packets of elements are refused, with code, place and message, and that nothing is
// left of them.
#include "arch/dma/elements.hpp"
#include "model/dma/bench.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;
using dma::encode;
using dma::ErrorCode;
using dma::Operation;
using dma::ReadMeta;
using dma::Result;
using dma::WriteMeta;
using isa::Dtype;
using isa::Rounding;

using List = std::vector<Descriptor>;

Descriptor source(Operation operation, Dtype dtype, unsigned number, unsigned last, std::uint32_t length) {
    return {.address = Low + 4096 * number,
            .length = length,
            .meta = encode(ReadMeta{operation, dtype, static_cast<std::uint8_t>(number),
                                    static_cast<std::uint8_t>(last)})};
}
Descriptor results(Dtype dtype, std::uint32_t length, std::uint64_t at = High) {
    return {
        .address = at, .length = length, .meta = encode(WriteMeta{Result::Elements, dtype, Rounding::Core})};
}
Descriptor constant(Operation operation, std::uint64_t value, std::uint32_t length) {
    return {.address = value, .length = length, .meta = encode(ReadMeta{operation})};
}
List whole(List list) {
    list.front().first = list.back().last = true;
    return list;
}
Descriptor with_meta(Descriptor descriptor, std::uint32_t meta) {
    descriptor.meta = meta;
    return descriptor;
}

const Descriptor X = source(Operation::Load, Dtype::Fp32, 0, 0, 400),
                 X0 = source(Operation::Load, Dtype::Fp32, 0, 1, 400),
                 Y1 = source(Operation::Add, Dtype::Bf16, 1, 1, 200), Sum = results(Dtype::Fp16, 200);
const Descriptor Bytes{.address = Low, .length = 200}, ToBytes{.address = High, .length = 200};

struct Bad {
    const char* name;
    List m2s, s2m;
    ErrorCode code;
    const char* message;
};

const Bad Cases[] = {
    {"UndefinedType",
     whole({with_meta(X, 0x001)}),
     {Sum},
     ErrorCode::Unsupported,
     "descriptor 0: meta word 0x1: undefined element type"},
    {"UnknownBits",
     whole({with_meta(X, X.meta | 1u << 20)}),
     {Sum},
     ErrorCode::Unsupported,
     "descriptor 0: meta word 0x100a01: bits of the meta word that must be 0"},
    {"BitsOfAConstant",
     whole({with_meta(constant(Operation::Scale, 0, 4), 0xa06), X}),
     {Sum},
     ErrorCode::Unsupported,
     "descriptor 0: meta word 0xa06: bits of the meta word that must be 0"},
    {"UndefinedResultType",
     whole({X}),
     {with_meta(Sum, 0x101)},
     ErrorCode::Unsupported,
     "descriptor 0, address 0x1000000000: meta word 0x101: undefined element type"},
    {"UndefinedRounding",
     whole({X}),
     {with_meta(Sum, Sum.meta | 3u << 12)},
     ErrorCode::Unsupported,
     "descriptor 0, address 0x1000000000: meta word 0x3701: undefined rounding"},
    {"UnknownResultBits",
     whole({X}),
     {with_meta(Sum, Sum.meta | 1u << 14)},
     ErrorCode::Unsupported,
     "descriptor 0, address 0x1000000000: meta word 0x4701: bits of the meta word that must be 0"},
    {"BytesWithinElements",
     whole({X0, Bytes}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 1: bytes that are copied and elements in one packet"},
    {"ElementsWithinBytes",
     whole({Bytes, Y1}),
     {ToBytes, ToBytes},
     ErrorCode::Elements,
     "descriptor 1, address 0x1000: bytes that are copied and elements in one packet"},
    {"ElementsToBytes",
     whole({X}),
     {ToBytes},
     ErrorCode::Elements,
     "descriptor 0, address 0x1000000000: an s2m descriptor of bytes in a packet of elements"},
    {"BytesToElements",
     whole({Bytes}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 0, address 0x1000000000: an s2m descriptor of elements in a packet of bytes"},
    {"PartOfAnElement",
     whole({source(Operation::Load, Dtype::Fp32, 0, 0, 402)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 0: 402 bytes, expected whole elements of fp32 (4 bytes)"},
    {"PartOfAResult",
     whole({X}),
     {results(Dtype::Fp16, 101), results(Dtype::Fp16, 99)},
     ErrorCode::Elements,
     "descriptor 0, address 0x1000000000: 101 bytes, expected whole elements of fp16 (2 bytes)"},
    {"SourceBeyondTheLast",
     whole({source(Operation::Load, Dtype::Fp32, 2, 1, 400)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 0, address 0x2000: source 2 of a packet whose last is 1"},
    {"FirstSourceMissing",
     whole({Y1}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 0, address 0x1000: source 1, expected source 0"},
    {"SourceSkipped",
     whole({source(Operation::Load, Dtype::Fp32, 0, 2, 400), source(Operation::Add, Dtype::Fp32, 2, 2, 400)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 1, address 0x2000: source 2, expected source 1"},
    {"NumberOfSourcesChanges",
     whole({X0, source(Operation::Add, Dtype::Fp32, 1, 2, 400)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 1, address 0x1000: the packet's last source is 2, expected 1, as before"},
    {"FirstSourceCombined",
     whole({source(Operation::Add, Dtype::Fp32, 0, 0, 400)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 0: operation 2 of source 0, expected 1 (load) of source 0 and of no other"},
    {"SecondSourceLoaded",
     whole({X0, source(Operation::Load, Dtype::Fp32, 1, 1, 400)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 1, address 0x1000: operation 1 of source 1, expected 1 (load) of source 0 and of no other"},
    {"TypeChangesWithinASource",
     whole({X0, source(Operation::Load, Dtype::Bf16, 0, 1, 400), Y1}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 1: source 0 with another operation or element type than before"},
    {"LastSourceMissing",
     whole({X0}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 0: the packet ends with source 0 of 0 to 1"},
    {"ConstantAtTheEnd",
     whole({X, constant(Operation::Scale, 0, 4)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 1: a constant ends the packet, expected a source"},
    {"LengthOfAConstant",
     whole({constant(Operation::Scale, 0, 8), X}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 0: a constant of 8 bytes, expected 4"},
    {"LongScale",
     whole({constant(Operation::Scale, 1ull << 32, 4), X}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 0, address 0x100000000: a scale of more than 32 bits"},
    {"SecondSourceShort",
     whole({X0, source(Operation::Add, Dtype::Bf16, 1, 1, 198)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 1, address 0x1000: source 1 has 99 elements, expected 100, as source 0"},
    {"SecondSourceLong",
     whole({X0, source(Operation::Add, Dtype::Bf16, 1, 1, 202)}),
     {Sum},
     ErrorCode::Elements,
     "descriptor 1, address 0x1000: source 1 has more than the 100 elements of source 0"},
    {"TooManyElements",
     whole({source(Operation::Load, Dtype::U8, 0, 1, 4097), source(Operation::Add, Dtype::U8, 1, 1, 4097)}),
     {results(Dtype::U8, 4097)},
     ErrorCode::Elements,
     "descriptor 0, address 0x1000: source 0 has more than 4096 elements"},
    {"ResultTypeChanges",
     whole({X}),
     {results(Dtype::Fp16, 100), results(Dtype::Bf16, 100)},
     ErrorCode::Elements,
     "descriptor 1, address 0x1000000000: results with another element type or rounding than before"},
    {"PacketTooLong",
     whole({X}),
     {results(Dtype::Fp16, 150)},
     ErrorCode::LengthMismatch,
     "descriptor 0: the packet is longer than its s2m descriptors"},
    {"PacketTooShort",
     whole({X}),
     {results(Dtype::Fp16, 206)},
     ErrorCode::LengthMismatch,
     "descriptor 0, address 0x1000000000: s2m descriptor goes 6 bytes beyond the end of its packet"},
    {"DescriptorsLeft",
     whole({X}),
     {Sum, Sum},
     ErrorCode::LengthMismatch,
     "descriptor 1: 1 s2m descriptors beyond the packets, expected none"},
};

class DmaElementError : public testing::TestWithParam<Bad> {};

TEST_P(DmaElementError, StopsTheEngineWithAMessage) {
    const Bad& bad = GetParam();
    DmaBench b("b");
    elaborate();
    b.poke(Low, std::vector<std::uint8_t>(16384));
    b.set_ring(0, 2, 1 << 20, bad.m2s, bad.s2m);
    b.ring_doorbell(0, 2, static_cast<unsigned>(bad.m2s.size()), static_cast<unsigned>(bad.s2m.size()));
    sc_core::sc_start();
    ASSERT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.errors[0].code, bad.code);
    EXPECT_EQ(b.errors[0].message, std::string("DMA engine 0 ring 2 ") + bad.message);
    b.dma.stop();
    sc_core::sc_start();
    ASSERT_TRUE(b.dma.quiet());
    b.dma.reset();
    // The values 1.0 and 0.5 are written as fp16.
    b.poke(Low, {0, 0, 0x80, 0x3f});
    b.poke(Low + 4096, {0x00, 0x3f});
    b.set_ring(
        0, 2, 1 << 20,
        whole({source(Operation::Load, Dtype::Fp32, 0, 1, 4), source(Operation::Add, Dtype::Bf16, 1, 1, 2)}),
        {results(Dtype::Fp16, 2)});
    b.ring_doorbell(0, 2, 2, 1);
    sc_core::sc_start();
    EXPECT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.peek(High, 2), (std::vector<std::uint8_t>{0x00, 0x3e}));
}

INSTANTIATE_TEST_SUITE_P(Cases, DmaElementError, testing::ValuesIn(Cases),
                         [](const testing::TestParamInfo<Bad>& info) { return info.param.name; });

TEST(DmaMeta, BitsAreWhereThePageHasThem) {
    EXPECT_EQ(encode(ReadMeta{}), 0u);
    EXPECT_EQ(encode(ReadMeta{Operation::Max, Dtype::Fp8E5m2, 3, 12}), 0x000c3f05u);
    EXPECT_EQ(encode(ReadMeta{Operation::Scale, Dtype::Fp32, 1, 2}), 6u);
    EXPECT_EQ(encode(WriteMeta{}), 0u);
    EXPECT_EQ(encode(WriteMeta{Result::Elements, Dtype::I8, Rounding::Stochastic}), 0x2201u);
    EXPECT_EQ(encode(WriteMeta{Result::Nothing}), 2u);
    for (std::uint32_t meta = 0; meta < 1u << 21; meta += 7) {
        const bool indices = dma::is_of_indices(dma::decode_read(meta).operation);
        if (dma::fault_of_read(meta).empty() && (meta & 0xff) != 0 && !indices) {
            EXPECT_EQ(encode(dma::decode_read(meta)), meta);
        }
        if (dma::fault_of_write(meta).empty() && (meta & 0xff) != 0) {
            EXPECT_EQ(encode(dma::decode_write(meta)), meta);
        }
    }
}

// Writes of registers other than the two of rounding are refused, and so are invalid values of these.
TEST(DmaMeta, RoundingRegisters) {
    DmaBench b("b");
    elaborate();
    using E = dma::EngineRegister;
    b.host.write32(engine_address(0, E::SrControl), 1);
    b.host.write32(engine_address(0, E::SrSeed), 0x12345678);
    const auto two = b.host.write32(engine_address(0, E::SrControl), 2);
    const auto error = b.host.write32(engine_address(0, E::Error), 0);
    sc_core::sc_start();
    EXPECT_EQ(b.host.replies.at(two).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.host.replies.at(error).status, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.register_value(engine_address(0, E::SrControl)), 1u);
    EXPECT_EQ(b.register_value(engine_address(0, E::SrSeed)), 0x12345678u);
}

}  // namespace
}  // namespace trnsim::test
