#include "tools/cli/signals.hpp"

#include <signal.h>

#include <array>
#include <atomic>

#include "base/files/temporary.hpp"

namespace trnsim::cli {
namespace {

constexpr std::array Asking{SIGHUP, SIGINT, SIGTERM};

std::atomic<int> noted = 0;
std::array<struct sigaction, Asking.size()> before_guard;

void set_handler(int signal, void (*handler)(int), struct sigaction* before) {
    struct sigaction action {};
    action.sa_handler = handler;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, before);
}

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Ends the program by a signal. It may run in a signal handler at any time and calls nothing that is
// forbidden there. SIGTERM ends the program like ^C: a shell sees status 130 for both.
void die(int given) {
    const int signal = given == SIGTERM ? SIGINT : given;
    files::remove_temporaries();
    set_handler(signal, SIG_DFL, nullptr);
    ::raise(signal);
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, signal);
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);  // as this may be its handler: it takes effect here
}

void note(int signal) {
    int none = 0;
    if (!noted.compare_exchange_strong(none, signal)) die(signal);
}

}  // namespace

void clean_up_on_signals() {
    for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM})
        if (!is_ignored(signal)) set_handler(signal, die, nullptr);
}

InterruptGuard::InterruptGuard() {
    noted = 0;
    for (std::size_t i = 0; i < Asking.size(); ++i) {
        if (is_ignored(Asking[i])) {
            ::sigaction(Asking[i], nullptr, &before_guard[i]);
        } else {
            set_handler(Asking[i], note, &before_guard[i]);
        }
    }
}

InterruptGuard::~InterruptGuard() {
    for (std::size_t i = 0; i < Asking.size(); ++i) ::sigaction(Asking[i], &before_guard[i], nullptr);
}

bool InterruptGuard::interrupted() {
    return noted != 0;
}

void end_by_noted_signal() {
    if (noted != 0) die(noted);
}

}  // namespace trnsim::cli
