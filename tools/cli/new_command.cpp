// trnsim new
#include <fmt/format.h>

#include <memory>

#include "base/text/shell.hpp"
#include "tools/cli/commands.hpp"
#include "tools/project/project.hpp"

namespace trnsim::cli {

void declare_new(Subcommand app, const Environment& environment, int& status) {
    auto folder = std::make_shared<std::string>();
    app.add_option("folder", *folder, "Folder of the project: a new or an empty one").required();
    app.callback([folder, &environment, &status] {
        project::create(*folder);
        environment.out << fmt::format(
            "{}: a kernel with its build and tests; to build and run it:\n"
            "  cd {} && cmake -B build && cmake --build build && ctest --test-dir build\n",
            *folder, text::shell_path(*folder));
        status = Success;
    });
}

}  // namespace trnsim::cli
