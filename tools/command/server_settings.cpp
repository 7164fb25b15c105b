#include "tools/command/server_settings.hpp"

namespace trnsim::command {

void declare_settings(Subcommand app, std::vector<std::string>& settings, std::vector<std::string>& cuts) {
    app.add_option(
           "--set", settings,
           "KEY=VALUE instead of what the server's file or its chips' configuration says: links.lanes=8, "
           "links.error_rate=1e-9, hbm.model=banked; may be repeated")
        .single();
    app.add_option("--cut", cuts,
                   "LINK@TIME or LINK@TIME..TIME: cut a cable, such as 0.E@10us..40us, at this simulated "
                   "time until another one, else for good; may be repeated")
        .single();
}

}  // namespace trnsim::command
