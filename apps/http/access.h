// Which requests a server hears by their Host and Origin: those of programs on this machine, and of
// pages that were named. A page of another site can neither ask nor, by a name of its own that it
// lets point here, pretend to be of this one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::http {

class Access {
 public:
  Access(std::vector<std::string> hosts, std::vector<std::string> origins);

  // Of a Host header with or without port. Empty if it may ask, otherwise a sentence.
  std::string host_refusal(std::string_view host) const;
  // An origin that is this very host's is a page that was had from here.
  std::string origin_refusal(std::string_view origin, std::string_view host) const;
  // What Access-Control-Allow-Origin says to an origin that was not refused.
  std::string_view allowed_origin(std::string_view origin) const;

 private:
  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace bloomery::http
