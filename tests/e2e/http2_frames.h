// HTTP/2 by hand, for what no client of gRPC's sends.
//
//   bytes = kHttp2Preface + Http2Frame(kHttp2Settings, 0, 0, "") +
//           Http2Frame(kHttp2Headers, kHttp2EndHeaders, 1,
//           HeadersOfCall("/package.Service/Method"));
//
// Threads: pure functions.
#ifndef TOPICWALL_TESTS_E2E_HTTP2_FRAMES_H_
#define TOPICWALL_TESTS_E2E_HTTP2_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace topicwall::testing {

inline constexpr char kHttp2Preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// Types of frames, and flags.
inline constexpr char kHttp2Data = 0, kHttp2Headers = 1, kHttp2Reset = 3, kHttp2Settings = 4;
inline constexpr char kHttp2EndStream = 1, kHttp2EndHeaders = 4;
inline constexpr size_t kHttp2FrameHead = 9;

inline std::string Http2Frame(char type, char flags, uint32_t stream, absl::string_view payload) {
  const auto byte = [](size_t number, int shift) { return static_cast<char>(number >> shift); };
  const std::string head = {byte(payload.size(), 16),
                            byte(payload.size(), 8),
                            byte(payload.size(), 0),
                            type,
                            flags,
                            byte(stream, 24),
                            byte(stream, 16),
                            byte(stream, 8),
                            byte(stream, 0)};
  return absl::StrCat(head, payload);
}

// As HPACK has it without a table. Both are shorter than 127.
inline std::string Http2Header(absl::string_view name, absl::string_view value) {
  return absl::StrCat(std::string(1, '\0'), std::string(1, static_cast<char>(name.size())), name,
                      std::string(1, static_cast<char>(value.size())), value);
}

inline std::string HeadersOfCall(absl::string_view path) {
  return absl::StrCat(Http2Header(":method", "POST"), Http2Header(":scheme", "https"),
                      Http2Header(":path", path), Http2Header(":authority", "localhost"),
                      Http2Header("te", "trailers"),
                      Http2Header("content-type", "application/grpc"));
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_HTTP2_FRAMES_H_
