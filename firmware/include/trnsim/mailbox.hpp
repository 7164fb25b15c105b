// The structure through which host and core communicate in TCM. The host writes the request's fields,
// `request` last; the core answers and sets `completed` to the same number.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "trnsim/memory_map.h"

namespace trnsim::firmware {

inline constexpr uint32_t MailboxMagic = 0x4d535047;  // "GPSM": start-up is done
inline constexpr uint32_t ArgumentWords = 192;

// The outcome of a command.
enum class Status : uint32_t {
    Ok,
    UnknownCommand,
    BadDtype,
    BadShape,  // wrong counts, partitions or steps
    BadOperation,
    OutOfBounds,  // an operand lies outside its partitions
    Misaligned,
    BadIndex,  // an index in the data is out of range
    OutOfMemory,
    Trapped,
    BadArguments,  // the custom operator takes other tensors or scalars
    Failed,        // reported by a custom operator
};

struct TrapRecord {
    uint32_t cause;   // mcause
    uint32_t pc;      // mepc
    uint32_t value;   // mtval
    uint32_t caller;  // ra
    uint32_t stack;   // sp
};

struct Mailbox {
    uint32_t magic;
    uint32_t request;  // number of the request
    uint32_t command;  // index in the image's table of operations
    uint32_t core;     // number of this core; `cores` is the number of cores that take part
    uint32_t cores;
    uint32_t completed;  // number of the last request that is done
    Status status;
    uint32_t printed;  // bytes put into the print ring since the start
    uint32_t
        to_host[2];  // 2 status + 1 when a request is done; it ends a run of an instruction-set simulator
    uint32_t from_host[2];
    TrapRecord trap;
    uint32_t partition_bytes;  // size of an SBUF partition
    uint32_t partitions;       // partitions in SBUF, of all cores together
    uint32_t taken_tensors;    // number that the last custom operator takes, with the destination
    uint32_t taken_scalars;
    uint32_t reserved[43];
    uint32_t arguments[ArgumentWords];
};

static_assert(sizeof(Mailbox) == TRNSIM_MAILBOX_BYTES);
static_assert(offsetof(Mailbox, to_host) % 8 == 0, "a simulator reads it as a whole");
static_assert(offsetof(Mailbox, arguments) == 256);

}  // namespace trnsim::firmware
