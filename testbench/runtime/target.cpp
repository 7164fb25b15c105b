#include "testbench/runtime/target.hpp"

#include <fmt/format.h>

#include "testbench/neff/member_names.hpp"
#include "testbench/runtime/error.hpp"

namespace trnsim::runtime {

neff::Target target_of(const config::Config& config) {
    neff::Target target;
    target.rows = static_cast<int>(config.core.array.rows);
    target.columns = static_cast<int>(config.core.array.columns);
    target.partitions = static_cast<int>(config.core.partitions);
    target.sbuf_partition = config.core.sbuf_partition;
    target.psum_partition = config.core.psum_partition;
    target.psum_banks = static_cast<int>(config.core.psum_banks);
    target.dma_engines = static_cast<int>(config.dma.engines);
    target.dma_rings = static_cast<int>(config.dma.rings);
    return target;
}

void check_target(const neff::Package& package, const config::Config& config) {
    const neff::Target have = target_of(config);
    for (const neff::TargetField& field : neff::TargetFields) {
        if (field.get(package.target) != field.get(have)) {
            throw Error(fmt::format("kernel '{}' is built for {} = {}, configuration '{}' has {}",
                                    package.name, field.name, field.get(package.target), config.name,
                                    field.get(have)));
        }
    }
}

}  // namespace trnsim::runtime
