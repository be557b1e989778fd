// A filter in many files on a web server or in an object store: its manifest is fetched, and of the
// parts what keys need.
#pragma once
#include <memory>
#include <string_view>

#include "bloomery/formats/options.h"
#include "bloomery/formats/set/filter_set.h"
#include "bloomery/remote/file.h"

namespace bloomery {

// True where the file is a manifest (NAME.bloomset).
bool is_remote_set(const RemoteFile& file);

// The manifest's address; the parts lie beside it, and are asked for with the same user, password
// and query, which must be good for all of them. options.limits bound the manifest. Every part is
// read in one version, that of its first read.
Result<FilterSet> open_remote_set(std::string_view manifest, const RemoteOptions& remote,
                                  const DecodeOptions& options);

// The address of a file beside another one: `name` is relative, and is percent-encoded.
std::string address_beside(std::string_view address, std::string_view name);

}  // namespace bloomery
