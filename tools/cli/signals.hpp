// Handles signals that ask the program to end: HUP, INT, TERM, and PIPE for a reader that went away. However
// the program ends, no partial file stays, and its parent process learns of the signal.
#pragma once

namespace trnsim::cli {

// From now on such a signal removes the temporary files and then ends the program. Signals that the caller of
// the program ignores stay ignored.
void clean_up_on_signals();

// While a guard lives, the first of HUP, INT and TERM is only noted, so that the work can end in a way that
// leaves results; a second one ends the program.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static bool interrupted();
};

// Ends the program by the signal that the last guard noted, by SIGINT for SIGTERM. Returns when none was
// noted.
void end_by_noted_signal();

}  // namespace trnsim::cli
