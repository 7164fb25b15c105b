#include "runtime/waves/add_signals.hpp"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "model/fst/write_failure.hpp"
#include "runtime/waves/signal_writer.hpp"

namespace trnsim::waves {
namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<void, decltype(&fstReaderClose)>;
using Writer = std::unique_ptr<void, decltype(&fstWriterClose)>;

// Definitions of enums and references to them, in order. fstReaderIterateHier() cuts long ones, what is
// written as VCD is whole: "$attrbegin misc 07 NAME ARGUMENT $end".
std::vector<std::string> enums_of(void* reader) {
    constexpr std::string_view Begin = "$attrbegin misc 07 ", NoName = "\"\"";
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* stream = ::open_memstream(&text, &size);
    fstReaderSetVcdExtensions(reader, 1);
    fstReaderProcessHier(reader, stream);
    std::fclose(stream);
    std::istringstream lines(std::string(text, size));
    std::free(text);
    std::vector<std::string> enums;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(Begin)) continue;
        const std::size_t argument = line.rfind(' ', line.rfind(" $end") - 1);
        const std::string name = line.substr(Begin.size(), argument - Begin.size());
        enums.push_back(name == NoName ? "" : name);
    }
    return enums;
}

class Merge {
  public:
    Merge(void* reader, void* writer, SignalWriter& added)
        : reader_(reader),
          writer_(writer),
          added_(added),
          handles_(fstReaderGetMaxHandle(reader) + 1),
          lengths_(handles_.size()) {}

    void copy_hierarchy() {
        const std::vector<std::string> enums = enums_of(reader_);
        std::size_t next = 0;
        fstReaderIterateHierRewind(reader_);
        while (const fstHier* item = fstReaderIterateHier(reader_)) {
            if (item->htyp == FST_HT_SCOPE) {
                open(item->u.scope);
            } else if (item->htyp == FST_HT_UPSCOPE) {
                for (; levels_.back() > 0; --levels_.back()) fstWriterSetUpscope(writer_);
                levels_.pop_back();
            } else if (item->htyp == FST_HT_VAR) {
                const auto& var = item->u.var;
                const fstHandle handle = fstWriterCreateVar(
                    writer_, static_cast<fstVarType>(var.typ), static_cast<fstVarDir>(var.direction),
                    var.length, var.name, var.is_alias != 0 ? handles_.at(var.handle) : 0);
                handles_.at(var.handle) = handle;
                lengths_.at(var.handle) = var.length;
            } else if (item->htyp == FST_HT_ATTRBEGIN) {
                const auto& attribute = item->u.attr;
                const bool is_enum = attribute.typ == FST_AT_MISC && attribute.subtype == FST_MT_ENUMTABLE;
                fstWriterSetAttrBegin(writer_, static_cast<fstAttrType>(attribute.typ), attribute.subtype,
                                      is_enum ? enums.at(next++).c_str() : attribute.name, attribute.arg);
            } else if (item->htyp == FST_HT_ATTREND) {
                fstWriterSetAttrEnd(writer_);
            }
        }
    }

    // Copies the changes of the core, in the order of time, with the other changes between them.
    void copy_changes() {
        fstReaderSetFacProcessMaskAll(reader_);
        fstReaderIterBlocks(
            reader_,
            [](void* self, std::uint64_t time, fstHandle handle, const unsigned char* value) {
                static_cast<Merge*>(self)->copy(time, handle, value);
            },
            this, nullptr);
    }

  private:
    // Opens a scope. A name that is a path becomes the scopes of the path: GTKWave does not find all signals
    // of a file with points in names.
    void open(const decltype(fstHier::u.scope)& scope) {
        levels_.push_back(0);
        std::istringstream path(scope.name);
        for (std::string name; std::getline(path, name, '.'); ++levels_.back())
            fstWriterSetScope(writer_, static_cast<fstScopeType>(scope.typ), name.c_str(), scope.component);
    }

    void copy(std::uint64_t time, fstHandle handle, const unsigned char* value) {
        added_.add_until(time);
        added_.go_to(time);
        if (lengths_[handle] != 0) fstWriterEmitValueChange(writer_, handles_[handle], value);
    }

    void* reader_;
    void* writer_;
    SignalWriter& added_;
    std::vector<fstHandle> handles_;      // handles of the writer, by those of the reader
    std::vector<std::uint32_t> lengths_;  // bits, by handle of the reader
    std::vector<int> levels_;             // scopes of the writer for each open one of the reader
};

}  // namespace

std::string add_signals(const fs::path& recording, std::span<const Scope> scopes, std::uint64_t end) {
    const fs::path merged = fs::path(recording).replace_extension("merged");
    tlm::forget_write_failure();
    {
        const Reader reader(fstReaderOpen(recording.c_str()), &fstReaderClose);
        if (!reader) throw std::runtime_error(fmt::format("{}: no recording", recording.string()));
        const Writer writer(fstWriterCreate(merged.c_str(), 1), &fstWriterClose);
        if (!writer) return "its file cannot be made";
        fstWriterSetPackType(writer.get(), FST_WR_PT_LZ4);
        fstWriterSetTimescale(writer.get(), fstReaderGetTimescale(reader.get()));
        SignalWriter added(writer.get(), scopes, fstReaderGetStartTime(reader.get()));
        Merge merge(reader.get(), writer.get(), added);
        merge.copy_hierarchy();
        added.add_hierarchy();
        merge.copy_changes();
        const std::uint64_t last = fstReaderGetEndTime(reader.get());
        added.add_until(std::max(std::min(added.last(), end), last));
        added.go_to(last);
    }
    if (tlm::has_write_failed()) {
        fs::remove(merged);
        return tlm::write_failure();
    }
    fs::rename(merged, recording);
    return "";
}

std::string write_signals(const fs::path& recording, std::span<const Scope> scopes) {
    tlm::forget_write_failure();
    {
        const Writer writer(fstWriterCreate(recording.c_str(), 1), &fstWriterClose);
        if (!writer) return "its file cannot be made";
        fstWriterSetPackType(writer.get(), FST_WR_PT_LZ4);
        fstWriterSetTimescale(writer.get(), Picoseconds);
        SignalWriter signals(writer.get(), scopes, 0);
        signals.add_hierarchy();
        signals.add_until(signals.last());
    }
    return tlm::has_write_failed() ? tlm::write_failure() : "";
}

}  // namespace trnsim::waves
