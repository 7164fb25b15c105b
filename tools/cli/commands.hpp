// The subcommands, in the order of the help text. A new one is a row in commands.cpp.
#pragma once

#include <span>
#include <string>

#include "tools/cli/command.hpp"

namespace trnsim::cli {

std::span<const Command> commands();

struct VariableInfo {
    const char *name, *doc;
};

// Lists the environment variables that the program reads.
std::span<const VariableInfo> environment_variables();

// Returns the variables of the Neuron runtime that are set but not read here: "NEURON_RT_NUM_CORES, ..."
std::string unread_variables();

inline constexpr const char* DemoSummary = "Classify handwritten digits on the RTL";

void declare_demo(Subcommand app, const Environment& environment, int& status);
void declare_kernel(Subcommand app, const Environment& environment, int& status);
void declare_customop(Subcommand app, const Environment& environment, int& status);
void declare_new(Subcommand app, const Environment& environment, int& status);
void declare_run(Subcommand app, const Environment& environment, int& status);
void declare_launch(Subcommand app, const Environment& environment, int& status);
void declare_check(Subcommand app, const Environment& environment, int& status);
void declare_info(Subcommand app, const Environment& environment, int& status);
void declare_completion(Subcommand app, const Environment& environment, int& status);
void declare_wave(Subcommand app, const Environment& environment, int& status);
void declare_where(Subcommand app, const Environment& environment, int& status);
void declare_profile(Subcommand app, const Environment& environment, int& status);
void declare_disasm(Subcommand app, const Environment& environment, int& status);
void declare_config(Subcommand app, const Environment& environment, int& status);
void declare_regress(Subcommand app, const Environment& environment, int& status);
void declare_sweep(Subcommand app, const Environment& environment, int& status);
void declare_import(Subcommand app, const Environment& environment, int& status);
void declare_nccom_test(Subcommand app, const Environment& environment, int& status);

}  // namespace trnsim::cli
