// Tests the completion of command lines and the manual page, which are made from the commands.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <iostream>

#include "base/files/files.hpp"
#include "runtime/waves/scopes.hpp"
#include "runtime/waves/view.hpp"
#include "session.hpp"
#include "tools/cli/app.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/completion.hpp"
#include "tools/cli/man_page.hpp"

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
            for (const CLI::App* sub :
                 app.get_subcommands([](const CLI::App* it) { return !it->get_group().empty(); })) {
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

TEST_F(Completion, ThePageHasEveryCommandAndOption) {
    expect_all(man_page(app_, "1.2.3"), [](const std::string& name) {
        std::string escaped;
        for (const char c : name) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
        return escaped;
    });
}

// Returns the completions of the last word, joined by blanks.
std::string answer(const CLI::App& app, const std::vector<std::string>& words) {
    const Completions found = complete(app, words);
    std::string text;
    for (const Completions::Word& word : found.words) text += word.text + " ";
    return text + (found.files ? ":files" : "");
}

TEST_F(Completion, CompletesCommandsAndOptions) {
    EXPECT_EQ(answer(app_, {"trnsim", "ke"}), "kernel ");
    EXPECT_EQ(answer(app_, {"./trnsim", "kernel", ""}), "list build ");
    EXPECT_EQ(answer(app_, {"trnsim", "run", "k.neff", "--rando"}), "--random-inputs --random-memory ");
    EXPECT_EQ(answer(app_, {"trnsim", "completion", "an"}), "") << "hidden";
    EXPECT_EQ(answer(app_, {"trnsim", "nothing", ""}).find(":files"), std::string::npos);
    for (const Completions::Word& word : complete(app_, {"trnsim", ""}).words) EXPECT_NE(word.doc, "");
}

TEST_F(Completion, CompletesValues) {
    EXPECT_EQ(answer(app_, {"trnsim", "kernel", "build", "layern"}), "layernorm layernorm_backward ");
    EXPECT_EQ(answer(app_, {"trnsim", "run", "--config", "small1"}), "small16 :files");
    EXPECT_EQ(answer(app_, {"trnsim", "run", "--config=small1"}), "--config=small16 :files");
    EXPECT_EQ(answer(app_, {"trnsim", "launch", "--config", "trn1.3"}), "trn1.32xlarge :files");
    EXPECT_EQ(answer(app_, {"trnsim", "config", "show", "inf"}), "inf2-ring :files");
    EXPECT_EQ(answer(app_, {"trnsim", "profile", "k.neff", "--fidelity", ""}), "rtl fast ");
    EXPECT_EQ(answer(app_, {"trnsim", "sweep", "s.yaml", "--executor", ""}), "local slurm ");
    EXPECT_EQ(answer(app_, {"trnsim", "nccom-test", "allr"}), "allr ");
    EXPECT_EQ(answer(app_, {"trnsim", "bench", "published-mat"}).find(":files"), std::string::npos);
    EXPECT_EQ(answer(app_, {"trnsim", "run", "k.neff", "--seed", ""}), ":files") << "a text";
    EXPECT_EQ(answer(app_, {"trnsim", "run", "k.neff", "--random-inputs", ""}), "") << "a number";
    EXPECT_EQ(answer(app_, {"trnsim", "run", "k.neff", "--trace", ""}), ":files");
    EXPECT_EQ(answer(app_, {"trnsim", "run", ""}), ":files");
    EXPECT_EQ(answer(app_, {"trnsim", "kernel", "build", "matmul", "--M", "4", "--d"}), "--dtype ");
    EXPECT_EQ(answer(app_, {"trnsim", "kernel", "build", "matmul", "--dtype=bf"}), "--dtype=bf16 ");
    EXPECT_EQ(answer(app_, {"trnsim", "kernel", "build", "matmul", "--dtype", "bf"}), "bf16 ");
    EXPECT_EQ(answer(app_, {"trnsim", "kernel", "build", "matmul", "--M", ""}), "") << "a number";
    EXPECT_EQ(answer(app_, {"trnsim", "kernel", "build", "matmul", "--M", "4", "--K", "4", "--d"}),
              "--dtype ");
    EXPECT_EQ(answer(app_, {"trnsim", "import", "scale-sim", "x.csv", "--dtype", "bf"}), "bf16 ");
    EXPECT_EQ(answer(app_, {"trnsim", "import", "scale-sim", "x.csv", "--base", "small1"}), "small16 :files");
    EXPECT_EQ(answer(app_, {"trnsim", "import", "astra-sim", "x.yml", "--base", "trn1.3"}),
              "trn1.32xlarge :files");
    EXPECT_EQ(answer(app_, {"trnsim", "sweep", "s.yaml", "--pareto", "time,are"}), "time,area ");
    EXPECT_EQ(answer(app_, {"trnsim", "sweep", "s.yaml", "--pareto=time,are"}), "--pareto=time,area ");
    EXPECT_EQ(answer(app_, {"trnsim", "run", "k.neff", "--wave-scope", "vector,tens"}), "vector,tensor ");
}

TEST_F(Completion, KnowsWhatFilesOnTheLineHave) {
    test::Session trnsim;
    const Arguments run = trnsim.sample_run();
    EXPECT_EQ(answer(app_, {"trnsim", "run", run[1], "--input", ""}), "a= :files");
    EXPECT_EQ(answer(app_, {"trnsim", "run", run[1], "--output", "y"}), "y= :files");
    EXPECT_EQ(answer(app_, {"trnsim", "run", trnsim.path("none.neff"), "--input", ""}), ":files");
    files::write(trnsim.path("broken.neff"), "no kernel");
    EXPECT_EQ(answer(app_, {"trnsim", "run", trnsim.path("broken.neff"), "--input", ""}), "");
    files::write(
        trnsim.path("l.yaml"),
        "config: small16\ntests:\n  - { kernel: cast, arguments: { rows: 4, cols: 4 }, tags: [brief] }\n");
    EXPECT_EQ(answer(app_, {"trnsim", "regress", trnsim.path("l.yaml"), "--tag", ""}), "brief ");
    EXPECT_EQ(answer(app_, {"trnsim", "regress", trnsim.path("l.yaml"), "--config", ""}), "small16 ");
}

// Every value that is offered is taken.
TEST_F(Completion, OffersNamesThatExist) {
    for (const Completions::Word& word : complete(app_, {"trnsim", "wave", "--view", ""}).words)
        EXPECT_NO_THROW(waves::find_view(word.text));
    std::vector<std::string> scopes;
    for (const Completions::Word& word : complete(app_, {"trnsim", "run", "--wave-scope", ""}).words)
        scopes.push_back(word.text);
    EXPECT_GT(scopes.size(), 5u);
    EXPECT_NO_THROW(waves::check_scopes(scopes));
}

TEST_F(Completion, TheCommandAnswersAndPrintsScripts) {
    test::Session trnsim;
    for (const char* shell : {"bash", "zsh", "fish"}) {
        EXPECT_EQ(trnsim({"completion", shell}), 0) << trnsim.err;
        EXPECT_NE(trnsim.out.find(" completion answer "), std::string::npos) << shell;
    }
    EXPECT_EQ(trnsim({"completion"}), 2);
    EXPECT_EQ(trnsim({"completion", "answer", "=trnsim", "=run", "=--fidelity", "="}), 0) << trnsim.err;
    EXPECT_EQ(trnsim.out, "rtl\t\nfast\t\n");
    EXPECT_EQ(trnsim({"completion", "answer", "=trnsim", "=-q", "=wave", "=--vi"}), 0) << trnsim.err;
    EXPECT_TRUE(trnsim.out.starts_with("--view\tParts to show: core")) << trnsim.out;
}

}  // namespace
}  // namespace trnsim::cli
