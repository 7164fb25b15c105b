// trnsim disasm
#include <fmt/format.h>

#include <memory>

#include "compiler/neff/neff.hpp"
#include "runtime/session/observer.hpp"
#include "tools/cli/commands.hpp"

namespace trnsim::cli {
namespace {

// Prints lines such as "tensor 12 multiply_moving ...", engine by engine.
void disassemble(const neff::Package& package, std::ostream& out) {
    for (std::uint32_t e = 0; e < package.programs.size(); ++e) {
        for (std::size_t pc = 0; pc < package.programs[e].size(); ++pc) {
            out << fmt::format("{} {} {}\n", name_of(static_cast<isa::Engine>(e)), pc,
                               runtime::describe(package, e, pc));
        }
    }
}

}  // namespace

void declare_disasm(Subcommand app, const Environment& environment, int& status) {
    auto path = std::make_shared<std::string>();
    app.add_option("kernel", *path, "A compiled kernel, .neff").required();
    app.callback([path, &environment] { disassemble(neff::read(*path), environment.out); });
}

}  // namespace trnsim::cli
