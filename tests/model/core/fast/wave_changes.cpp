#include "wave_changes.hpp"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

namespace trnsim::test {
namespace {

// The callback of the reader fills this.
struct Collected {
    std::multimap<fstHandle, std::string> names;
    WaveChanges changes;
};

}  // namespace

WaveChanges read_changes(const std::string& path) {
    const std::unique_ptr<void, decltype(&fstReaderClose)> reader(fstReaderOpen(path.c_str()),
                                                                  &fstReaderClose);
    if (!reader) throw std::runtime_error(path + ": no recording");
    Collected collected;
    std::vector<std::string> scopes;
    while (const fstHier* item = fstReaderIterateHier(reader.get())) {
        if (item->htyp == FST_HT_SCOPE) scopes.emplace_back(item->u.scope.name);
        if (item->htyp == FST_HT_UPSCOPE) scopes.pop_back();
        if (item->htyp != FST_HT_VAR) continue;
        std::string name;
        for (const std::string& scope : scopes) name += scope + ".";
        collected.names.emplace(item->u.var.handle, name + item->u.var.name);
    }
    fstReaderSetFacProcessMaskAll(reader.get());
    fstReaderIterBlocks(
        reader.get(),
        [](void* to, std::uint64_t time, fstHandle handle, const unsigned char* value) {
            auto& into = *static_cast<Collected*>(to);
            const auto [first, last] = into.names.equal_range(handle);
            for (auto name = first; name != last; ++name) {
                auto& changes = into.changes[name->second];
                const std::string text(reinterpret_cast<const char*>(value));
                if (changes.empty() || changes.back().second != text) changes.emplace_back(time, text);
            }
        },
        &collected, nullptr);
    return std::move(collected.changes);
}

std::string difference(const WaveChanges& whole, const WaveChanges& part) {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::string text;
    for (const auto& [name, got] : part) {
        const auto found = whole.find(name);
        if (found == whole.end()) return fmt::format("{}: the RTL's recording has no such signal", name);
        const auto& want = found->second;
        const auto [a, b] = std::ranges::mismatch(want, got);
        if (a == want.end() && b == got.end()) continue;
        const auto tell = [](const auto& changes, auto change) {
            return change == changes.end() ? "no more changes"
                                           : fmt::format("{} at {}", change->second, change->first);
        };
        const std::uint64_t time =
            std::min(a == want.end() ? first : a->first, b == got.end() ? first : b->first);
        if (time >= first) continue;
        first = time;
        text = fmt::format("{}: {}, expected {} as the RTL has it", name, tell(got, b), tell(want, a));
    }
    return text;
}

}  // namespace trnsim::test
