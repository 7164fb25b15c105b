#include "small_recording.hpp"

#include <gtkwave/fstapi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

namespace trnsim::test {
namespace {

constexpr int Picoseconds = -12;
constexpr std::uint64_t First = 1'000, Flushed = 6'000, Last = 11'000, Step = 1'000;

struct Scope {
    const char* name;
    std::vector<const char*> bits;
};

const std::array<Scope, 5> Scopes{{{"core", {"bus_clock"}},
                                   {"tensor", {"start_load", "done"}},
                                   {"vector", {"start"}},
                                   {"scalar", {"start"}},
                                   {"rounding", {"vector_result"}}}};

// The recording while it is written.
class Writing {
  public:
    explicit Writing(const std::filesystem::path& path) : writer_(fstWriterCreate(path.c_str(), 1)) {
        fstWriterSetTimescale(writer_, Picoseconds);
        fstWriterSetScope(writer_, FST_ST_VCD_MODULE, "core", nullptr);
        fstWriterSetScope(writer_, FST_ST_VCD_MODULE, "neuron_core", nullptr);
        for (const Scope& scope : Scopes) {
            fstWriterSetScope(writer_, FST_ST_VCD_MODULE, scope.name, nullptr);
            for (const char* bit : scope.bits)
                handles_.push_back(fstWriterCreateVar(writer_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, bit, 0));
            fstWriterSetUpscope(writer_);
        }
        fstWriterSetScope(writer_, FST_ST_VCD_MODULE, "sync", nullptr);
        executing_ =
            fstWriterCreateVar(writer_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 32, "executing_pc [31:0]", 0);
        for (int open = 3; open > 0; --open) fstWriterSetUpscope(writer_);
    }

    void change(std::uint64_t time, const char* bits) {
        fstWriterEmitTimeChange(writer_, time);
        fstWriterEmitValueChange(writer_, executing_, std::string(32, '0').c_str());
        for (const fstHandle handle : handles_) fstWriterEmitValueChange(writer_, handle, bits);
    }
    void flush() { fstWriterFlushContext(writer_); }
    void close() { fstWriterClose(writer_); }

  private:
    void* writer_;
    std::vector<fstHandle> handles_;
    fstHandle executing_ = 0;
};

}  // namespace

void write_recording(const std::filesystem::path& path) {
    Writing writing(path);
    writing.change(First, "0");
    writing.change(Last, "1");
    writing.close();
}

void begin_recording(const std::filesystem::path& path) {
    const pid_t child = ::fork();
    if (child == 0) {
        Writing writing(path);
        const char* bits = "0";
        const auto go_to = [&](std::uint64_t from, std::uint64_t last) {
            for (std::uint64_t time = from; time <= last; time += Step)
                writing.change(time, bits = *bits == '0' ? "1" : "0");
        };
        go_to(First, Flushed);
        writing.flush();
        go_to(Flushed + Step, Last);
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
}

}  // namespace trnsim::test
