// trnsim customop
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "lib/base/files/files.hpp"
#include "lib/base/files/roles.hpp"
#include "tools/cli/commands.hpp"
#include "tools/firmware/customop.hpp"

namespace trnsim::cli {

void declare_customop(CLI::App& app, const Environment& environment, int& status) {
    CLI::App* build = app.add_subcommand("build", "Compile operators for the GpSimd cores");
    auto sources = std::make_shared<std::vector<std::string>>();
    auto path = std::make_shared<std::string>();
    build->add_option("sources", *sources, "C++ sources of the operators")->required();
    build->add_option("-o,--output", *path, "The library of operators, a .lib file")->required();
    auto depfile = std::make_shared<std::string>();
    build->add_option("--depfile", *depfile, "Write what the library depends on, a makefile's rule");
    build->callback([sources, path, depfile, &environment] {
        files::Roles roles;
        for (const std::string& source : *sources) roles.add_input("source", source);
        roles.add_output("--output", *path);
        files::check_writable(*path);
        if (!depfile->empty()) {
            roles.add_output("--depfile", *depfile);
            files::check_writable(*depfile);
        }
        const firmware::Image image = customop::build(*sources, *path);
        if (!depfile->empty()) {
            const std::string rule = customop::dependences(*sources, *path);
            files::write(*depfile, std::string_view(rule));
        }
        files::write(*path, firmware::serialise(image));
        environment.summary() << fmt::format("{}: {}\n", *path, fmt::join(image.operations, ", "));
    });
    app.require_subcommand(1);
}

}  // namespace trnsim::cli
