#include "runtime/session/set_up.hpp"

#include <vector>

namespace trnsim::runtime {
namespace {

void make(CoreAccess& core, const std::vector<loader::MemoryWrite>& writes) {
    for (const loader::MemoryWrite& write : writes) core.write(write.address, write.bytes);
}

void make(CoreAccess& core, const std::vector<loader::RegisterWrite>& writes) {
    for (const loader::RegisterWrite& write : writes) core.write32(write.address, write.value);
}

}  // namespace

void write_image(CoreAccess& core, const Image& image) {
    make(core, loader::memory_writes(image));
}

void write_descriptors(CoreAccess& core, const Image& image) {
    make(core, loader::descriptor_writes(image));
}

void set_up(CoreAccess& core, const Image& image, const Rounding& rounding) {
    make(core, loader::set_up_writes(image, rounding));
}

void start(CoreAccess& core, const Image& image) {
    make(core, loader::start_writes(image));
}

}  // namespace trnsim::runtime
