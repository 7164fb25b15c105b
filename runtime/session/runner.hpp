// One execution of a package on a machine, in two steps: prepare() checks every possible user error without a
// machine, execute() loads, runs and reads back. It is a Session with one package.
#pragma once

#include <memory>

#include "runtime/session/session.hpp"

namespace trnsim::runtime {

// A kernel ready for a machine of its configuration.
struct Prepared {
    std::shared_ptr<Session> session;
    ModelId model{};
    Contents contents;
    std::shared_ptr<const Arrays> inputs{};  // that the contents are made of
    Run run;
};

// Throws Error when the kernel does not fit the configuration, or when an input is missing, unknown or of
// wrong type or shape. `package` must outlive the result. `notifications`: records of the buffer for the
// notification queue, a power of two; 0: there is no queue.
Prepared prepare(const neff::Package& package, const config::Config& config, Arrays inputs,
                 std::uint32_t notifications = 0);
// Does the same with contents of loader::contents_of().
Prepared prepare_contents(const neff::Package& package, const config::Config& config, Contents contents,
                          std::uint32_t notifications = 0);

// Does the same for a run that continues from a checkpoint, which has the inputs.
Prepared prepare_resumed(const neff::Package& package, const config::Config& config);

// `package` is the one given to prepare(), `observer` the sink of the machine's reports.
Result execute(Machine& machine, const neff::Package& package, const Prepared& prepared,
               const Observer& observer);

}  // namespace trnsim::runtime
