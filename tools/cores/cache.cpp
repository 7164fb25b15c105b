#include "tools/cores/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/files/files.hpp"
#include "tools/cores/command.hpp"
#include "tools/cores/hash.hpp"

namespace trnsim::cores {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t NameLength = 16;          // digits of the key in names of targets
constexpr const char* SecondsFile = "seconds";  // duration of the last build

fs::path executable_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::optional<fs::path> find_source() {
    const auto is_source = [](const fs::path& folder) {
        return fs::exists(folder / "rtl/core/neuron_core.sv") && fs::exists(folder / "cmake/Core.cmake");
    };
    if (const char* given = std::getenv("TRNSIM_SOURCE")) {
        if (is_source(given)) return fs::absolute(given);
        throw std::runtime_error(
            fmt::format("TRNSIM_SOURCE={}: no sources of trnsim there, expected its folder", given));
    }
    for (fs::path folder = executable_folder(); folder.has_relative_path(); folder = folder.parent_path())
        if (is_source(folder)) return folder;
    return std::nullopt;
}

fs::path source_folder() {
    if (const auto folder = find_source()) return *folder;
    throw std::runtime_error(
        "the RTL to build cores from is not above the program, expected its folder in TRNSIM_SOURCE");
}

// Returns an empty path if the environment names none.
fs::path find_cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return fs::path(cache) / "trnsim/cores";
    const char* home = std::getenv("HOME");
    return home == nullptr || *home == '\0' ? fs::path() : fs::path(home) / ".cache/trnsim/cores";
}

fs::path cache_folder() {
    fs::path folder = find_cache_folder();
    if (folder.empty())
        throw std::runtime_error("no folder for built cores, expected XDG_CACHE_HOME or HOME to be set");
    return folder;
}

std::string output_of(const char* command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command, "r"), ::pclose);
    std::string text;
    std::array<char, 256> buffer{};
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) text += buffer.data();
    return text;
}

std::string processor() {
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with("flags") || line.starts_with("Features")) return line;
    return "";
}

// The file beside a cached core that says what the core was made from: the hashes of its RTL and of its
// parameters, and the folder of the sources, a line each.
constexpr const char* OriginFile = "origin.txt";

std::string origin_text(const fs::path& source, const config::Config& config) {
    return fmt::format("{}\n{}\n{}\n", rtl_hash(source, config), hash_of(config::rtl_parameters(config)),
                       source.string());
}

// Allows one build of a key at a time, over all processes.
class Lock {
  public:
    explicit Lock(const fs::path& path) : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
        if (file_ < 0 || ::flock(file_, LOCK_EX) != 0)
            throw std::runtime_error(fmt::format("{}: cannot be locked", path.string()));
    }
    ~Lock() { ::close(file_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

  private:
    int file_;
};

// Removes leftovers of interrupted builds, in which their compilers may still be at work.
void remove_leftovers(const fs::path& folder, const std::string& prefix) {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
    std::error_code ignored;
    for (const fs::path& path : found) fs::remove_all(path, ignored);
}

}  // namespace

bool has_sources() {
    return find_source().has_value();
}

std::vector<CachedCore> cached_cores(const config::Config& config) {
    const std::string wanted = hash_of(config::rtl_parameters(config));
    std::vector<std::pair<fs::file_time_type, CachedCore>> found;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(find_cache_folder(), none)) {
        std::ifstream file(entry.path() / OriginFile);
        CachedCore core{{}, entry.path(), {}};
        std::string parameters, source;
        if (!std::getline(file, core.rtl_hash) || !std::getline(file, parameters) ||
            !std::getline(file, source) || parameters != wanted)
            continue;
        core.source = source;
        found.emplace_back(entry.last_write_time(none), std::move(core));
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, [](const auto& one) { return one.first; });
    std::vector<CachedCore> cores;
    for (auto& [time, core] : found) cores.push_back(std::move(core));
    return cores;
}

Cache::Cache() : Cache(source_folder(), cache_folder()) {}

Cache::Cache(fs::path source, fs::path folder)
    : source_(std::move(source)),
      folder_(std::move(folder)),
      recipe_(hash_of(source_, {{"CMakeLists.txt", ""},
                                {"arch/checkpoint/core_state.hpp", ""},
                                {"cmake", ".cmake .mk .py"},
                                {"isa/core_window.hpp", ""},
                                {"model/core/core_model.hpp", ""},
                                {"model/core/counts.hpp", ""},
                                {"model/core/gpsimd.hpp", ""},
                                {"model/core/gpsimd_debug.hpp", ""},
                                {"model/core/info.hpp", ""},
                                {"model/core/rtl", ".cpp .hpp .sv"},
                                {"model/fst", ".cpp .hpp"}}) +
              output_of("verilator --version 2>/dev/null")),
      processor_(processor()) {}

std::string Cache::key(const config::Config& config) const {
    return hash_of(rtl_hash(source_, config) + recipe_ + processor_);
}

std::string Cache::origin(const config::Config& config) const {
    return hash_of(rtl_hash(source_, config) + recipe_);
}

std::optional<fs::path> Cache::find(const config::Config& config) const {
    fs::path folder = folder_ / key(config);
    if (!fs::is_directory(folder)) return std::nullopt;
    return folder;
}

std::optional<double> Cache::last_build_seconds() const {
    std::ifstream stream(folder_ / SecondsFile);
    double seconds = 0;
    return stream >> seconds ? std::optional(seconds) : std::nullopt;
}

fs::path Cache::build(const config::Config& config, const fs::path& log) const {
    const std::string name = key(config);
    const fs::path result = folder_ / name, work = folder_ / fmt::format("{}.build.{}", name, ::getpid()),
                   ready = work / "ready";
    fs::create_directories(folder_);
    const Lock lock(folder_ / (name + ".lock"));
    if (fs::is_directory(result)) return result;
    remove_leftovers(folder_, name + ".build.");
    const auto start = std::chrono::steady_clock::now();
    fs::create_directories(ready);
    const std::string shortened = name.substr(0, NameLength);
    const fs::path yaml = work / (shortened + ".yaml");
    files::write(yaml, config::show(config));
    run_command(
        {"cmake", "-S", source_, "-B", work / "tree", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         fmt::format("-DTRNSIM_RTL_PACKAGE={}", (executable_folder() / "trnsim-rtl-package").string()),
         fmt::format("-DTRNSIM_EXTRA_CORES={}", yaml.string())},
        {}, log);
    run_command({"ninja", "-C", work / "tree", fmt::format("core_{}", shortened)}, {}, log);
    const std::string library = fmt::format("core_{}.so", shortened);
    fs::rename(work / "tree/lib/cores" / library, ready / library);
    fs::rename(yaml, ready / "configuration.yaml");
    files::write(ready / OriginFile, origin_text(source_, config));
    fs::rename(ready, result);
    fs::remove_all(work);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    files::write(folder_ / SecondsFile, fmt::format("{:.0f}\n", seconds.count()));
    return result;
}

}  // namespace trnsim::cores
