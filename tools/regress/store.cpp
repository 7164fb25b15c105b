#include "tools/regress/store.hpp"

#include <fmt/format.h>

#include <exception>
#include <system_error>

#include "base/files/files.hpp"
#include "tools/cores/hash.hpp"

namespace trnsim::regress {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string identity(const Case& one, const config::Config& config, const sweep::Origin& origin,
                     const std::string& plan) {
    std::string text = fmt::format("{}\nexpect {}\nmax_time {}\n{}\n", one.id, one.expect, one.max_time,
                                   config::show(config));
    if (one.own) text += one.own->file.string() + "\n";
    for (const auto& [name, hash] : origin) text += fmt::format("{} {}\n", name, hash);
    return cores::hash_of(text + plan);
}

Store::Store(const fs::path& folder, bool keep) : folder_(folder / "tests") {
    std::error_code error;
    if (!keep) fs::remove_all(folder_, error);
    fs::create_directories(folder_, error);
    if (error) throw files::Error(fmt::format("{}: cannot be made: {}", folder_.string(), error.message()));
    files::remove_leftovers(folder_);
}

void Store::put(const std::string& identity, const CaseResult& result) const {
    files::write(folder_ / (identity + ".json"), to_text(result) + "\n");
}

std::optional<CaseResult> Store::find(const std::string& identity) const {
    const fs::path path = folder_ / (identity + ".json");
    std::error_code unreachable;
    if (!fs::is_regular_file(path, unreachable)) return std::nullopt;
    try {
        const auto bytes = files::read(path);
        CaseResult result = from_text({bytes.begin(), bytes.end()});
        if (result.status != Status::Timeout && result.status != Status::Crash) return result;
    } catch (const std::exception&) {  // not a result
    }
    return std::nullopt;
}

}  // namespace trnsim::regress
