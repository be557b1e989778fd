// dedup --documents where utf8proc was not there at build time.
#include "apps/cli/documents/options.h"

namespace bloomery::cli {

void dedup_documents(DocumentJob, const CommandLine&, Session& session) {
  session.exit_code = complain(
      "--documents is not supported in this build, because utf8proc was missing; install "
      "libutf8proc-dev and build again",
      kExitUsage);
}

}  // namespace bloomery::cli
