#include "runtime/waves/surfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "base/files/files.hpp"
#include "runtime/waves/run.hpp"
#include "runtime/waves/view_file.hpp"

namespace trnsim::waves {
namespace {

namespace fs = std::filesystem;

constexpr unsigned Decimal = 0x4;  // flag of a signal in a view
constexpr std::string_view FormatPrefix = "trnsim_";
constexpr const char* Translators = "waves/surfer/trnsim.py";
constexpr std::string_view FolderOfFilters = "@FILTERS@";  // in that file

// The name of a signal and its bits: "core.pc[31:0]" is core.pc of 32 bits.
struct Named {
    std::string name;
    unsigned bits = 1;
};

Named named(const std::string& signal) {
    const std::size_t begin = signal.rfind('['), colon = signal.find(':', begin);
    if (begin == std::string::npos || colon == std::string::npos) return {signal};
    unsigned high = 0;
    std::from_chars(signal.data() + begin + 1, signal.data() + colon, high);
    return {signal.substr(0, begin), high + 1};
}

// Returns the name that Surfer gives the item with this index: hexadecimal digits a to p.
std::string item_name(std::size_t index) {
    std::string name = fmt::format("{:x}", index);
    for (char& digit : name) digit = static_cast<char>(digit <= '9' ? digit - '0' + 'a' : digit - 'a' + 'k');
    return name + "_";
}

// Returns a text of a GTKWave table, "?colour?text", as one in quotes.
std::string quoted(std::string text) {
    if (text.starts_with('?')) text.erase(0, text.find('?', 1) + 1);
    std::ranges::replace(text, '"', '\'');
    return '"' + text + '"';
}

class SurferView {
  public:
    SurferView(const View& view, const Recording& recording)
        : view_(view), recording_(recording), settings_(folder_of(recording.path) / "surfer") {}

    SurferFiles write(const Window& window) {
        for (const Row& row : {Row{"element.name"}, {"element.expected"}, {"element.found"}})
            if (recording_.signals.contains(row.signal)) add_variable({row.signal}, "");
        for (const Group& group : groups_of(view_)) add(group);
        if (window.marker) text_ += fmt::format("cursor_set {}\ngoto_cursor\n", *window.marker);
        const fs::path commands = fs::path(recording_.path).replace_extension(view_.name + ".sucl");
        files::write(commands, text_);
        return {commands, settings_};
    }

  private:
    struct Row {
        std::string signal;
    };

    void add(const Group& group) {
        const auto is_there = [this](const Entry& entry) {
            return recording_.signals.contains(entry.signal);
        };
        if (std::ranges::none_of(group.entries, is_there)) return;
        for (const std::string& line : group.begin)
            if (line.starts_with('-')) add_item(fmt::format("divider_add {}", line.substr(1)));
        for (const Entry& entry : group.entries)
            if (is_there(entry)) add_variable(named(entry.signal), format_of(entry));
    }

    void add_item(const std::string& command) {
        text_ += command + "\n";
        ++items_;
    }

    void add_variable(const Named& variable, const std::string& format) {
        add_item(fmt::format("variable_add {}", variable.name));
        if (format.empty()) return;
        text_ +=
            fmt::format("item_focus {}\nitem_set_format {}\nitem_unfocus\n", item_name(items_ - 1), format);
    }

    // Returns the name of the format; empty: Surfer's own choice.
    std::string format_of(const Entry& entry) {
        unsigned flags = 0;
        std::string file;
        for (const std::string& line : entry.lines) {
            if (line.starts_with('@')) std::from_chars(line.data() + 1, line.data() + line.size(), flags, 16);
            if (line.starts_with('^')) file = line.substr(line.find(' ') + 1);
        }
        const std::string name = std::string(FormatPrefix) + fs::path(file).stem().string();
        if (file.ends_with(".py")) {
            write_translators(file);
            return name;
        }
        if ((flags & Decimal) != 0) return "Unsigned";
        if (file.empty()) return "";
        if (written_.insert(name).second) write_mnemonics(name, file, named(entry.signal).bits);
        return name;
    }

    void write_mnemonics(const std::string& name, const std::string& file, unsigned bits) {
        std::string text = fmt::format("Name: {}\nBits: {}\n", name, bits);
        std::ifstream table(file_beside(file, view_, recording_));
        for (std::string line; std::getline(table, line);) {
            const std::size_t blank = line.find(' ');
            if (blank == std::string::npos) continue;
            text += fmt::format("0x{} {}\n", line.substr(0, blank), quoted(line.substr(blank + 1)));
        }
        fs::create_directories(settings_ / "mnemonic");
        files::write(settings_ / "mnemonic" / (name + ".txt"), text);
    }

    // All translators are in one file, which imports the filters.
    void write_translators(const std::string& filter) {
        const fs::path filters = file_beside(filter, view_, recording_).parent_path();
        if (!written_.insert(Translators).second) return;
        const auto bytes = files::read(view_.root / Translators);
        std::string text(bytes.begin(), bytes.end());
        text.replace(text.find(FolderOfFilters), FolderOfFilters.size(), filters.string());
        fs::create_directories(settings_ / "translators");
        files::write(settings_ / "translators" / fs::path(Translators).filename(), text);
        for (const char* other :
             {"waves/filters/element.py", "waves/filters/fp32.py", "waves/filters/fraction.py"})
            file_beside(other, view_, recording_);
    }

    const View& view_;
    const Recording& recording_;
    fs::path settings_;
    std::string text_ = "# Made by trnsim.\n";
    std::size_t items_ = 0;
    std::set<std::string> written_;  // names of formats, and the translators
};

}  // namespace

SurferFiles write_surfer_files(const View& view, const Recording& recording, const Window& window) {
    return SurferView(view, recording).write(window);
}

}  // namespace trnsim::waves
