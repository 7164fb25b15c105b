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

// Variables of the environment that the program reads.
std::span<const VariableInfo> environment_variables();

// The variables of the Neuron runtime that are set and that nothing here reads: "NEURON_RT_NUM_CORES, ..."
std::string unread_variables();

void declare_demo(CLI::App& app, const Environment& environment, int& status);
void declare_kernel(CLI::App& app, const Environment& environment, int& status);
void declare_customop(CLI::App& app, const Environment& environment, int& status);
void declare_new(CLI::App& app, const Environment& environment, int& status);
void declare_run(CLI::App& app, const Environment& environment, int& status);
void declare_launch(CLI::App& app, const Environment& environment, int& status);
void declare_check(CLI::App& app, const Environment& environment, int& status);
void declare_info(CLI::App& app, const Environment& environment, int& status);
void declare_completion(CLI::App& app, const Environment& environment, int& status);
void declare_wave(CLI::App& app, const Environment& environment, int& status);
void declare_profile(CLI::App& app, const Environment& environment, int& status);
void declare_disasm(CLI::App& app, const Environment& environment, int& status);
void declare_config(CLI::App& app, const Environment& environment, int& status);
void declare_regress(CLI::App& app, const Environment& environment, int& status);
void declare_sweep(CLI::App& app, const Environment& environment, int& status);
void declare_nccom_test(CLI::App& app, const Environment& environment, int& status);

}  // namespace trnsim::cli
