#include "base/jobs/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <system_error>

#include "base/jobs/pool.hpp"

namespace trnsim::jobs {
namespace {

constexpr char Returned = 'r', Threw = 't';  // first byte of the child's message

struct Pipe {
    int read = -1, write = -1;
};

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// The reading end never blocks; neither end outlives an exec.
Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return {ends[0], ends[1]};
}

// A child of a process with several threads has only one of them but the locks of all.
void check_single_thread() {
    const auto threads = std::filesystem::directory_iterator("/proc/self/task");
    const auto count = std::distance(begin(threads), end(threads));
    if (count != 1) throw std::logic_error(fmt::format("a process with {} threads must not fork", count));
}

void close(int& descriptor) {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
}

void send(int file, char kind, const std::string& text) {
    const std::string message = kind + text;
    for (std::size_t sent = 0; sent < message.size();) {
        const ssize_t n = ::write(file, message.data() + sent, message.size() - sent);
        if (n < 0 && errno != EINTR) return;
        if (n > 0) sent += static_cast<std::size_t>(n);
    }
}

[[noreturn]] void be_child(const Job& job, pid_t parent, const Pipe& result, const Pipe& log) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) ::signal(signal, SIG_DFL);
    if (job.capture) {
        ::dup2(log.write, STDOUT_FILENO);
        ::dup2(log.write, STDERR_FILENO);
    }
    try {
        send(result.write, Returned, job.work());
    } catch (const std::exception& error) {
        send(result.write, Threw, error.what());
    }
    std::fflush(nullptr);
    ::_exit(0);
}

// Appends what can be read now. Closes the descriptor at its end.
void drain(int& descriptor, std::string& text) {
    std::array<char, 65536> buffer;
    while (descriptor >= 0) {
        const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
        if (n > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(n));
        } else if (n == 0) {
            close(descriptor);
        } else if (errno != EINTR) {
            return;
        }
    }
}

void keep_end(std::string& log) {
    if (log.size() > LogBytes) log.erase(0, log.size() - LogBytes);
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status))
        return fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return fmt::format("ended with status {} without a result", WEXITSTATUS(status));
}

}  // namespace

std::string Outcome::explanation() const {
    const std::size_t end = kind == Kind::Died ? log.find_last_not_of(" \r\n\t") : std::string::npos;
    if (end == std::string::npos) return text;
    const std::size_t begin = log.find_last_of('\n', end) + 1;
    return text + ": " + log.substr(begin, end + 1 - begin);
}

Process::Process(const Job& job) : time_limit_(job.time_limit), start_(std::chrono::steady_clock::now()) {
    check_single_thread();
    Pipe result = make_pipe();
    Pipe log = job.capture ? make_pipe() : Pipe{};
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    child_ = ::fork();
    if (child_ < 0) fail("fork");
    if (child_ == 0) be_child(job, parent, result, log);
    ::setpgid(child_, child_);  // the child does the same; the first call counts
    close(result.write);
    close(log.write);
    result_ = result.read;
    log_ = log.read;
    // syscall() because glibc 2.36 declares pidfd_open() for C only.
    ended_ = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
    if (ended_ < 0) {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
        fail("pidfd_open");
    }
}

Process::~Process() {
    if (child_ > 0) finish(true);
    close(result_);
    close(log_);
    close(ended_);
}

double Process::seconds_left() const {
    if (time_limit_ <= 0) return std::numeric_limits<double>::infinity();
    return time_limit_ - std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Process::poll() {
    if (child_ < 0) return true;
    siginfo_t info{};
    const bool ended =
        ::waitid(P_PIDFD, static_cast<id_t>(ended_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0;
    drain(result_, message_);
    drain(log_, outcome_.log);
    keep_end(outcome_.log);
    if (ended) {
        finish(false);
    } else if (seconds_left() <= 0) {
        finish(true);
    }
    return child_ < 0;
}

// The group is killed while its leader still runs or has not been waited for, so its number cannot belong to
// another group.
void Process::finish(bool timed_out) {
    ::kill(-child_, SIGKILL);
    ::kill(child_, SIGKILL);
    int status = 0;
    rusage usage{};
    while (::wait4(child_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    child_ = -1;
    drain(result_, message_);
    drain(log_, outcome_.log);
    keep_end(outcome_.log);
    outcome_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    outcome_.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    if (timed_out) {
        outcome_.kind = Outcome::Kind::TimedOut;
        outcome_.text = fmt::format("took longer than {:g} s", time_limit_);
    } else if (status != 0 || message_.empty()) {
        outcome_.kind = Outcome::Kind::Died;
        outcome_.text = describe_end(status);
    } else {
        outcome_.kind = message_[0] == Threw ? Outcome::Kind::Threw : Outcome::Kind::Returned;
        outcome_.text = message_.substr(1);
    }
}

Outcome run(const Job& job) {
    Outcome result;
    run_all(
        1, [&job](std::size_t) { return job; },
        [&result](std::size_t, const Outcome& outcome) { result = outcome; }, {.workers = 1});
    return result;
}

}  // namespace trnsim::jobs
