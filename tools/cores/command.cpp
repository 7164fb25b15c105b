#include "tools/cores/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace trnsim::cores {
namespace {

std::vector<std::string> environment_with(const std::vector<Variable>& variables) {
    std::vector<std::string> lines;
    for (char** line = environ; *line != nullptr; ++line) {
        const std::string_view text = *line;
        if (std::ranges::find(variables, text.substr(0, text.find('=')), &Variable::name) == variables.end())
            lines.emplace_back(text);
    }
    for (const Variable& variable : variables)
        if (variable.value) lines.push_back(variable.name + "=" + *variable.value);
    return lines;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

void run_command(const std::vector<std::string>& arguments, const std::vector<Variable>& variables,
                 const std::filesystem::path& log) {
    const std::vector<std::string> environment = environment_with(variables);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    if (!log.empty()) {
        ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                           O_WRONLY | O_CREAT | O_APPEND, 0666);
        ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    }
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, arguments[0].c_str(), &actions, nullptr,
                                     pointers_to(arguments).data(), pointers_to(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
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
