#include "tools/firmware/customop.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "base/files/files.hpp"
#include "base/files/temporary.hpp"
#include "base/files/temporary_directory.hpp"
#include "base/places/places.hpp"
#include "tools/cores/command.hpp"

namespace trnsim::customop {
namespace {

namespace fs = std::filesystem;

constexpr const char* Compiler = TRNSIM_FIRMWARE_COMPILER;

// Returns the shipped folder that has a file.
fs::path folder_with(const fs::path& file) {
    for (const fs::path& folder : places::shipped_folders()) {
        std::error_code ignored;
        if (fs::exists(folder / file, ignored)) return folder;
    }
    throw std::runtime_error(
        fmt::format("the device library is not there: found no {} beside the program", file.string()));
}

// Returns whether the shell would find the program.
bool is_there(const std::string& program) {
    if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
    const char* variable = std::getenv("PATH");
    std::string_view path = variable == nullptr ? "" : variable;
    while (!path.empty()) {
        const std::string_view folder = path.substr(0, path.find(':'));
        if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
        path.remove_prefix(std::min(path.size(), folder.size() + 1));
    }
    return false;
}

void check_sources(std::span<const std::string> sources) {
    for (const std::string& source : sources) {
        std::error_code ignored;
        if (!fs::is_regular_file(source, ignored))
            throw std::runtime_error(fmt::format("{}: is no file, expected a C++ source", source));
    }
}

std::vector<std::string> lines_of(const fs::path& file) {
    const auto bytes = files::read(file);
    std::vector<std::string> lines(1);
    for (const std::uint8_t byte : bytes) {
        if (byte == '\n')
            lines.emplace_back();
        else
            lines.back() += static_cast<char>(byte);
    }
    std::erase(lines, "");
    return lines;
}

// Makes a folder for the compiler's files. A signal that ends the program removes it.
files::Temporary scratch_folder() {
    const fs::path path = files::folder_of_temporaries() / "trnsim";
    return {{.path = path, .shown = path.string(), .mode = {}}, files::Temporary::Kind::Folder};
}

// Runs the compiler with its own headers only, and without files elsewhere.
void run_compiler(const std::vector<std::string>& command, const fs::path& scratch) {
    cores::run_command(command, {{"CPATH", {}}, {"CPLUS_INCLUDE_PATH", {}}, {"TMPDIR", scratch.string()}});
}

// Returns the beginning of both command lines of the compiler.
std::vector<std::string> compiler_and_flags(const fs::path& headers, const fs::path& runtime) {
    return {Compiler, "@" + (runtime / "flags").string(),
            "-Wno-error",  // warnings are the author's own
            "-I" + headers.string(), "-I" + (headers / "firmware/include").string()};
}

fs::path headers_folder() {
    return folder_with("firmware/include/trnsim/custom_op.hpp");
}
fs::path runtime_folder(std::uint32_t vlen) {
    const fs::path folder = fmt::format("firmware/runtime/vlen{}", vlen);
    return folder_with(folder / "link.ld") / folder;
}

}  // namespace

std::vector<std::uint8_t> build(std::span<const std::string> sources, std::uint32_t vlen) {
    check_sources(sources);
    if (!is_there(Compiler)) {
        throw std::runtime_error(
            fmt::format("{} is not there, expected Debian's clang-19 and lld-19 to be installed", Compiler));
    }
    const fs::path headers = headers_folder(), runtime = runtime_folder(vlen);
    const files::Temporary scratch = scratch_folder();
    const std::string elf = (scratch.path() / "image.elf").string();
    std::vector<std::string> command = compiler_and_flags(headers, runtime);
    command.insert(command.end(),
                   {"-fdebug-compilation-dir=.", fmt::format("-ffile-prefix-map={}/=", headers.string()),
                    fmt::format("-ffile-prefix-map={}/=", fs::current_path().string()), "-T",
                    (runtime / "link.ld").string()});
    for (const std::string& object : lines_of(runtime / "objects"))
        command.push_back((runtime / object).string());
    command.insert(command.end(), {"-x", "c++"});
    // A name that begins with a dash must not be an option.
    for (const std::string& source : sources)
        command.push_back(source.starts_with('-') ? "./" + source : source);
    command.insert(command.end(), {"-o", elf});
    try {
        run_compiler(command, scratch.path());
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("{}: not compiled: {}", fmt::join(sources, ", "), error.what()));
    }
    return files::read(elf);
}

// Makes a rule with the same target for each source, and joins the rules under the first one's target.
std::string dependences(std::span<const std::string> sources, std::uint32_t vlen, const std::string& target) {
    const files::Temporary scratch = scratch_folder();
    const std::string rule = (scratch.path() / "rule.d").string();
    std::string text;
    for (const std::string& source : sources) {
        std::vector<std::string> command = compiler_and_flags(headers_folder(), runtime_folder(vlen));
        command.insert(command.end(), {"-Qunused-arguments", "-w", "-M", "-MF", rule, "-MQ", target, "-x",
                                       "c++", fs::absolute(source).string()});
        run_compiler(command, scratch.path());
        const auto bytes = files::read(rule);
        std::string made(bytes.begin(), bytes.end());
        made.erase(made.find_last_not_of('\n') + 1);
        text += text.empty() ? made : " \\\n" + made.substr(made.find(": ") + 1);
    }
    return text + "\n";
}

}  // namespace trnsim::customop
