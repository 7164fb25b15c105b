#include "lib/runtime/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "lib/neff/checksum.hpp"
#include "lib/runtime/error.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::size_t Digits = 16;  // of a hash, in messages and in the file

std::string hash_of(std::span<const std::uint8_t> bytes) {
    return neff::hex(neff::sha256(bytes)).substr(0, Digits);
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <typename T>
void append(std::vector<std::uint8_t>& bytes, const T& value) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
}

// Programs, and those of GpSimd cores.
std::vector<std::uint8_t> programs_of(const Image& image) {
    std::vector<std::uint8_t> bytes;
    for (const ProgramImage& program : image.programs) {
        append(bytes, program.instructions.size());
        for (const isa::Instruction& instruction : program.instructions)
            bytes.insert(bytes.end(), instruction.bytes().begin(), instruction.bytes().end());
    }
    for (const auto& contents : image.gpsimd)
        bytes.insert(bytes.end(), contents.bytes.begin(), contents.bytes.end());
    return bytes;
}

// Addresses of programs, tensors and rings, sizes of rings.
std::vector<std::uint8_t> places_of(const Image& image) {
    std::vector<std::uint8_t> bytes;
    append(bytes, image.core);
    for (const ProgramImage& program : image.programs) append(bytes, program.address);
    for (const std::uint64_t address : image.tensor_address) append(bytes, address);
    for (const std::uint64_t address : image.gpsimd_address) append(bytes, address);
    for (const std::vector<Ring>& engines : image.rings) {
        for (const Ring& ring : engines) {
            append(bytes, ring.m2s_base);
            append(bytes, ring.s2m_base);
            append(bytes, ring.size);
        }
    }
    return bytes;
}

void expect_same(const char* what, const std::string& saved, const std::string& expected) {
    if (saved != expected)
        throw Error(fmt::format("the checkpoint is of {} {}, expected {}", what, saved, expected));
}

}  // namespace

checkpoint::Identity identity_of(const config::Config& config, const neff::Package& package,
                                 const Image& image, tlm::contents::Seed random_memory) {
    const std::string memory = random_memory ? fmt::format(", random memory {}", *random_memory) : "";
    return {.configuration =
                fmt::format("{} ({}{})", config.name, hash_of(bytes_of(config::show(config))), memory),
            .kernel = fmt::format("{} ({})", package.name, hash_of(programs_of(image))),
            .placement = hash_of(places_of(image))};
}

void check_identity(const checkpoint::Identity& saved, const checkpoint::Identity& expected) {
    expect_same("configuration", saved.configuration, expected.configuration);
    expect_same("kernel", saved.kernel, expected.kernel);
    expect_same("a placement of tensors and rings", saved.placement, expected.placement);
}

void check_possible(const neff::Package& package, const Image& image, bool perturbed) {
    const auto refuse = [&package](const char* what) {
        throw Error(fmt::format("kernel '{}': {}, which no checkpoint has", package.name, what));
    };
    if (image.notifications.records != 0) refuse("it has a notification queue");
    if (perturbed) refuse("the run is perturbed");
}

}  // namespace trnsim::runtime
