// Compares text with a stored file; WARPLENS_BLESS=1 in the environment writes the file instead.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(WARPLENS_SOURCE_DIR) + "/tests/render/" + name;
  if (std::getenv("WARPLENS_BLESS")) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(read_file(path), text) << "if this is right: WARPLENS_BLESS=1 ctest -R render_test, and look at git diff "
                                   << name;
}
