// Tests images for GpSimd cores in a container.
#include "compiler/neff/images.hpp"

#include <gtest/gtest.h>

#include "arch/firmware/image.hpp"
#include "common/sample_package.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/neff/header.hpp"
#include "compiler/neff/members.hpp"
#include "compiler/neff/neff.hpp"
#include "firmware/include/trnsim/memory_map.h"

namespace trnsim::neff {
namespace {

constexpr std::uint32_t Code = TRNSIM_CODE_BASE;

GpsimdImage image(const std::string& name, std::uint32_t vlen = 512) {
    const firmware::Image contents{
        vlen,
        Code + 4,
        {{TRNSIM_MAILBOX_BASE, false, std::vector<std::uint8_t>(8)}, {Code, true, {1, 2, 3, 4, 5, 6, 7, 8}}},
        {"scale"},
        {{Code, 8, "scale"}},
        {},
        {}};
    return {name, firmware::serialise(contents)};
}

// Loads an image into two cores before anything else.
Package package_with_image() {
    Package package = test::sample_package();
    package.target.partitions = 32;
    package.images = {image("scale")};
    Transfer load;
    load.queue = 0;
    load.element_bytes = ImageBeat;
    load.name = "load image scale";
    load.semaphore = 5;
    load.from.place = Pattern::Space::Image;
    load.to.place = Pattern::Space::Core;
    load.to.offset = gpsimd_place(0, TRNSIM_MAILBOX_BASE);
    load.from.step = {ImageBeat, 0, 0, 0};
    load.to.step = {ImageBeat, isa::window::GpsimdTcmStride, 0, 0};
    load.from.count = load.to.count = {
        static_cast<std::uint32_t>(contents_of(package.images[0]).bytes.size()) / ImageBeat, 2, 1, 1};
    package.transfers.push_back(load);
    auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
    program.insert(program.begin(), test::trigger(2));
    return package;
}

std::string refusal(const Package& package) {
    return test::message_of<Error>([&] { serialise(package); });
}

TEST(Images, ContentsAreWholeBeatsWithZerosBetween) {
    const ImageContents contents = contents_of(image("scale"));
    EXPECT_EQ(contents.address, std::uint32_t{TRNSIM_MAILBOX_BASE});
    EXPECT_EQ(contents.entry, Code + 4);
    ASSERT_EQ(contents.bytes.size(), Code - TRNSIM_MAILBOX_BASE + ImageBeat);
    EXPECT_EQ(contents.bytes[Code - TRNSIM_MAILBOX_BASE + 7], 8);
    EXPECT_EQ(contents.bytes.back(), 0);
}

TEST(Images, AreReadAsWritten) {
    const Package package = package_with_image();
    const auto bytes = serialise(package);
    const Package read = parse(bytes, "k.neff");
    ASSERT_EQ(read.images.size(), 1u);
    EXPECT_EQ(read.images[0].name, "scale");
    EXPECT_EQ(read.images[0].bytes, package.images[0].bytes);
    EXPECT_EQ(read.transfers[2].from.place, Pattern::Space::Image);
    EXPECT_EQ(serialise(read), bytes);
}

TEST(Images, TransfersStayInTheImageAndInTheCoresThatThereAre) {
    const auto refused = [](const auto& change, const std::string& why) {
        Package package = package_with_image();
        change(package);
        EXPECT_NE(refusal(package).find(why), std::string::npos) << refusal(package);
    };
    refused([](Package& p) { p.transfers[2].from.offset = ImageBeat; }, "out of bounds of image 'scale' of");
    refused([](Package& p) { p.transfers[2].from.tensor = 1; }, "image 1 of 1");
    refused([](Package& p) { std::swap(p.transfers[2].from, p.transfers[2].to); }, "an image is not written");
    refused([](Package& p) { p.target.partitions = 16; }, "out of bounds of SBUF, PSUM and GpSimd memory");
    refused([](Package& p) { p.images.push_back(p.images[0]); }, "image 1 'scale': name used twice");
    refused([](Package& p) { p.images[0].bytes.pop_back(); }, "image 'scale': ends before its last entry");
}

TEST(Images, AreForTheCoresOfTheTarget) {
    EXPECT_EQ(contents_of(image("scale", 256)).vlen, 256u);
    Package package = package_with_image();
    package.images[0] = image("scale", 256);
    EXPECT_EQ(refusal(package),
              "image 'scale' is for GpSimd cores with a VLEN of 256, expected 512, the target's");
    package.target.gpsimd_vlen = 256;
    EXPECT_EQ(parse(serialise(package), "k.neff").target.gpsimd_vlen, 256);
}

// Older containers lack the VLEN, because all cores had 512.
TEST(Images, ATargetWithoutVlenHas512) {
    Members members = to_members(test::sample_package());
    std::vector<std::uint8_t>& info = members.at("info.json");
    std::string text(info.begin(), info.end());
    const std::size_t key = text.find("\"gpsimd_vlen\"");
    ASSERT_NE(key, std::string::npos) << text;
    const std::size_t before = text.rfind(',', key);
    text.erase(before, text.find_first_of(",}", key) - before);
    info.assign(text.begin(), text.end());
    const auto tar = make_tar(members);
    const auto header = make_header("sample", tar);
    std::vector<std::uint8_t> file(header.begin(), header.end());
    file.insert(file.end(), tar.begin(), tar.end());
    EXPECT_EQ(parse(file, "k.neff").target, test::sample_package().target);
}

TEST(Images, DamageIsNoticed) {
    const Members good = to_members(package_with_image());
    const auto refused = [](const Members& members, const std::string& why) {
        const auto tar = make_tar(members);
        const auto header = make_header("sample", tar);
        std::vector<std::uint8_t> file(header.begin(), header.end());
        for (const std::uint8_t byte : tar) file.push_back(byte);
        const std::string message = test::message_of<Error>([&] { parse(file, "k.neff"); });
        EXPECT_NE(message.find(why), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    };
    Members changed = good;
    changed.at("images/0.gpsimd").back() ^= 1;
    refused(changed, "sha256: expected '");
    changed = good;
    changed.at("images/0.gpsimd").push_back(0);
    refused(changed, "size: expected ");
    changed = good;
    changed.erase("images/0.gpsimd");
    refused(changed, "member images/0.gpsimd is missing");
    changed = good;
    changed["images/1.gpsimd"] = {};
    refused(changed, "unexpected member 'images/1.gpsimd'");
}

}  // namespace
}  // namespace trnsim::neff
