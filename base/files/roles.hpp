// The files that a command reads and writes: no file that is read is written, and none is written twice.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/files/error.hpp"

namespace trnsim::files {

class Roles {
  public:
    // `what` is for messages, such as "--input a".
    void add_input(const std::string& what, const std::filesystem::path& path);
    void add_inputs(const std::string& what, const std::set<std::filesystem::path>& paths);
    // Throws Error when the file was added before under any name (a link, another path).
    void add_output(const std::string& what, const std::filesystem::path& path);

  private:
    struct File {
        std::string what;
        bool exists = false;
        dev_t device = 0;  // device and inode of an existing file
        ino_t inode = 0;
        std::filesystem::path path{};  // path without links of a file that does not exist yet

        bool is(const File& other) const;
    };
    static File look_at(const std::string& what, const std::filesystem::path& path);

    std::vector<File> files_;
};

}  // namespace trnsim::files
