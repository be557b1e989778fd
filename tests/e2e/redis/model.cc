// The library alone, as a judge of the module: commands on standard input, one a line, replies on
// standard output, spelled as random_sequences.py spells the server's. Words that are data are
// hexadecimal, with a dash before them, so that an empty one is a word too.
#include <iostream>
#include <map>
#include <sstream>

#include "bloomery/formats/redis/redisbloom_dump.h"

namespace {

using namespace bloomery;

using Words = std::vector<std::string>;

std::string from_hex(const std::string& word) {
  std::string bytes;
  for (std::size_t i = 1; i + 1 < word.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(word.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::string to_hex(ByteView bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text.push_back(kDigits[static_cast<unsigned>(byte) >> 4]);
    text.push_back(kDigits[static_cast<unsigned>(byte) & 15]);
  }
  return text;
}

class Model {
 public:
  std::string answer(const Words& words) {
    const std::string& command = words[0];
    if (command == "FLUSH") return filters_.clear(), "OK";
    if (command == "RESERVE") return reserve(words);
    if (command == "INSERT") return insert(words);
    if (command == "MEXISTS") return may_contain(words);
    const auto found = filters_.find(words[1]);
    if (found == filters_.end()) return command == "CARD" ? "0" : "none";
    if (command == "CARD") return std::to_string(found->second.keys_inserted());
    if (command == "DUMP") return to_hex(*encode_redisbloom(found->second));
    const std::string payload = from_hex(words[2]);  // EQUAL: a DUMP payload
    const auto decoded = decode_redisbloom_payload(bytes_of(payload), {});
    return decoded && *decoded == found->second ? "equal" : "differs";
  }

 private:
  std::string reserve(const Words& words) {  // key rate keys expansion
    if (filters_.contains(words[1])) return "ERR item exists";
    make(words[1], words[2], words[3], words[4]);
    return "OK";
  }
  void make(const std::string& key, const std::string& rate, const std::string& keys,
            const std::string& expansion) {
    auto made = RedisBloomFilter::for_goal({std::stoull(keys), std::stod(rate)},
                                           static_cast<std::uint32_t>(std::stoul(expansion)));
    filters_.emplace(key, std::move(*made));
  }
  std::string insert(const Words& words) {  // key rate keys expansion items...
    if (!filters_.contains(words[1])) make(words[1], words[2], words[3], words[4]);
    RedisBloomFilter& filter = filters_.at(words[1]);
    std::string replies;
    for (std::size_t i = 5; i < words.size(); ++i) {
      const std::string item = from_hex(words[i]);
      const auto added = filter.insert(bytes_of(item));
      replies += added ? (*added ? "1 " : "0 ") : "ERR " + added.error().message + " ";
      if (!added) break;
    }
    return replies;
  }
  std::string may_contain(const Words& words) {
    const auto found = filters_.find(words[1]);
    std::string replies;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const std::string item = from_hex(words[i]);
      replies += found != filters_.end() && found->second.may_contain(bytes_of(item)) ? "1 " : "0 ";
    }
    return replies;
  }

  std::map<std::string, RedisBloomFilter> filters_;
};

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  Model model;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in{line};
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    std::cout << model.answer(words) << '\n';
  }
  std::cout.flush();
}
