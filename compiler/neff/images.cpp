#include "compiler/neff/images.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/firmware/image.hpp"
#include "compiler/neff/error.hpp"
#include "firmware/include/trnsim/memory_map.h"
#include "isa/isa_tables.hpp"

namespace trnsim::neff {

static_assert(isa::window::GpsimdTcmStride == TRNSIM_TCM_BYTES);

ImageContents contents_of(const GpsimdImage& image) {
    try {
        const firmware::Image parsed = firmware::parse(image.bytes, fmt::format("image '{}'", image.name));
        ImageContents contents;
        contents.entry = parsed.entry;
        contents.vlen = parsed.vlen;
        contents.address = parsed.segments.front().address / ImageBeat * ImageBeat;
        const std::uint32_t end = parsed.segments.back().end();
        const std::uint32_t beats = (end - contents.address + ImageBeat - 1) / ImageBeat;
        contents.bytes.resize(std::size_t{beats} * ImageBeat);
        for (const firmware::Segment& segment : parsed.segments) {
            std::ranges::copy(segment.bytes, contents.bytes.begin() + (segment.address - contents.address));
        }
        return contents;
    } catch (const firmware::Error& error) {
        throw Error(error.what());
    }
}

void check_vlen(const std::string& image, std::uint32_t vlen, const target::Core& target) {
    if (vlen == static_cast<std::uint32_t>(target.gpsimd_vlen)) return;
    throw Error(fmt::format("image '{}' is for GpSimd cores with a VLEN of {}, expected {}, the target's",
                            image, vlen, target.gpsimd_vlen));
}

Transfer image_transfer(const ImageContents& contents, std::uint32_t image, std::uint32_t first_core,
                        std::uint32_t cores) {
    Transfer transfer;
    transfer.element_bytes = ImageBeat;
    transfer.from.place = Pattern::Space::Image;
    transfer.from.tensor = image;
    transfer.from.step = {ImageBeat, 0, 0, 0};
    transfer.to.place = Pattern::Space::Core;
    transfer.to.offset = gpsimd_place(first_core, contents.address);
    transfer.to.step = {ImageBeat, isa::window::GpsimdTcmStride, 0, 0};
    const auto beats = static_cast<std::uint32_t>(contents.bytes.size() / ImageBeat);
    transfer.from.count = transfer.to.count = {beats, cores, 1, 1};
    return transfer;
}

std::uint32_t gpsimd_memory(std::uint32_t core) {
    return isa::window::GpsimdTcmBase + core * isa::window::GpsimdTcmStride;
}

std::uint32_t gpsimd_place(std::uint32_t core, std::uint32_t address) {
    return gpsimd_memory(core) + (address - TRNSIM_TCM_BASE);
}

}  // namespace trnsim::neff
