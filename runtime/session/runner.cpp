#include "runtime/session/runner.hpp"

#include <stdexcept>
#include <utility>

namespace trnsim::runtime {

namespace {

Prepared loaded(const neff::Package& package, const config::Config& config, std::uint32_t notifications) {
    Prepared prepared;
    prepared.session = std::make_shared<Session>(config);
    const std::shared_ptr<const neff::Package> borrowed(std::shared_ptr<void>(), &package);
    prepared.model = prepared.session->load(borrowed, {.notifications = notifications});
    return prepared;
}

}  // namespace

Prepared prepare_resumed(const neff::Package& package, const config::Config& config) {
    return loaded(package, config, 0);
}

Prepared prepare(const neff::Package& package, const config::Config& config, Arrays inputs,
                 std::uint32_t notifications) {
    Prepared prepared = loaded(package, config, notifications);
    prepared.inputs = std::make_shared<const Arrays>(std::move(inputs));
    prepared.contents = prepared.session->contents_of(prepared.model, *prepared.inputs);
    return prepared;
}

Prepared prepare_contents(const neff::Package& package, const config::Config& config, Contents contents,
                          std::uint32_t notifications) {
    Prepared prepared = loaded(package, config, notifications);
    prepared.contents = std::move(contents);
    return prepared;
}

Result execute(Machine& machine, const neff::Package& package, const Prepared& prepared,
               const Observer& observer) {
    if (&prepared.session->package(prepared.model) != &package)
        throw std::logic_error("prepared for another package");
    prepared.session->attach(machine);
    return prepared.session->execute(prepared.model, prepared.contents, prepared.run, &observer);
}

}  // namespace trnsim::runtime
