// The main loop of a core: it waits for a request, runs it and reports that it is done.
#include "firmware/runtime/mailbox_offsets.h"
#include "firmware/runtime/operation.hpp"

namespace trnsim::firmware {

static_assert(offsetof(Mailbox, request) == TRNSIM_MAILBOX_REQUEST);
static_assert(offsetof(Mailbox, completed) == TRNSIM_MAILBOX_COMPLETED);
static_assert(offsetof(Mailbox, status) == TRNSIM_MAILBOX_STATUS);
static_assert(offsetof(Mailbox, to_host) == TRNSIM_MAILBOX_TO_HOST);
static_assert(offsetof(Mailbox, trap) + offsetof(TrapRecord, cause) == TRNSIM_TRAP_CAUSE);
static_assert(offsetof(Mailbox, trap) + offsetof(TrapRecord, pc) == TRNSIM_TRAP_PC);
static_assert(offsetof(Mailbox, trap) + offsetof(TrapRecord, value) == TRNSIM_TRAP_VALUE);
static_assert(offsetof(Mailbox, trap) + offsetof(TrapRecord, caller) == TRNSIM_TRAP_CALLER);
static_assert(offsetof(Mailbox, trap) + offsetof(TrapRecord, stack) == TRNSIM_TRAP_STACK);
static_assert(static_cast<uint32_t>(Status::Trapped) == TRNSIM_STATUS_TRAPPED);

extern "C" {
using Constructor = void (*)();
extern const Operation operations_begin[], operations_end[];
extern const Constructor constructors_begin[], constructors_end[];
[[noreturn]] void trnsim_main();

// Registers a destructor to run at the end, which never comes.
int atexit(void (*)()) {
    return 0;
}

[[gnu::used, gnu::section(".mailbox")]] alignas(64) volatile Mailbox mailbox = {};
}

static Status run(uint32_t command) {
    if (command >= static_cast<uint32_t>(operations_end - operations_begin)) return Status::UnknownCommand;
    return operations_begin[command].run(const_cast<const uint32_t*>(mailbox.arguments));
}

void trnsim_main() {
    for (const Constructor* constructor = constructors_begin; constructor != constructors_end;
         ++constructor) {
        (*constructor)();
    }
    mailbox.magic = MailboxMagic;
    for (;;) {
        const uint32_t request = mailbox.request;
        if (request == mailbox.completed) {
            asm volatile("wfi" ::: "memory");
            continue;
        }
        const Status status = run(mailbox.command);
        mailbox.status = status;
        asm volatile("fence" ::: "memory");
        mailbox.completed = request;
        mailbox.to_host[0] = 2 * static_cast<uint32_t>(status) + 1;
    }
}

}  // namespace trnsim::firmware
