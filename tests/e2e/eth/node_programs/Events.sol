// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// One event of every kind that a log can be of: value types, dynamic types, indexed or not, without
// a name topic, and without any topic.
contract Events {
  struct Point {
    int64 x;
    uint32 y;
  }

  event Transfer(address indexed from, address indexed to, uint256 value);
  event Values(bool indexed flag, int8 indexed small, bytes4 indexed selector, address who, uint256 number, bytes32 word);
  event Dynamic(string indexed name, bytes indexed blob, uint256[] indexed list, string text, bytes data, int256[] numbers);
  event Nested(Point point, Point[] points, string[2] texts, bytes1[] letters);
  event Named(string indexed name, string text) anonymous;
  event Bare(uint256 a, bytes b) anonymous;
  event Four(uint256 indexed a, uint256 indexed b, uint256 indexed c, uint256 indexed d) anonymous;
  event Nothing();

  function transfer(address to, uint256 value) external {
    emit Transfer(msg.sender, to, value);
  }

  function all(uint256 seed, string calldata text, bytes calldata blob) external {
    uint256[] memory list = new uint256[](seed % 4);
    int256[] memory numbers = new int256[](seed % 3);
    for (uint256 i = 0; i < list.length; ++i) list[i] = seed * (i + 1);
    for (uint256 i = 0; i < numbers.length; ++i) numbers[i] = -int256(seed) - int256(i);
    emit Values(seed % 2 == 0, -int8(int256(seed % 100)), bytes4(uint32(seed)), address(uint160(seed)), seed, keccak256(blob));
    emit Dynamic(text, blob, list, text, blob, numbers);
    Point[] memory points = new Point[](seed % 3);
    for (uint256 i = 0; i < points.length; ++i) points[i] = Point(-int64(int256(i)), uint32(seed));
    bytes1[] memory letters = new bytes1[](2);
    letters[0] = "a";
    emit Nested(Point(int64(int256(seed)), 7), points, [text, "two"], letters);
    emit Named(text, text);
    emit Bare(seed, blob);
    emit Four(seed, seed + 1, seed + 2, seed + 3);
    emit Nothing();
  }

  uint256 public calls;

  function none() external {
    calls += 1;
  }

  function fail() external {
    emit Nothing();
    revert("no log of this stays");
  }
}
