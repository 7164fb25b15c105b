#include "runtime/loader/target.hpp"

#include <fmt/format.h>

#include "arch/target/target.hpp"
#include "compiler/neff/member_names.hpp"
#include "runtime/loader/error.hpp"

namespace trnsim::loader {

void check_target(const neff::Package& package, const config::Config& config) {
    const target::Core have = target::of(config);
    for (const neff::TargetField& field : neff::TargetFields) {
        if (field.get(package.target) != field.get(have)) {
            throw Error(fmt::format("kernel '{}' is built for {} = {}, configuration '{}' has {}",
                                    package.name, field.name, field.get(package.target), config.name,
                                    field.get(have)));
        }
    }
}

}  // namespace trnsim::loader
