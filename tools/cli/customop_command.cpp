// trnsim customop
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "arch/firmware/read_elf.hpp"
#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "tools/cli/commands.hpp"
#include "tools/firmware/customop.hpp"

namespace trnsim::cli {

void declare_customop(Subcommand app, const Environment& environment, int& status) {
    Subcommand build = app.add_subcommand("build", "Compile operators for the GpSimd cores");
    auto sources = std::make_shared<std::vector<std::string>>();
    auto path = std::make_shared<std::string>();
    build.add_option("sources", *sources, "C++ sources of the operators").required();
    build.add_option("-o,--output", *path, "The library of operators, a .lib file").required();
    auto vlen = std::make_shared<std::uint32_t>(firmware::Vlens.back());
    build
        .add_option("--vlen", *vlen,
                    "Bits of a vector register of the cores, core.gpsimd.vlen of their configuration")
        .one_of(std::vector(firmware::Vlens.begin(), firmware::Vlens.end()))
        .show_default();
    auto depfile = std::make_shared<std::string>();
    build.add_option("--depfile", *depfile, "Write what the library depends on, a makefile's rule");
    auto elf_path = std::make_shared<std::string>();
    build.add_option("--elf", *elf_path, "Write the linked executable as well, for a debugger");
    build.callback([sources, path, vlen, depfile, elf_path, &environment] {
        files::Roles roles;
        for (const std::string& source : *sources) roles.add_input("source", source);
        roles.add_output("--output", *path);
        files::check_writable(*path);
        for (const auto& [option, file] : {std::pair{"--depfile", depfile}, {"--elf", elf_path}}) {
            if (file->empty()) continue;
            roles.add_output(option, *file);
            files::check_writable(*file);
        }
        const std::vector<std::uint8_t> elf = customop::build(*sources, *vlen);
        const firmware::Image image = firmware::read_elf(elf, *path);
        if (!depfile->empty()) {
            const std::string rule = customop::dependences(*sources, *vlen, *path);
            files::write(*depfile, std::string_view(rule));
        }
        if (!elf_path->empty()) files::write(*elf_path, elf);
        files::write(*path, firmware::serialise(image));
        environment.summary() << fmt::format("{}: {}\n", *path, fmt::join(image.operations, ", "));
    });
    app.require_subcommand();
}

}  // namespace trnsim::cli
