#include "tools/cli/completion.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <optional>

#include "tools/cli/command_tree.hpp"
#include "tools/cli/completion_values.hpp"

namespace trnsim::cli {
namespace {

bool is_number(const CLI::Option& option) {
    return option.get_type_name().find("UINT") != std::string::npos;
}

// An option by one of its names; null if there is none.
const CLI::Option* find_option(const CLI::App& app, std::string_view name) {
    for (const CLI::Option* option : options_of(app)) {
        const std::vector<std::string> names = names_of(*option);
        if (std::ranges::find(names, name) != names.end()) return option;
    }
    return nullptr;
}

class Completer {
  public:
    Completer(const CLI::App& app, const std::vector<std::string>& words)
        : at_(&app), current_(words.back()) {
        for (std::size_t i = 1; i + 1 < words.size(); ++i) next(words[i]);
    }

    Completions run() {
        const std::size_t sign = current_.find('=');
        if (waiting_ != nullptr) {
            values(waiting_->get_name(), is_number(*waiting_), "");
        } else if (!argument_.empty()) {
            values(argument_, false, "");
        } else if (current_.starts_with('-') && sign != std::string::npos) {
            const std::string name = current_.substr(0, sign);
            const CLI::Option* option = find_option(*at_, name);
            values(name, option != nullptr && is_number(*option), name + "=");
        } else if (current_.starts_with('-')) {
            options();
        } else if (!commands_below(*at_).empty()) {
            for (const CLI::App* below : commands_below(*at_))
                add(below->get_name(), below->get_description());
        } else {
            const CLI::Option* word = positional();
            values(word == nullptr ? "" : word->get_name(true), false, "");
        }
        return std::move(result_);
    }

  private:
    void next(const std::string& word) {
        if (waiting_ != nullptr || !argument_.empty()) {
            waiting_ = nullptr;
            argument_.clear();
        } else if (word.starts_with('-')) {
            const CLI::Option* option = find_option(*at_, word);
            if (option != nullptr && takes_value(*option)) waiting_ = option;
            const auto arguments = kernel_arguments_of(place_);
            if (std::ranges::find(arguments, word, &Completions::Word::text) != arguments.end())
                argument_ = word;
        } else {
            for (const CLI::App* below : commands_below(*at_)) {
                if (below->get_name() != word) continue;
                at_ = below;
                place_.command += (place_.command.empty() ? "" : " ") + word;
                place_.words.clear();
                given_ = 0;
                return;
            }
            ++given_;
        }
        place_.words.push_back(word);
    }

    // Returns the word of the command that comes next; the last may come several times.
    const CLI::Option* positional() const {
        std::vector<const CLI::Option*> all;
        for (const CLI::Option* option : options_of(*at_))
            if (option->get_positional()) all.push_back(option);
        if (all.empty()) return nullptr;
        if (given_ < all.size()) return all[given_];
        return all.back()->get_items_expected_max() > 1 ? all.back() : nullptr;
    }

    void options() {
        for (const CLI::Option* option : options_of(*at_))
            for (const std::string& name : names_of(*option)) add(name, option->get_description());
        for (const Completions::Word& word : kernel_arguments_of(place_)) add(word.text, word.doc);
    }

    // Adds values with what stands before them in the same word. Those whose kind is not known are files.
    void values(const std::string& name, bool number, const std::string& before) {
        std::optional<std::vector<Completions::Word>> known;
        try {
            known = values_of(place_, name);
        } catch (const std::exception&) {
            return;  // a file on the line is not what it should be
        }
        result_.files = known ? false : !number;
        if (!known) return;
        // Of a list, the last value is completed.
        const std::size_t comma = current_.rfind(',');
        const std::string list = takes_list(name) && comma != std::string::npos && comma >= before.size()
                                     ? current_.substr(0, comma + 1)
                                     : before;
        for (const Completions::Word& word : *known) {
            if (word.text == ":files")
                result_.files = true;
            else
                add(list + word.text, word.doc);
        }
    }

    bool takes_list(const std::string& name) const {
        constexpr std::string_view TwoMetrics = "--pareto";
        const CLI::Option* option = find_option(*at_, name);
        return name == TwoMetrics || (option != nullptr && option->get_delimiter() != '\0');
    }

    void add(const std::string& text, const std::string& doc) {
        if (text.starts_with(current_)) result_.words.push_back({text, doc});
    }

    const CLI::App* at_;
    std::string current_;
    CompletionPlace place_;
    const CLI::Option* waiting_ = nullptr;  // the option that the word is a value of
    std::string argument_;                  // or the argument of a kernel, "--dtype"
    std::size_t given_ = 0;                 // words of the command so far
    Completions result_;
};

}  // namespace

Completions complete(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.size() < 2) return {};
    return Completer(app, words).run();
}

std::string to_text(const Completions& completions) {
    std::string text;
    for (const Completions::Word& word : completions.words)
        text += fmt::format("{}\t{}\n", word.text, word.doc);
    return text + (completions.files ? ":files\n" : "");
}

}  // namespace trnsim::cli
