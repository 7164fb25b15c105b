#include "compiler/schedule/relocate.hpp"

#include "arch/target/memory.hpp"

namespace trnsim::schedule {

using builder::Mention;
using builder::Step;
using target::Memory;

bool takes_sbuf(const Step& step) {
    return !step.loop && !step.queue && step.data_path &&
           (step.engine == isa::Engine::Vector || step.engine == isa::Engine::Scalar);
}

void relocate(Step& step, std::size_t access, const target::Core& target) {
    std::get<builder::Tile>(step.accesses[access].what).memory = Memory::Sbuf;
    for (const Mention& mention : step.mentions) {
        if (mention.access != access) continue;
        const auto address = static_cast<std::uint32_t>(step.instruction.get(*mention.field));
        const target::Location place = target::locate(target, address);
        step.instruction.set(*mention.field,
                             target::address_of(target, Memory::Sbuf, place.partition, place.offset));
    }
}

}  // namespace trnsim::schedule
