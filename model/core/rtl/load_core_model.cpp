#include "model/core/rtl/load_core_model.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/places/places.hpp"
#include "core_abi.hpp"
#include "model/core/pin_core.hpp"
#include "model/core/rtl/core_label.hpp"
#include "model/core/rtl/core_library.hpp"

namespace trnsim::tlm {
namespace {

namespace fs = std::filesystem;

// Returns folders with core libraries: those in TRNSIM_CORE_PATH, separated by colons; else those of the
// trnsim program, in a build folder and in an installation.
std::vector<fs::path> folders() {
    std::vector<fs::path> result;
    if (const char* list = std::getenv("TRNSIM_CORE_PATH")) {
        std::istringstream stream(list);
        for (std::string folder; std::getline(stream, folder, ':');) {
            if (!folder.empty()) result.emplace_back(folder);
        }
        return result;
    }
    for (const fs::path& folder : places::program_folders())
        for (const char* cores : {"../lib/cores", "../lib/trnsim/cores"})
            if (fs::is_directory(folder / cores)) result.push_back(folder / cores);
    return result;
}

// Returns the core libraries, those first that use more features of the processor.
std::vector<fs::path> libraries() {
    std::vector<fs::path> result;
    for (const fs::path& folder : folders()) {
        std::error_code ignored;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
            if (entry.path().extension() == ".so" && entry.path().filename().string().starts_with("core_")) {
                result.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(result);
    std::ranges::stable_sort(result, std::ranges::greater{}, features_used);
    return result;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parse(const std::string& text) {
    Parameters parameters;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t equals = line.find('=');
        if (equals != std::string::npos)
            parameters.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    }
    return parameters;
}

const std::string* find(const Parameters& parameters, const std::string& name) {
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.first == name; });
    return found == parameters.end() ? nullptr : &found->second;
}

constexpr std::size_t ShownDifferences = 3;

// Returns "Rows=8 instead of 16, ..." for the first parameters in which `has` differs from `wanted`, and the
// number of the others.
std::string differences(const Parameters& has, const Parameters& wanted) {
    std::vector<std::string> list;
    for (const auto& [name, value] : wanted) {
        const std::string* there = find(has, name);
        if (there == nullptr) {
            list.push_back(fmt::format("no {}", name));
        } else if (*there != value) {
            list.push_back(fmt::format("{}={} instead of {}", name, *there, value));
        }
    }
    for (const auto& [name, value] : has) {
        if (find(wanted, name) == nullptr) list.push_back(fmt::format("{}={} instead of none", name, value));
    }
    if (list.size() > ShownDifferences) {
        const std::size_t more = list.size() - ShownDifferences;
        list.resize(ShownDifferences);
        list.push_back(fmt::format("{} more", more));
    }
    return fmt::format("{}", fmt::join(list, ", "));
}

// A library that stays loaded once its model is in use, until the process ends.
class Library {
  public:
    explicit Library(const fs::path& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr) {
            error_ = dlerror();
            return;
        }
        parameters_ = reinterpret_cast<CoreParametersFunction*>(dlsym(handle_, "trnsim_core_parameters"));
        create_ = reinterpret_cast<CoreCreateFunction*>(dlsym(handle_, "trnsim_core_create"));
        if (parameters_ == nullptr || create_ == nullptr) error_ = "not a core library";
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() {
        if (handle_ != nullptr && !in_use_) dlclose(handle_);
    }

    const std::string& error() const { return error_; }  // empty for a core library
    std::string parameters() const { return parameters_(); }
    std::unique_ptr<CoreModel> create(unsigned threads) {
        in_use_ = true;
        return std::unique_ptr<CoreModel>(create_(threads));
    }

  private:
    void* handle_;
    std::string error_;
    CoreParametersFunction* parameters_ = nullptr;
    CoreCreateFunction* create_ = nullptr;
    bool in_use_ = false;
};

}  // namespace

std::unique_ptr<CoreModel> load_core_model(const std::string& parameters, unsigned threads) {
    std::vector<std::string> others;
    const std::string features = processor_features();
    for (const fs::path& path : libraries()) {
        // This comes before dlopen(), which runs code of the library.
        if (const std::string reason = refusal(path, TRNSIM_CORE_FULL_ABI, features); !reason.empty()) {
            others.push_back(fmt::format("{} ({})", path.filename().string(), reason));
            continue;
        }
        Library library(path);
        if (!library.error().empty()) {
            others.push_back(fmt::format("{} ({})", path.filename().string(), library.error()));
        } else if (library.parameters() == parameters) {
            return library.create(threads);
        } else {
            others.push_back(fmt::format("{} ({})", path.filename().string(),
                                         differences(parse(library.parameters()), parse(parameters))));
        }
    }
    std::string where;
    for (const fs::path& folder : folders())
        where += (where.empty() ? "" : ":") + folder.lexically_normal().string();
    throw NoCoreModel(where.empty() ? "any folder" : where,
                      others.empty() ? "none" : fmt::format("{}", fmt::join(others, "; ")));
}

NoCoreModel::NoCoreModel(const std::string& folders, const std::string& models)
    : std::runtime_error(fmt::format(
          "no core model for this configuration in {} (./trnsim core CONFIG.yaml builds one, fidelity "
          "fast needs none); there is: {}",
          folders, models)),
      there(models) {}

CoreFactory core_rtl::load_core(const config::Config& config, unsigned threads) {
    return core_of(load_core_model(config::rtl_parameters(config), threads));
}

}  // namespace trnsim::tlm
