#include "tools/cores/command.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace trnsim::cores {

void run_command(const std::vector<std::string>& arguments) {
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ);
    if (error != 0)
        throw std::runtime_error(
            fmt::format("{}: cannot be started: {}", arguments[0], std::strerror(error)));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        throw std::runtime_error(fmt::format("{}: ended by signal {}", arguments[0], WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        throw std::runtime_error(fmt::format("{}: ended with status {}", arguments[0], WEXITSTATUS(status)));
}

}  // namespace trnsim::cores
