#include "model/processes/agreement.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "model/processes/bytes.hpp"

namespace trnsim::tlm::processes {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

// Finds the first fact that differs. Another version of the program may have facts of other names.
std::optional<std::string> difference(Reader found, Reader expected) {
    while (!expected.at_end()) {
        const std::string name = expected.get_text(), value = expected.get_text();
        const bool has_it = !found.at_end() && found.get_text() == name;
        const std::string other = has_it ? found.get_text() : "nothing";
        if (!has_it || other != value) return fmt::format("{}: found {}, expected {}", name, other, value);
    }
    if (found.at_end()) return std::nullopt;
    return fmt::format("{}: found it, expected nothing", found.get_text());
}

}  // namespace

void expect_same(Exchange& exchange, const Facts& facts) {
    Message own;
    Writer writer(own);
    writer.put_text(host_name());
    for (const auto& [name, value] : facts) {
        writer.put_text(name);
        writer.put_text(value);
    }
    const std::vector<Message> all = exchange.all_to_all(std::vector<Message>(exchange.size(), own));
    for (unsigned rank = 1; rank < exchange.size(); ++rank) {
        Reader first(all[0]), other(all[rank]);
        const std::string first_host = first.get_text(), host = other.get_text();
        if (const auto what = difference(other, first))
            throw std::runtime_error(
                text::printable(fmt::format("process {} of {} on {}: {} as process 0 on {} has", rank,
                                            exchange.size(), host, *what, first_host)));
    }
}

std::string program_checksum() {
    const std::vector<std::uint8_t> bytes = files::read("/proc/self/exe");
    return fmt::format("{:08x}", crc32_z(0, bytes.data(), bytes.size()));
}

std::string command_line() {
    std::ifstream stream("/proc/self/cmdline");
    std::string words, word;
    std::getline(stream, word, '\0');
    while (std::getline(stream, word, '\0')) words += (words.empty() ? "" : " ") + word;
    return words;
}

}  // namespace trnsim::tlm::processes
