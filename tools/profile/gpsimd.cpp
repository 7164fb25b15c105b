#include "tools/profile/gpsimd.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "arch/firmware/image.hpp"

namespace trnsim::profile {
namespace {

constexpr std::uint32_t WordBytes = 4;

// Returns the image with the code in the memory; null if none.
const firmware::Image* image_of(const std::vector<firmware::Image>& images,
                                const std::vector<std::uint8_t>& memory) {
    const auto holds = [&memory](const firmware::Image& image) {
        return std::ranges::all_of(image.segments, [&memory](const firmware::Segment& segment) {
            return !segment.executable || std::equal(segment.bytes.begin(), segment.bytes.end(),
                                                     memory.begin() + static_cast<std::ptrdiff_t>(
                                                                          segment.address - TRNSIM_TCM_BASE));
        });
    };
    const auto found = std::ranges::find_if(images, holds);
    return found == images.end() ? nullptr : &*found;
}

std::vector<GpsimdSpot> sorted(const std::map<std::string, GpsimdRecorder::Count>& counts) {
    std::vector<GpsimdSpot> spots;
    spots.reserve(counts.size());
    for (const auto& [place, count] : counts) spots.push_back({place, count});
    std::ranges::stable_sort(
        spots, [](const GpsimdSpot& a, const GpsimdSpot& b) { return a.count.cycles > b.count.cycles; });
    return spots;
}

}  // namespace

void GpsimdRecorder::start(unsigned core, const tlm::GpsimdView& view) {
    Program& program = programs_.emplace_back();
    program.memory.assign(view.memory().begin(), view.memory().end());
    program.counts.resize(program.memory.size() / WordBytes);
    cores_.at(core) = {.program = programs_.size() - 1};
}

void GpsimdRecorder::cycle(unsigned number, const tlm::GpsimdCycle& cycle, const tlm::GpsimdView&) {
    Core& core = cores_.at(number);
    if (!core.program || cycle.which == tlm::GpsimdClass::Sleep) return;
    core.executes |= cycle.executes;
    if (!core.executes) {
        ++core.before;
        return;
    }
    std::vector<Count>& counts = programs_[*core.program].counts;
    const std::size_t word = (cycle.pc - TRNSIM_TCM_BASE) / WordBytes;
    if (word >= counts.size()) return;  // a jump to an address without memory
    counts[word].cycles += 1 + std::exchange(core.before, 0);
    counts[word].instructions += cycle.retired ? 1 : 0;
}

GpsimdSpots gpsimd_spots(const GpsimdRecorder& recorder, const neff::Package& package) {
    std::vector<firmware::Image> images;
    images.reserve(package.images.size());
    for (const neff::GpsimdImage& image : package.images)
        images.push_back(firmware::parse(image.bytes, image.name));
    std::map<std::string, GpsimdRecorder::Count> functions, lines;
    for (const GpsimdRecorder::Program& program : recorder.programs()) {
        const firmware::Image* image = image_of(images, program.memory);
        for (std::size_t word = 0; word < program.counts.size(); ++word) {
            const GpsimdRecorder::Count& count = program.counts[word];
            if (count.cycles == 0) continue;
            const auto address = static_cast<std::uint32_t>(TRNSIM_TCM_BASE + word * WordBytes);
            const std::string place = firmware::place(image == nullptr ? firmware::Image{} : *image, address);
            for (auto& [counts, name] :
                 {std::pair{&functions, place.substr(0, place.find(" at "))}, {&lines, place}}) {
                (*counts)[name].cycles += count.cycles;
                (*counts)[name].instructions += count.instructions;
            }
        }
    }
    return {sorted(functions), sorted(lines)};
}

}  // namespace trnsim::profile
