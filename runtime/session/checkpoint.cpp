#include "runtime/session/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "compiler/neff/checksum.hpp"
#include "runtime/session/error.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::size_t Digits = 16;  // digits of a hash, in messages and in the file

std::string hash_of(std::span<const std::uint8_t> bytes) {
    return neff::hex(neff::sha256(bytes)).substr(0, Digits);
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <typename T>
void append(std::vector<std::uint8_t>& bytes, const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
}

void append_text(std::vector<std::uint8_t>& bytes, std::string_view text) {
    append(bytes, text.size());
    bytes.insert(bytes.end(), text.begin(), text.end());
}

// Appends the programs, including those of GpSimd cores.
void append_programs(std::vector<std::uint8_t>& bytes, const Image& image) {
    for (const loader::ProgramImage& program : image.programs) {
        append(bytes, program.instructions.size());
        for (const isa::Instruction& instruction : program.instructions)
            bytes.insert(bytes.end(), instruction.bytes().begin(), instruction.bytes().end());
    }
    for (const auto& contents : image.gpsimd)
        bytes.insert(bytes.end(), contents.bytes.begin(), contents.bytes.end());
}

// Appends addresses of programs, tensors and rings, and sizes of rings.
void append_places(std::vector<std::uint8_t>& bytes, const Image& image) {
    append(bytes, image.core);
    for (const loader::ProgramImage& program : image.programs) append(bytes, program.address);
    for (const std::uint64_t address : image.tensor_address) append(bytes, address);
    for (const std::uint64_t address : image.gpsimd_address) append(bytes, address);
    for (const std::vector<loader::Ring>& engines : image.rings) {
        for (const loader::Ring& ring : engines) {
            append(bytes, ring.m2s_place.address);
            append(bytes, ring.s2m_place.address);
            append(bytes, ring.m2s_place.size);
        }
    }
}

// Returns the chips with their cores of any kind, and the links.
std::vector<std::uint8_t> bytes_of(const config::Server& server) {
    std::vector<std::uint8_t> bytes;
    append_text(bytes, config::show(server.chip));
    config::Server same = server;
    same.name.clear();
    same.chip_name.clear();
    for (config::SlotKinds& chip : same.slots) {
        for (config::CoreKind& kind : chip)
            if (kind != config::CoreKind::None) kind = config::CoreKind::Rtl;
    }
    append_text(bytes, config::show(same));
    return bytes;
}

std::string configuration_of(const std::string& name, std::span<const std::uint8_t> bytes,
                             tlm::contents::Seed random_memory) {
    return fmt::format("{} ({}{})", name, hash_of(bytes),
                       random_memory ? fmt::format(", random memory {}", *random_memory) : "");
}

// `more` describes the actions of the kernels beside their programs.
checkpoint::Identity identity_of(std::string configuration, std::span<const LoadedPackage> loaded,
                                 std::span<const std::uint8_t> more) {
    std::vector<std::string> names;
    std::vector<std::uint8_t> programs(more.begin(), more.end()), places;
    for (const LoadedPackage& one : loaded) {
        if (std::ranges::find(names, one.package->name) == names.end()) names.push_back(one.package->name);
        append_programs(programs, *one.image);
        append_places(places, *one.image);
    }
    return {.configuration = std::move(configuration),
            .kernel = fmt::format("{} ({})", fmt::join(names, ", "), hash_of(programs)),
            .placement = hash_of(places)};
}

void expect_same(const char* what, const std::string& saved, const std::string& expected) {
    if (saved != expected)
        throw Error(fmt::format("the checkpoint is of {} {}, expected {}", what, saved, expected));
}

}  // namespace

checkpoint::Identity identity_of(const config::Config& config, const LoadedPackage& loaded,
                                 tlm::contents::Seed random_memory) {
    return identity_of(configuration_of(config.name, bytes_of(config::show(config)), random_memory),
                       {&loaded, 1}, {});
}

checkpoint::Identity identity_of(const config::Server& server, std::span<const LoadedPackage> ranks,
                                 std::span<const std::uint8_t> collectives,
                                 tlm::contents::Seed random_memory) {
    return identity_of(configuration_of(server.name, bytes_of(server), random_memory), ranks, collectives);
}

CheckpointRequest with_identity(CheckpointRequest request, const checkpoint::Identity& identity) {
    if (request.save) {
        request.save = [identity, save = std::move(request.save)](checkpoint::SystemState& state) {
            state.identity = identity;
            save(state);
        };
    }
    return request;
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
