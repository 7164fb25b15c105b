#include "arch/config/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "arch/config/nearest.hpp"

namespace trnsim::config {

void fail(const Location& place, std::string_view rule, const std::string& message) {
    const std::string where =
        place.line == 0 ? place.file : fmt::format("{}:{}:{}", place.file, place.line, place.column);
    throw Error(fmt::format("{}: {}", where, message), rule);
}

namespace {

// The largest file, value and depth: reading takes time and stack that grow with them.
constexpr std::size_t MostBytes = 1 << 20, MostBytesOfValue = 1 << 16, MostDepth = 64;

struct BeyondLimits : YAML::ParserException {
    using ParserException::ParserException;
};

// Collects the places at which the documents of a file begin. Throws BeyondLimits.
struct Beginnings : YAML::EventHandler {
    std::vector<YAML::Mark> marks;
    std::size_t depth = 0;

    void enter(const YAML::Mark& mark) {
        if (++depth > MostDepth)
            throw BeyondLimits(
                mark, fmt::format("lists and mappings within each other, expected at most {}", MostDepth));
    }

    void OnDocumentStart(const YAML::Mark& mark) override { marks.push_back(mark); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {}
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {}
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        if (value.size() > MostBytesOfValue)
            throw BeyondLimits(mark, fmt::format("a value of {} bytes, expected at most {}", value.size(),
                                                 MostBytesOfValue));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        enter(mark);
    }
    void OnSequenceEnd() override { --depth; }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        enter(mark);
    }
    void OnMapEnd() override { --depth; }
};

// yaml-cpp takes a stray ',' or '}' for an empty document, and then again for the next one without end.
std::vector<YAML::Mark> find_documents(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Beginnings found;
    while (parser.HandleNextDocument(found)) {
        const auto count = found.marks.size();
        if (count > 1 && found.marks[count - 1].pos == found.marks[count - 2].pos) {
            throw YAML::ParserException(found.marks.back(), "unexpected text");
        }
    }
    return found.marks;
}

}  // namespace

Document::Document(const std::filesystem::path& path, std::string_view what) : file_(path.string()) {
    std::error_code unreachable;
    if (std::filesystem::is_directory(path, unreachable))  // its text would be an error without a name
        throw Error(fmt::format("{}: no regular file, expected {}", file_, what), RuleUnreadable);
    std::ifstream stream(path, std::ios::binary);
    std::string text(MostBytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (stream.bad() || !stream.eof()) {
        if (text.size() > MostBytes)
            throw Error(
                fmt::format("{}: more than {} bytes, expected {} of at most that", file_, MostBytes, what),
                RuleUnreadable);
        throw Error(fmt::format("{}: cannot be read, expected {}", file_, what), RuleUnreadable);
    }
    try {
        const std::vector<YAML::Mark> documents = find_documents(text);
        if (documents.size() > 1) {
            fail(place(YAML::LoadAll(text)[1]), RuleDocuments,
                 fmt::format("found {} documents, expected one", documents.size()));
        }
        root_ = YAML::Load(text);
    } catch (const BeyondLimits& error) {
        fail(place(error.mark), RuleSyntax, fmt::format("found {}", error.msg));
    } catch (const YAML::Exception& error) {
        fail(place(error.mark), RuleSyntax, fmt::format("not YAML: {}", error.msg));
    }
    if (!root_.IsMap())
        fail(place(root_), RuleTop, fmt::format("found {}, expected a mapping of keys", kind(root_)));
}

Location Document::place(const YAML::Mark& mark) const {
    return {file_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

void Document::entries(const YAML::Node& map, const std::string& section, std::span<const std::string> valid,
                       const Visitor& visit, const Suggestion& elsewhere) const {
    std::set<std::string> here;
    for (const auto& item : map) {
        const std::string key = item.first.IsScalar() ? item.first.Scalar() : "?";
        const std::string full = join_key(section, key);
        if (std::find(valid.begin(), valid.end(), key) == valid.end()) {
            std::string suggestion = elsewhere ? elsewhere(key) : "";
            if (suggestion.empty()) suggestion = join_key(section, nearest(key, valid));
            fail(place(item.first), RuleUnknownKey,
                 full == suggestion
                     ? fmt::format("unknown key '{}', expected '{}' as keys within each other, without dots",
                                   key, full)
                     : fmt::format("unknown key '{}', expected one like '{}'", full, suggestion));
        }
        if (!here.insert(key).second)
            fail(place(item.first), RuleKeyTwice, fmt::format("{}: found twice, expected once", full));
        visit(key, item.second, place(item.second.IsNull() ? item.first : item.second));
    }
}

std::string_view kind(const YAML::Node& node) {
    if (node.IsMap()) return "a mapping";
    if (node.IsSequence()) return "a list";
    return !node.IsDefined() || node.IsNull() ? "nothing" : "a value";
}

std::string join_key(const std::string& section, const std::string& key) {
    return section.empty() ? key : section + "." + key;
}

}  // namespace trnsim::config
