// Import this before uWebSockets.js, which reads its only setting of the parser when it is loaded. The parser
// answers a larger head with 431 and HTML. This layer refuses heads above `limits.headBytes` itself, in JSON.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(64 * 1024)
