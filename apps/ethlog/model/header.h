// Block headers: RLP to members and, from the members that JSON-RPC writes, back to RLP, so that
// the hash of a block that came as JSON can be checked.
#pragma once
#include <functional>

#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// The hash is keccak of the bytes. Items after the ones we know belong to later forks and are
// passed over.
Result<Header> decode_header(ByteView rlp);

// One member of a header as JSON-RPC names it, in the order of the RLP.
struct HeaderMember {
  enum class Kind : std::uint8_t { kFixed, kInteger, kBytes };
  std::string_view name;
  Kind kind;
  std::size_t size;  // bytes of a fixed one
};
constexpr std::size_t kMandatoryHeaderMembers = 15;  // the rest came with the forks, one by one
std::span<const HeaderMember> header_members();

// The text of a member (0x...), or nothing where the source has no such member.
using MemberText = std::function<std::optional<std::string>(std::string_view name)>;
// Nothing when one of the mandatory members is missing: then there is no header to check. The
// fork's members end with the first that is missing.
Result<std::optional<std::vector<std::byte>>> encode_header(const MemberText& text_of);
// The same as one item per member, without the list's head; none when a mandatory one is missing.
Result<std::vector<std::vector<std::byte>>> encode_header_members(const MemberText& text_of);

}  // namespace bloomery::ethlog
