// Tests the file of an image: it is written and read back, and every bad one is refused.
#include <gtest/gtest.h>

#include "arch/firmware/image.hpp"

namespace trnsim::firmware {
namespace {

Image sample() {
    return {
        256,
        0x80002c04,
        {{0x80002000, false, std::vector<std::uint8_t>(1024)}, {0x80002c00, true, {1, 2, 3, 4, 5, 6, 7, 8}}},
        {"first", "second"},
        {{0x80002c00, 4, "f(int)"}, {0x80002c04, 4, "_start"}},
        {"a.cpp"},
        {{0x80002c00, 1, 12}, {0x80002c04, 1, 13}, {0x80002c08, 0, 0}}};
}

std::string refusal(const std::vector<std::uint8_t>& bytes) {
    try {
        parse(bytes, "a.gpsimd");
    } catch (const Error& error) {
        return error.what();
    }
    return "is accepted";
}

template <class Change>
std::string refusal_of(Change change) {
    Image image = sample();
    change(image);
    return refusal(serialise(image));
}

TEST(ImageFile, IsReadBack) {
    const Image image = sample();
    EXPECT_EQ(parse(serialise(image), "a.gpsimd"), image);
    EXPECT_EQ(list(image).find("VLEN 256\nentry 0x80002c04: _start at a.cpp:13\n"), 0u) << list(image);
}

TEST(ImageFile, NamesPlaces) {
    const Image image = sample();
    EXPECT_EQ(place(image, 0x80002c00), "f(int) at a.cpp:12");
    EXPECT_EQ(place(image, 0x80002c07), "_start at a.cpp:13");
    EXPECT_EQ(place(image, 0x80002c08), "0x80002c08");
    EXPECT_EQ(place(image, 0x80002bff), "0x80002bff");
    Image bare = image;
    bare.lines.clear();
    EXPECT_EQ(place(bare, 0x80002c00), "f(int)");
}

TEST(ImageFile, EveryBeginningIsRefused) {
    const auto bytes = serialise(sample());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::string message =
            refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
        EXPECT_EQ(message, size < 4 ? "a.gpsimd: is not an image for GpSimd cores"
                                    : "a.gpsimd: ends before its last entry")
            << size;
    }
}

TEST(ImageFile, BadOnesAreRefused) {
    auto longer = serialise(sample());
    longer.push_back(0);
    EXPECT_EQ(refusal(longer), "a.gpsimd: has 1 bytes after its last entry");
    auto other = serialise(sample());
    other[0] ^= 1;
    EXPECT_EQ(refusal(other), "a.gpsimd: is not an image for GpSimd cores");
    auto truth = serialise(sample());
    truth[20] = 2;  // the flag that the first segment is code
    EXPECT_EQ(refusal(truth), "a.gpsimd: has 2 where 0 or 1 was expected");

    for (const std::uint32_t vlen : {0u, 64u, 384u, 1024u}) {
        EXPECT_EQ(
            refusal_of([vlen](Image& i) { i.vlen = vlen; }),
            "a.gpsimd: is for cores with a VLEN of " + std::to_string(vlen) + ", expected 128, 256 or 512");
    }
    EXPECT_EQ(refusal_of([](Image& i) { i.segments[0].address = 0x7ffffff0; }),
              "a.gpsimd: the segment at 0x7ffffff0 begins within another or before the TCM");
    EXPECT_EQ(refusal_of([](Image& i) { i.segments[1].address = 0x80002300; }),
              "a.gpsimd: the segment at 0x80002300 begins within another or before the TCM");
    EXPECT_EQ(refusal_of([](Image& i) { i.segments[1].address = 0x8000fffc; }),
              "a.gpsimd: the segment at 0x8000fffc ends at 0x80010004, past the end of the TCM");
    EXPECT_EQ(refusal_of([](Image& i) { i.entry = 0x80002c08; }),
              "a.gpsimd: the entry 0x80002c08 is not in its code");
    EXPECT_EQ(refusal_of([](Image& i) { i.entry = 0x80002c01; }),
              "a.gpsimd: the entry 0x80002c01 is not in its code");
    EXPECT_EQ(refusal_of([](Image& i) { i.operations.clear(); }), "a.gpsimd: has no operations");
    EXPECT_EQ(refusal_of([](Image& i) { i.operations[1] = "a\n"; }),
              "a.gpsimd: has an operation without a printable name");
    EXPECT_EQ(refusal_of([](Image& i) { i.operations[1] = "\xff"; }),
              "a.gpsimd: has an operation without a printable name");
    EXPECT_EQ(refusal_of([](Image& i) { i.functions[0].name = "\x7f"; }),
              "a.gpsimd: the function at 0x80002c00 has no printable name");
    EXPECT_EQ(refusal_of([](Image& i) { std::swap(i.functions[0], i.functions[1]); }),
              "a.gpsimd: has functions out of order");
    EXPECT_EQ(refusal_of([](Image& i) { i.files[0] = "\t"; }),
              "a.gpsimd: has a source file without a printable name");
    EXPECT_EQ(refusal_of([](Image& i) { std::swap(i.lines[0], i.lines[1]); }),
              "a.gpsimd: has source lines out of order");
    EXPECT_EQ(refusal_of([](Image& i) { i.lines[0].file = 2; }),
              "a.gpsimd: the line at 0x80002c00 is of no source file");
}

}  // namespace
}  // namespace trnsim::firmware
