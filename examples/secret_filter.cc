// A filter for keys that an attacker may choose: its hash has a secret.
#include <cstdio>
#include <filesystem>
#include <string>

#include "bloomery/bloomery.h"

int main() {
  const bloomery::SipKey secret = bloomery::sip_key_from_secret(bloomery::bytes_of("from a vault"));
  auto seen = bloomery::Filter<std::string>::for_goal(
      {.keys = 1000, .false_positive_rate = 0.01},
      bloomery::Hasher{bloomery::Profile::kSiphash, 0, secret});
  if (!seen) return 1;
  seen->insert("apple");

  const std::string file = std::filesystem::temp_directory_path() / "secret.bloom";
  if (auto saved = seen->save(file); !saved) return 1;
  const auto with = bloomery::Filter<std::string>::load(file, {.sip_key = secret});
  const auto without = bloomery::Filter<std::string>::load(file);
  std::printf("with the secret: %s\n", with && with->may_contain("apple") ? "maybe" : "refused");
  std::printf("without it: %s\n", without ? "loaded" : "refused");
  std::filesystem::remove(file);
}
