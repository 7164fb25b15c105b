// What the files of a command are for: none is written that is read, and none is written twice.
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
    // Throws Error when it is a file that was added before, under whatever name: a link, another path.
    void add_output(const std::string& what, const std::filesystem::path& path);

  private:
    struct File {
        std::string what;
        bool exists = false;
        dev_t device = 0;  // and inode, of a file that exists
        ino_t inode = 0;
        std::filesystem::path path{};  // without links, of a file that is not there yet

        bool is(const File& other) const;
    };
    static File look_at(const std::string& what, const std::filesystem::path& path);

    std::vector<File> files_;
};

}  // namespace trnsim::files
