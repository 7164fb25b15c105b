#include "tools/sweep/origin.hpp"

#include <vector>

#include "arch/config/config.hpp"
#include "base/files/files.hpp"
#include "tools/cores/hash.hpp"

namespace trnsim::sweep {
namespace {

std::string hash_of_files(const std::vector<std::filesystem::path>& paths) {
    std::string hashes;
    for (const std::filesystem::path& path : paths) {
        const auto bytes = files::read(path);
        hashes += cores::hash_of(std::string(bytes.begin(), bytes.end()));
    }
    return cores::hash_of(hashes);
}

}  // namespace

Origin origin_of(const std::string& core, const trial::OwnKernel* kernel) {
    static const std::string program = hash_of_files({"/proc/self/exe"});
    static const std::string estimates = hash_of_files(
        {config::find_shipped("estimates/energy.yaml"), config::find_shipped("estimates/area.yaml")});
    Origin origin{{"program", program}, {"estimates", estimates}};
    if (!core.empty()) origin.emplace("core", core);
    if (kernel != nullptr) origin.emplace("kernel", hash_of_files(kernel->files()));
    return origin;
}

std::string difference(const Origin& before, const Origin& now) {
    std::string text;
    for (const auto& [name, hash] : now) {
        const auto found = before.find(name);
        if (found == before.end() || found->second != hash)
            text += (text.empty() ? "another " : ", another ") + name;
    }
    return text;
}

}  // namespace trnsim::sweep
