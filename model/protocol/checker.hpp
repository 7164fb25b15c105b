// Base-protocol checker: stands between an initiator and a target, passes everything on unchanged and notes
// every broken rule of the TLM-2.0 base protocol (IEEE 1666-2011 clauses 14 to 16).
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::protocol {

enum class Rule {
    PhaseDirection,     // a phase that does not travel this way
    PhaseOrder,         // a phase that cannot follow the one before it
    ReturnValue,        // a return value that does not fit the phase
    RequestExclusion,   // BEGIN_REQ before the END_REQ of another transaction
    ResponseExclusion,  // BEGIN_RESP before the END_RESP of another transaction
    MemoryManager,      // a non-blocking transaction without memory manager
    RequestStatus,      // a request with a response status that is already set
    ResponseStatus,     // a response with a status that is not set
    Data,               // a read or write without pointer or without length
    ByteEnables,        // byte enables without length or with values other than 0x00 and 0xff
    StreamingWidth,     // streaming width 0
    DmiHint,            // a request with the DMI hint set
    Attributes,         // an attribute other than address, status and DMI hint changed on the way
    Timing,             // a later phase with an earlier time
    DebugCount,         // debug transport moved more bytes than asked for
};

std::string_view describe(Rule rule);

struct Violation {
    Rule rule;
    std::string text;  // one line: where, when, what
};

class Checker : public sc_core::sc_module {
  public:
    explicit Checker(const sc_core::sc_module_name& name);

    tlm_utils::simple_target_socket<Checker> target;        // bind the initiator to this
    tlm_utils::simple_initiator_socket<Checker> initiator;  // bind this to the target

    const std::vector<Violation>& violations() const { return violations_; }

    // Returns the number of transactions begun and not completed.
    std::size_t unfinished() const { return active_.size(); }

    std::uint64_t checked() const { return checked_; }  // transactions seen, of all transports

  private:
    // The attributes that a target and the interconnect must not change. They may change the address.
    struct Attributes {
        ::tlm::tlm_command command;
        const unsigned char* data;
        unsigned length;
        const unsigned char* byte_enables;
        unsigned byte_enable_length, streaming_width;
        bool operator==(const Attributes&) const = default;
    };
    struct Active {
        unsigned phase;  // the last phase
        Attributes attributes;
        Time time;  // time of the last phase
    };
    struct PhaseRow;

    static const PhaseRow* row_of(const Phase& phase);
    static std::string name_of(const Phase& phase);
    static Attributes attributes_of(const Payload& payload);

    Sync forward(Payload& payload, Phase& phase, sc_core::sc_time& delay);
    Sync backward(Payload& payload, Phase& phase, sc_core::sc_time& delay);
    void blocking(Payload& payload, sc_core::sc_time& delay);
    unsigned debug(Payload& payload);

    void begin(Payload& payload, const sc_core::sc_time& delay);
    bool advance(Payload& payload, const Phase& phase, const sc_core::sc_time& delay, bool is_forward);
    void finish(const Payload* payload);
    void check_request(const Payload& payload);
    void check_return(Payload& payload, const Phase& sent, Sync result, const Phase& phase,
                      const sc_core::sc_time& delay, bool is_forward);
    void report(Rule rule, const Payload* payload, const std::string& detail);

    std::unordered_map<const Payload*, Active> active_;
    const Payload* request_ = nullptr;   // begun, not ended
    const Payload* response_ = nullptr;  // begun, not ended
    std::vector<Violation> violations_;
    std::uint64_t checked_ = 0;
};

}  // namespace trnsim::tlm::protocol
