// Chrome trace JSON for Perfetto and chrome://tracing.
//
// A group of tracks is a process, a track a thread. Slices of one track that overlap go to further lines of
// it ("vector #2"); flows join first lines. Counters are a process of their own. Times keep their
// femtoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/session/tracks.hpp"

namespace trnsim::runtime {

class TraceWriter : public Tracks {
  public:
    // `stream` must outlive the writer. The document is complete after finish().
    explicit TraceWriter(std::ostream& stream);

    std::uint32_t add_track(std::string_view group, std::string_view name) override;
    void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
               std::span<const Argument> arguments) override;
    void instant(std::uint32_t track, std::string_view name, std::uint64_t time) override;
    void flow(std::uint32_t from_track, std::uint64_t from, std::uint32_t to_track,
              std::uint64_t to) override;
    void change(std::string_view counter, std::uint64_t time, double by) override;

    // Writes the counters and ends the document.
    void finish();

  private:
    struct Line {
        std::uint32_t thread;
        std::uint64_t end;  // end of its last slice, fs
    };
    struct Track {
        std::string name;
        std::uint32_t process;
        std::vector<Line> lines;
    };

    std::uint32_t process_of(std::string_view group);
    std::uint32_t add_line(Track& track);
    std::uint32_t first_line(Track& track);
    std::uint32_t line_for(Track& track, std::uint64_t start, std::uint64_t end);
    void write_event(const std::string& event);
    void write_counters();

    std::ostream& stream_;
    bool empty_ = true;
    std::map<std::string, std::uint32_t, std::less<>> processes_;
    std::vector<Track> tracks_;
    std::uint32_t threads_ = 0;
    std::uint64_t flows_ = 0;
    std::map<std::string, std::vector<std::pair<std::uint64_t, double>>, std::less<>> counters_;  // changes
};

}  // namespace trnsim::runtime
