#include "testbench/cli/programs.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace trnsim::cli {
namespace {

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

// The process `program` of the PATH with nothing to read and nowhere to print, in a folder; 0 when it cannot
// be started, errno says why.
pid_t start(const std::string& program, const std::vector<std::string>& arguments,
            const std::filesystem::path& folder, short flags) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, flags);
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t process = 0;
    const int error =
        posix_spawnp(&process, program.c_str(), &actions, &attributes, pointers.data(), ::environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0 ? process : 0;
}

}  // namespace

std::string open_gtkwave(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return "no display";
    if (start("gtkwave", arguments, folder, POSIX_SPAWN_SETSID) != 0) return "";
    return errno == ENOENT ? "gtkwave is not installed" : std::string("gtkwave: ") + std::strerror(errno);
}

int run_again(const std::vector<std::string>& arguments) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const pid_t process = start(self, arguments, std::filesystem::current_path(), 0);
    int status = 0;
    if (process == 0 || ::waitpid(process, &status, 0) != process)
        throw std::runtime_error(self + ": " + std::strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace trnsim::cli
