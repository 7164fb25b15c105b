#include "small_recording.hpp"

#include <gtkwave/fstapi.h>

#include <array>
#include <string>
#include <vector>

namespace trnsim::test {
namespace {

constexpr int Picoseconds = -12;
constexpr std::uint64_t First = 1'000, Last = 11'000;

struct Scope {
    const char* name;
    std::vector<const char*> bits;
};

const std::array<Scope, 5> Scopes{{{"core", {"bus_clock"}},
                                   {"tensor", {"start_load", "done"}},
                                   {"vector", {"start"}},
                                   {"scalar", {"start"}},
                                   {"rounding", {"vector_result"}}}};

}  // namespace

void write_recording(const std::filesystem::path& path) {
    void* writer = fstWriterCreate(path.c_str(), 1);
    fstWriterSetTimescale(writer, Picoseconds);
    fstWriterSetScope(writer, FST_ST_VCD_MODULE, "core", nullptr);
    fstWriterSetScope(writer, FST_ST_VCD_MODULE, "neuron_core", nullptr);
    std::vector<fstHandle> handles;
    for (const Scope& scope : Scopes) {
        fstWriterSetScope(writer, FST_ST_VCD_MODULE, scope.name, nullptr);
        for (const char* bit : scope.bits)
            handles.push_back(fstWriterCreateVar(writer, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, bit, 0));
        fstWriterSetUpscope(writer);
    }
    fstWriterSetScope(writer, FST_ST_VCD_MODULE, "sync", nullptr);
    const fstHandle executing =
        fstWriterCreateVar(writer, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 32, "executing_pc [31:0]", 0);
    for (const std::uint64_t time : {First, Last}) {
        fstWriterEmitTimeChange(writer, time);
        fstWriterEmitValueChange(writer, executing, std::string(32, '0').c_str());
        for (const fstHandle handle : handles)
            fstWriterEmitValueChange(writer, handle, time == First ? "0" : "1");
    }
    fstWriterClose(writer);
}

}  // namespace trnsim::test
