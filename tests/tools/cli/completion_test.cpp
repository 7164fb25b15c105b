// Tests the shells' scripts and the manual page, which are made from the commands.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <iostream>

#include "session.hpp"
#include "tools/cli/app.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/completion.hpp"

namespace trnsim::cli {
namespace {

class Completion : public testing::Test {
  protected:
    Completion() : app_("", "trnsim") { declare_commands(app_, commands(), environment_, status_); }

    // Expects every command and every option.
    void expect_all(const std::string& text, const std::function<std::string(std::string)>& form) const {
        const std::function<void(const CLI::App&)> look = [&](const CLI::App& app) {
            for (const CLI::Option* option : app.get_options()) {
                if (option->get_group().empty() || option->get_lnames().empty() ||
                    option == app.get_help_ptr())
                    continue;
                const std::string name = form("--" + option->get_lnames()[0]);
                EXPECT_NE(text.find(name), std::string::npos) << app.get_name() << " " << name;
            }
            for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
                EXPECT_NE(text.find(form(sub->get_name())), std::string::npos) << sub->get_name();
                look(*sub);
            }
        };
        look(app_);
        EXPECT_EQ(text.find("--task"), std::string::npos) << "hidden";
    }

    Environment environment_{.out = std::cout, .err = std::cerr, .machine = {}, .open = {}, .again = {}};
    int status_ = 0;
    CLI::App app_;
};

TEST_F(Completion, ScriptsAndPageHaveEveryCommandAndOption) {
    const auto plain = [](std::string name) { return name; };
    expect_all(bash_completion(app_), plain);
    expect_all(zsh_completion(app_), plain);
    expect_all(man_page(app_, "1.2.3"), [](const std::string& name) {
        std::string escaped;
        for (const char c : name) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
        return escaped;
    });
}

TEST_F(Completion, TheCommandPrintsThem) {
    test::Session trnsim;
    EXPECT_EQ(trnsim({"completion", "bash"}), 0) << trnsim.err;
    EXPECT_NE(trnsim.out.find("complete -o filenames -F _trnsim trnsim\n"), std::string::npos);
    EXPECT_EQ(trnsim({"completion", "zsh"}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out.find("#compdef trnsim\n"), 0u);
    EXPECT_EQ(trnsim({"completion"}), 2);
}

}  // namespace
}  // namespace trnsim::cli
