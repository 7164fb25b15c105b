// Work in a child process: its changes to memory, SystemC or the process itself stay there, a crash is
// reported, and it can be ended at any time with every process it started.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace trnsim::jobs {

struct Job {
    std::function<std::string()> work;
    double time_limit = 0;  // s of wall time; 0: no limit
    bool capture = true;    // keep its standard output and error in Outcome::log
};

struct Outcome {
    enum class Kind : std::uint8_t {
        Returned,  // text: what `work` returned
        Threw,     // text: what() of the exception
        Died,      // text: the way it ended, such as "ended by signal 11 (Segmentation fault)"
        TimedOut,  // text: "took longer than 5 s"
    };
    Kind kind = Kind::Returned;
    std::string text;
    std::string log;          // the last LogBytes of its output
    double wall_seconds = 0;  // from start to end
    double cpu_seconds = 0;   // the child and the processes it waited for

    bool returned() const { return kind == Kind::Returned; }
    // Returns the text; for a job that died also the last line of its output.
    std::string explanation() const;
};

constexpr std::size_t LogBytes = std::size_t{64} * 1024;

// One child at work. The calling process must have a single thread. The child ends when its parent does.
class Process {
  public:
    // Throws std::system_error when no process can be started.
    explicit Process(const Job& job);
    // Ends the child.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // File descriptors that become readable when poll() has something to do; -1: none.
    std::array<int, 3> descriptors() const { return {result_, log_, ended_}; }
    // Seconds until the time limit; infinite without one.
    double seconds_left() const;
    // Reads the available output; true when the child has ended or its time was up, and outcome() is
    // complete.
    bool poll();
    const Outcome& outcome() const { return outcome_; }

  private:
    void finish(bool timed_out);

    double time_limit_;
    std::chrono::steady_clock::time_point start_;
    pid_t child_ = -1;
    int result_ = -1, log_ = -1, ended_ = -1;
    std::string message_;
    Outcome outcome_;
};

// Runs one job to its end.
Outcome run(const Job& job);

}  // namespace trnsim::jobs
