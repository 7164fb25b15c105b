#include "testbench/cli/isolated.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace trnsim::cli {
namespace {

constexpr char Returned = 'r', Threw = 't';  // first byte of what the child says

void send(int file, char kind, const std::string& text) {
    const std::string message = kind + text;
    for (std::size_t sent = 0; sent < message.size();) {
        const ssize_t n = ::write(file, message.data() + sent, message.size() - sent);
        if (n < 0 && errno != EINTR) return;
        if (n > 0) sent += static_cast<std::size_t>(n);
    }
}

[[noreturn]] void be_child(int file, const std::function<std::string()>& work) {
    try {
        send(file, Returned, work());
    } catch (const std::exception& error) {
        send(file, Threw, error.what());
    }
    std::fflush(nullptr);
    ::_exit(0);
}

std::string receive(int file) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t n = ::read(file, buffer.data(), buffer.size());
        if (n == 0) return text;
        if (n < 0 && errno != EINTR) return text;
        if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

}  // namespace

std::string run_isolated(const std::function<std::string()>& work) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) {
        ::close(pipe[0]);
        be_child(pipe[1], work);
    }
    ::close(pipe[1]);
    const std::string message = receive(pipe[0]);
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) throw std::runtime_error(fmt::format("ended by signal {}", WTERMSIG(status)));
    if (message.empty()) throw std::runtime_error("ended without a result");
    if (message[0] == Threw) throw std::runtime_error(message.substr(1));
    return message.substr(1);
}

}  // namespace trnsim::cli
