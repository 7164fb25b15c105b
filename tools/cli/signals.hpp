// Signals that ask the program to end: HUP, INT, TERM, and PIPE for a reader that went away. However it ends,
// no partial file stays behind, and whoever waits for it learns of the signal.
#pragma once

namespace trnsim::cli {

// From now on such a signal removes the temporary files and then ends the program. What the caller of the
// program ignores stays ignored.
void clean_up_on_signals();

// While one lives, the first of HUP, INT and TERM is only noted, so that the work at hand can come to an end
// that leaves results; a second one ends the program.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static bool interrupted();
};

// Ends the program by the signal that the last guard noted, by SIGINT for SIGTERM; returns when there was
// none.
void end_by_noted_signal();

}  // namespace trnsim::cli
