#include "tools/compile/command.hpp"

#include <memory>

#include "tools/compile/compile.hpp"

namespace trnsim::compile {

void declare_compile(command::Subcommand app, const command::Environment& environment, int& status) {
    auto options = std::make_shared<Options>();
    app.add_option("model", options->model, "HLO module: serialised, gzip or not, or text").required();
    app.add_flag("--verify", options->verify, "Only check the module");
    app.add_flag("--print", options->print, "Print the module as text");
    app.add_flag("--evaluate", options->evaluate,
                 "Compute its results on this machine, instruction by instruction");
    app.add_option("--input", options->inputs,
                   "Argument for --evaluate, arg0=FILE.npy, or by the parameter's name")
        .single();
    app.add_option("--output", options->outputs, "Result of --evaluate, out0=FILE.npy").single();
    app.footer(
        "Compilation to a kernel is not there yet. Arguments are arg0, arg1, ... and results out0, out1, ... "
        "in the order of the\n"
        "module. bf16 and fp8 are the raw types V2 and V1 of ml_dtypes, or float32, which is rounded.");
    app.callback([options, &environment, &status] { status = run(*options, environment); });
}

}  // namespace trnsim::compile
