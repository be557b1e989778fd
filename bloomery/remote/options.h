// How files are read from web servers and object stores: credentials, patience and the cache.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace bloomery {

struct RemoteOptions {
  // "Name: value", sent to the origin of the address only: a redirect to another host, port or
  // scheme goes without them.
  std::vector<std::string> headers;
  std::string ca_file;  // PEM; empty: the system's authorities

  std::chrono::milliseconds connect_timeout{10'000};
  // A transfer that brings less than 1 KiB a second for so long is given up, and tried again.
  std::chrono::seconds stall_timeout{30};
  std::uint32_t retries = 4;                // of one request, after its first failure
  std::chrono::milliseconds back_off{500};  // before the first retry; doubled for each further one
  std::chrono::seconds longest_wait{30};    // a server that asks for more (Retry-After) is an error
  std::uint32_t redirects = 5;              // of one request
  std::uint32_t connections = 8;            // at a time
  // A server that knows no ranges sends the whole file; a larger one is refused. All files of one
  // place may have so many bytes together, or memory_bytes where that is more.
  std::uint64_t whole_limit = std::uint64_t{256} << 20;

  std::uint64_t memory_bytes = std::uint64_t{64} << 20;  // for pages, of all files of one place

  std::filesystem::path cache_folder;  // empty: none
  std::uint64_t cache_bytes = std::uint64_t{1} << 30;
};

// What was read so far, and from where.
struct RemoteTraffic {
  std::uint64_t requests = 0;  // with retries and redirects
  std::uint64_t retries = 0;
  std::uint64_t fetched_bytes = 0;  // of bodies
  std::uint64_t cached_bytes = 0;
};

}  // namespace bloomery
