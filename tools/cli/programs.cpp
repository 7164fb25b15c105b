#include "tools/cli/programs.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace trnsim::cli {
namespace {

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

// Returns the arguments for exec; they point into `words`.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Starts the program `program` of the PATH in a folder and leaves it to the user; it has nothing to read and
// nowhere to print. Returns false when it cannot be started; then errno says why.
bool start(const std::string& program, const std::vector<std::string>& arguments,
           const std::filesystem::path& folder) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t ordinary;  // signals that main() ignores
    ::sigemptyset(&ordinary);
    ::sigaddset(&ordinary, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &ordinary);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers = pointers_to(words);
    pid_t process = 0;
    const int error =
        posix_spawnp(&process, program.c_str(), &actions, &attributes, pointers.data(), ::environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0;
}

}  // namespace

std::string open_gtkwave(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return "no display";
    if (start("gtkwave", arguments, folder)) return "";
    return errno == ENOENT ? "gtkwave is not installed" : std::string("gtkwave: ") + std::strerror(errno);
}

int run_again(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers = pointers_to(words);
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // the child ends with this program
        const int nowhere = ::open("/dev/null", O_RDWR);
        for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, file);
        if (::getppid() == parent) ::execv(pointers[0], pointers.data());
        ::_exit(1);
    }
    int status = 0;
    if (process < 0 || ::waitpid(process, &status, 0) != process)
        throw std::runtime_error(words[0] + ": " + std::strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace trnsim::cli
