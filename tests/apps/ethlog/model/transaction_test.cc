#include "apps/ethlog/model/transaction.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/model/sender.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct Encoded {
  std::vector<std::byte> bytes;
  Transaction view() const {
    const auto first = std::to_integer<unsigned>(bytes.at(0));
    return {static_cast<std::uint8_t>(first < 0x80 ? first : 0), bytes};
  }
};
Encoded encoded(const std::string& hex) { return {*bytes_from_hex(hex)}; }

json signed_by_ethers() {
  std::ifstream file{BLOOMERY_GOLDEN_DIR "/ethereum/transactions.json"};
  return json::parse(file).at("transactions");
}

// The example of EIP-155 itself.
const char* const kExample =
    "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028"
    "ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800"
    "ccf555c9f3dc64214b297fb1966a3b6d83";

TEST(Transaction, OfTheExampleOfEip155HasItsSender) {
  const Encoded example = encoded(kExample);
  const auto fields = decode_transaction(example.view());
  ASSERT_TRUE(fields) << fields.error().message;
  EXPECT_EQ(fields->nonce, 9U);
  EXPECT_EQ(fields->gas, 21'000U);
  EXPECT_EQ(fields->chain_id, wide_integer(std::vector<std::byte>{std::byte{1}}));
  EXPECT_EQ(fields->y_parity, 0U);
  EXPECT_EQ(signing_hash(*fields).hex(),
            "0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53");
  if (!recovers_senders()) GTEST_SKIP() << "built without libsecp256k1";
  EXPECT_EQ(sender_of(*fields)->hex(), "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f");
}

TEST(Transaction, OfEveryTypeHasTheHashSenderAndContractThatEthersSays) {
  std::array<int, 5> of_type{};
  for (const json& one : signed_by_ethers()) {
    const Encoded bytes = encoded(one.at("encoding"));
    const auto fields = decode_transaction(bytes.view());
    ASSERT_TRUE(fields) << fields.error().message << one;
    of_type.at(fields->type) += 1;
    EXPECT_EQ(fields->type, one.at("type"));
    EXPECT_EQ(bytes.view().hash().hex(), one.at("hash"));
    EXPECT_EQ(fields->nonce, one.at("nonce"));
    if (!recovers_senders()) continue;
    const auto sender = sender_of(*fields);
    ASSERT_TRUE(sender) << one;
    EXPECT_EQ(sender->hex(), one.at("from"));
    EXPECT_EQ(fields->to.has_value(), one.at("contract").is_null());
    if (fields->to) continue;
    EXPECT_EQ(contract_address(*sender, fields->nonce).hex(), one.at("contract"));
  }
  for (const int count : of_type) EXPECT_GE(count, 3);
}

TEST(Transaction, ThatIsCutOrLongerIsAnError) {
  for (const json& one : signed_by_ethers()) {
    Encoded bytes = encoded(one.at("encoding"));
    const Encoded whole = bytes;
    for (std::size_t size = whole.bytes.size(); size-- > 1;) {
      bytes.bytes.assign(whole.bytes.begin(),
                         whole.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_FALSE(decode_transaction(bytes.view())) << size;
    }
    bytes = whole;
    bytes.bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode_transaction(bytes.view()));
  }
}

TEST(Transaction, OfAnUnknownTypeSaysSo) {
  const auto fields = decode_transaction(encoded("0x7ec0").view());
  ASSERT_FALSE(fields);
  EXPECT_THAT(fields.error().message, HasSubstr("type 126 is not known"));
}

Encoded legacy_with(ByteView v, ByteView r) {
  RlpWriter out;
  out.begin_list();
  for (const std::uint64_t number : {1, 2, 3}) out.number(number);
  out.bytes({});
  out.number(4);
  out.bytes({});
  out.integer(v);
  out.integer(r);
  out.number(1);
  out.end_list();
  return {out.take()};
}

TEST(Transaction, WithASignatureThatIsNoneHasNoSender) {
  const std::vector<std::byte> one{std::byte{1}};
  for (const unsigned v : {0U, 1U, 26U, 29U, 34U}) {
    const std::vector<std::byte> digits{static_cast<std::byte>(v)};
    const Encoded bytes = legacy_with(digits, one);
    const auto fields = decode_transaction(bytes.view());
    ASSERT_TRUE(fields) << fields.error().message;
    EXPECT_FALSE(fields->chain_id) << v;
    EXPECT_FALSE(sender_of(*fields)) << v;
  }
  // An r beyond the order of the curve.
  const std::vector<std::byte> twenty_seven{std::byte{27}};
  const std::vector<std::byte> most(32, std::byte{0xff});
  const Encoded beyond = legacy_with(twenty_seven, most);
  EXPECT_FALSE(sender_of(*decode_transaction(beyond.view())));
}

// v is any integer: the chain's id may be as wide as v.
TEST(Transaction, NamesChainsWithWideIds) {
  std::vector<std::byte> v(32, std::byte{0});
  v[0] = std::byte{2};
  v[31] = std::byte{36};  // 2^249 + 36: the id is 2^248, and y is odd
  const std::vector<std::byte> one{std::byte{1}};
  const Encoded bytes = legacy_with(v, one);
  const auto fields = decode_transaction(bytes.view());
  ASSERT_TRUE(fields);
  Hash id;
  id.bytes[0] = std::byte{1};
  EXPECT_EQ(fields->chain_id, id);
  EXPECT_EQ(fields->y_parity, 1U);
}

}  // namespace
}  // namespace bloomery::ethlog
