#include "runtime/waves/recording.hpp"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "runtime/waves/signals.hpp"

namespace trnsim::waves {
namespace {

// As GTKWave names them: with the range and without a space.
std::set<std::string> signals_of(void* reader) {
    std::set<std::string> signals;
    std::vector<std::string> scopes;
    while (const fstHier* item = fstReaderIterateHier(reader)) {
        if (item->htyp == FST_HT_SCOPE) {
            scopes.emplace_back(item->u.scope.name);
        } else if (item->htyp == FST_HT_UPSCOPE) {
            scopes.pop_back();
        } else if (item->htyp == FST_HT_VAR) {
            std::string name;
            for (const std::string& scope : scopes) name += scope + ".";
            name += item->u.var.name;
            std::erase(name, ' ');
            signals.insert(std::move(name));
        }
    }
    return signals;
}

}  // namespace

Recording read_recording(const std::filesystem::path& path) {
    const auto refuse = [&path](const char* why) -> std::runtime_error {
        return std::runtime_error(
            fmt::format("{}: {}, expected a recording of a core, .fst", path.string(), why));
    };
    if (!std::filesystem::is_regular_file(path)) throw refuse("no such file");
    const std::unique_ptr<void, decltype(&fstReaderClose)> reader(fstReaderOpen(path.c_str()),
                                                                  &fstReaderClose);
    if (!reader) throw refuse("no waveform in the FST format");
    if (fstReaderGetTimescale(reader.get()) != Picoseconds) throw refuse("times that are not in ps");
    Recording recording{std::filesystem::absolute(path), fstReaderGetStartTime(reader.get()),
                        fstReaderGetEndTime(reader.get())};
    recording.signals = signals_of(reader.get());
    return recording;
}

}  // namespace trnsim::waves
