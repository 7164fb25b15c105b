// trnsim demo
#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/demo/demo.hpp"

namespace trnsim::cli {

void declare_demo(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<demo::Options>();
    auto directory = std::make_shared<std::string>(options->directory.string());
    auto no_wave = std::make_shared<bool>(false);
    app.add_option("--config", options->config, "Configuration: a name or a .yaml file").show_default();
    app.add_option("-o,--output", *directory, "Folder of the files the demo writes").show_default();
    app.add_option("--hidden", options->hidden, "Units of the hidden layer").show_default();
    app.add_flag("--no-wave", *no_wave, "Write no waveform");
    app.callback([options, directory, no_wave, &environment, &status] {
        options->directory = *directory;
        options->wave = !*no_wave;
        status = demo::run_demo(*options, environment.out);
    });
}

}  // namespace trnsim::cli
