// The name of a file until it is complete, and what makes its final name last.
#pragma once
#include <string>

namespace bloomery::cli {

std::string behind_links(const std::string& path);  // the file that a rename must not cut off
std::string partial_of(const std::string& path);    // PATH.partial, of the file behind links

// Makes new names and removed ones in the folder of this file survive a loss of power.
void sync_folder_of(const std::string& path);

}  // namespace bloomery::cli
