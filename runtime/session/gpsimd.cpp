#include "runtime/session/gpsimd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "arch/firmware/status.hpp"
#include "arch/target/memory.hpp"
#include "base/text/printable.hpp"
#include "compiler/neff/sizes.hpp"
#include "firmware/include/trnsim/mailbox.hpp"
#include "isa/isa_tables.hpp"
#include "runtime/loader/segments.hpp"

namespace trnsim::runtime {
namespace {

using firmware::Mailbox;

constexpr std::uint32_t mailbox(std::size_t offset) {
    return TRNSIM_MAILBOX_BASE + static_cast<std::uint32_t>(offset);
}

// Returns the first address at which two images differ, among the bytes that the core cannot have changed.
std::optional<std::uint32_t> difference(const firmware::Image& one, const neff::ImageContents& one_contents,
                                        const neff::ImageContents& other) {
    for (const firmware::Segment& segment : one.segments) {
        if (!segment.executable) continue;
        for (std::uint32_t address = segment.address; address < segment.end(); address += 4) {
            const auto word = [address](const neff::ImageContents& contents) -> std::optional<std::uint32_t> {
                const std::uint64_t at = address - contents.address;
                if (address < contents.address || at + 4 > contents.bytes.size()) return std::nullopt;
                return contents.bytes[at] | contents.bytes[at + 1] << 8 | contents.bytes[at + 2] << 16 |
                       static_cast<std::uint32_t>(contents.bytes[at + 3]) << 24;
            };
            if (word(one_contents) != word(other)) return address;
        }
    }
    return std::nullopt;
}

}  // namespace

GpsimdCores::GpsimdCores(CoreAccess& machine, const neff::Package& package, unsigned core)
    : machine_(machine),
      window_(addresses::core_window(core)),
      cores_(package.images.empty() ? 0 : target::gpsimd_cores(package.target)) {
    for (const neff::GpsimdImage& image : package.images)
        images_.push_back({firmware::parse(image.bytes, image.name), neff::contents_of(image)});
}

std::uint32_t GpsimdCores::read(std::uint32_t core, std::uint32_t address) {
    return machine_.read32(window_ + neff::gpsimd_place(core, address));
}

void GpsimdCores::clear() {
    for (std::uint32_t core = 0; core < cores_; ++core)
        machine_.write32(window_ + neff::gpsimd_place(core, mailbox(offsetof(Mailbox, magic))), 0);
}

const GpsimdCores::Loaded* GpsimdCores::image_of(std::uint32_t core) {
    const Loaded* loaded = images_.empty() ? nullptr : &images_.front();
    for (std::size_t i = 1; i < images_.size(); ++i) {
        const Loaded& other = images_[i];
        const auto address = difference(loaded->image, loaded->contents, other.contents);
        if (!address) continue;
        const std::uint64_t at = *address - other.contents.address;
        const std::uint32_t word = read(core, *address);
        bool same = at + 4 <= other.contents.bytes.size();
        for (unsigned byte = 0; same && byte < 4; ++byte)
            same = other.contents.bytes[at + byte] == static_cast<std::uint8_t>(word >> (8 * byte));
        if (same) loaded = &other;
    }
    return loaded;
}

std::string GpsimdCores::place(std::uint32_t core, std::uint32_t address) {
    const Loaded* loaded = image_of(core);
    return firmware::text_of_place(loaded == nullptr ? nullptr : &loaded->image, address);
}

std::string GpsimdCores::place_of_core(std::uint32_t core) {
    const std::uint64_t block = window_ + std::uint64_t{core} * isa::csr::GpsimdStride;
    return place(core, machine_.read32(block + isa::csr::GpsimdPc));
}

std::vector<std::string> GpsimdCores::printed() {
    std::vector<std::string> lines;
    for (std::uint32_t core = 0; core < cores_; ++core) {
        if (read(core, mailbox(offsetof(Mailbox, magic))) != firmware::MailboxMagic) continue;
        const std::uint32_t end = read(core, mailbox(offsetof(Mailbox, printed)));
        const std::uint32_t kept = std::min<std::uint32_t>(end, TRNSIM_PRINT_BYTES);
        std::string text = kept < end ? "..." : "";
        std::uint32_t word = 0;
        for (std::uint32_t at = end - kept; at != end; ++at) {
            const std::uint32_t byte = at % TRNSIM_PRINT_BYTES;
            if (at == end - kept || byte % 4 == 0) word = read(core, TRNSIM_PRINT_BASE + byte / 4 * 4);
            text += static_cast<char>(word >> (8 * (byte % 4)));
        }
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t to = std::min(text.find('\n', from), text.size());
            lines.push_back(
                fmt::format("[gpsimd core {}] {}", core, text::printable(text.substr(from, to - from))));
            from = to + 1;
        }
    }
    return lines;
}

std::string GpsimdCores::fault(std::uint32_t mailbox_place) {
    const std::uint32_t core = (mailbox_place - isa::window::GpsimdTcmBase) / isa::window::GpsimdTcmStride;
    std::string text = fmt::format("gpsimd core {}: ", core);
    if (mailbox_place < isa::window::GpsimdTcmBase || core >= cores_) return text + "a fault";
    std::array<std::uint32_t, sizeof(Mailbox) / sizeof(std::uint32_t)> words{};
    for (std::size_t k = 0; k < words.size(); ++k) words.at(k) = read(core, mailbox(k * sizeof words[k]));
    const auto end = std::bit_cast<Mailbox>(words);
    if (end.status != firmware::Status::Trapped && end.magic != firmware::MailboxMagic)
        return fmt::format("{}does not get ready after its start: it waits at {}", text, place_of_core(core));
    if (end.completed != end.request)
        return fmt::format("{}it waits at {}, the request is not completed", text, place_of_core(core));
    const Loaded* loaded = image_of(core);
    return text + firmware::text_of_end(loaded == nullptr ? nullptr : &loaded->image, end);
}

std::vector<std::string> GpsimdCores::running() {
    std::vector<std::string> lines;
    for (std::uint32_t core = 0; core < cores_; ++core) {
        const std::uint64_t block = window_ + std::uint64_t{core} * isa::csr::GpsimdStride;
        const std::uint32_t state = machine_.read32(block + isa::csr::GpsimdState);
        if (state != static_cast<std::uint32_t>(isa::GpsimdState::Running)) continue;
        lines.push_back(fmt::format("gpsimd core {}: running at {}", core, place_of_core(core)));
    }
    return lines;
}

}  // namespace trnsim::runtime
