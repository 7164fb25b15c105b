#include "testbench/trial/own_kernel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/files/temporary_directory.hpp"
#include "base/text/printable.hpp"
#include "compiler/neff/neff.hpp"

namespace trnsim::trial {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

fs::path find_program(const std::string& word, const fs::path& folder) {
    if (word.find('/') != std::string::npos) {
        fs::path path = (folder / word).lexically_normal();
        if (is_program(path)) return path;
        throw std::runtime_error(fmt::format("{}: {}, expected a program", path.string(),
                                             fs::exists(path) ? "cannot be executed" : "no such file"));
    }
    const char* list = std::getenv("PATH");
    std::istringstream stream(list == nullptr ? "" : list);
    for (std::string entry; std::getline(stream, entry, ':');) {
        if (fs::path path = fs::path(entry) / word; !entry.empty() && is_program(path)) return path;
    }
    throw std::runtime_error(fmt::format(
        "'{}' is not in PATH, expected a program; one in the folder of this file is './{}'", word, word));
}

std::string last_line(const fs::path& log) {
    const auto bytes = files::read(log);
    std::istringstream stream(std::string(bytes.begin(), bytes.end()));
    std::string last;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) last = line;
    return text::printable(last);
}

// Returns how the program ended; its output goes to `log`.
int run(const OwnKernel& kernel, std::vector<std::string> words, const fs::path& log) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string file = fs::absolute(kernel.file).string();
    const pid_t parent = ::getpid(), child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int in = ::open("/dev/null", O_RDONLY);
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(in, STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
        const fs::path folder = kernel.folder.empty() ? fs::path(".") : kernel.folder;
        if (::getppid() == parent && ::chdir(folder.c_str()) == 0) ::execv(file.c_str(), pointers.data());
        ::_exit(127);
    }
    int status = 0;
    pid_t ended = child;
    if (child > 0) {
        while ((ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {
        }
    }
    if (child < 0 || ended != child)
        throw std::runtime_error(fmt::format("{}: {}", kernel.file.string(), std::strerror(errno)));
    return status;
}

}  // namespace

std::vector<fs::path> OwnKernel::files() const {
    std::vector<fs::path> all{file};
    for (std::size_t i = 1; i < words.size(); ++i) {
        std::error_code ignored;
        if (fs::path path = folder / words[i]; fs::is_regular_file(path, ignored)) all.push_back(path);
    }
    return all;
}

OwnKernel own_container(const fs::path& file) {
    const neff::Package package = neff::read(file);
    return {.name = file.stem().string(),
            .arguments = package.arguments,
            .file = file,
            .words = {},
            .folder = {},
            .target = package.target};
}

OwnKernel own_program(std::span<const std::string> words, const fs::path& folder) {
    if (words.empty() || words[0].empty())
        throw std::runtime_error("found no program, expected its name and its arguments");
    return {.name = fs::path(words[0]).stem().string(),
            .arguments = fmt::format("{}", fmt::join(words.subspan(1), " ")),
            .file = find_program(words[0], folder),
            .words = {words.begin(), words.end()},
            .folder = folder,
            .target = {}};
}

neff::Package package_of(const OwnKernel& kernel, const config::Config& config) {
    if (!kernel.is_program()) return neff::read(kernel.file);
    const files::TemporaryDirectory scratch;
    const fs::path made = scratch / "kernel.neff", yaml = scratch / (config.name + ".yaml"),
                   log = scratch / "log";
    files::write(yaml, config::show(config));
    std::vector<std::string> words = kernel.words;
    words.insert(words.end(), {"-o", made.string(), "--config", yaml.string()});
    const int status = run(kernel, words, log);
    const std::string program = fmt::format("{}", fmt::join(kernel.words, " "));
    if (WIFSIGNALED(status))
        throw std::runtime_error(fmt::format("program '{}' ended by signal {}", program, WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0) {
        const std::string said = last_line(log);
        throw std::runtime_error(fmt::format("program '{}' ended with status {}{}", program,
                                             WEXITSTATUS(status), said.empty() ? "" : ": " + said));
    }
    if (!fs::exists(made))
        throw std::runtime_error(
            fmt::format("program '{}' wrote no container, expected it at what follows its -o", program));
    try {
        return neff::parse(files::read(made), "container");
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("program '{}': {}", program, error.what()));
    }
}

}  // namespace trnsim::trial
