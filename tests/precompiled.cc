// Nothing but a reason to compile the headers that all tests share (tests/CMakeLists.txt).
