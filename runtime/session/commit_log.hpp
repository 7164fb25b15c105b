// The instructions that GpSimd cores execute as text, in the format of Spike's commit log: a line for each,
// with its writes.
//
//     core   0: 3 0x8000003c (0x00000297) x5  0x8000003c
//
// Registers and CSRs of a line are sorted by number, then the accesses to memory follow. Lines of a core are
// in program order; a line is written when all its results are known.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "model/core/gpsimd.hpp"

namespace trnsim::runtime {

class CommitLog : public tlm::GpsimdObserver {
  public:
    // `core` is the only one to log; nullopt: all are logged. The stream must outlive the log.
    explicit CommitLog(std::ostream& out, std::optional<unsigned> core = {});

    void start(unsigned core, const tlm::GpsimdView& view) override;
    void cycle(unsigned core, const tlm::GpsimdCycle& cycle, const tlm::GpsimdView& view) override;

    // Writes the pending instructions without the missing results.
    void finish();

  private:
    // An item of a line; the key is number and kind, in Spike's order.
    struct Item {
        std::uint32_t key;
        std::string text;
    };
    struct Entry {
        std::uint32_t pc = 0, insn = 0;
        std::optional<tlm::GpsimdSource> awaits;
        std::uint8_t flags = 0;                   // flags that it raised
        std::optional<std::uint32_t> sets_flags;  // fflags after a write to that CSR
        std::string vector_type;                  // " e32 m1 l16" for a vector instruction
        std::vector<Item> items;
        std::string accesses;
        bool asked = false;  // a load that runs beside others has made its accesses
    };
    // The results of the vector unit for a load or store, or for the operation that it has taken.
    struct Work {
        std::map<std::uint32_t, std::string> written;  // values of vector registers
        std::uint8_t flags = 0;
        bool saturated = false;
        std::string accesses;
    };
    struct Core {
        std::deque<Entry> entries;
        Work operation, load;                // load: the oldest one that runs beside others
        Work memory;                         // the load or store in execute
        std::uint32_t flags = 0, vtype = 0;  // fflags after the last line, vtype
    };

    static void add_scalar(Entry& entry, const tlm::GpsimdResult& result);
    static void add_csr(Entry& entry, std::uint32_t number, const tlm::GpsimdView& view);
    static void add_csrs(Core& core, Entry& entry, const tlm::GpsimdCycle& cycle,
                         const tlm::GpsimdView& view);
    template <class Condition>
    static Entry* find(Core& core, tlm::GpsimdSource source, Condition condition);
    static Entry* find(Core& core, tlm::GpsimdSource source);
    static void add_access(Core& core, const tlm::GpsimdAccess& access);
    static void add_vector_work(Core& core, const tlm::GpsimdVectorWork& part, const tlm::GpsimdView& view);
    static void end_vector_work(Core& core, tlm::GpsimdSource source, const tlm::GpsimdView& view);
    static void add_work(Entry& entry, Work& work, const tlm::GpsimdView& view);
    static void deliver(Core& core, const tlm::GpsimdResult& result);
    void write_complete(unsigned number);
    void write(unsigned number, Entry& entry);

    std::ostream& out_;
    std::optional<unsigned> only_;
    std::array<Core, tlm::MaxGpsimdCores> cores_;
};

}  // namespace trnsim::runtime
