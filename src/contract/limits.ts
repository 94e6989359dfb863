// Fixed limits. A limit that an operator can change is a setting (platform/config/settings.ts).

export const limits = {
  /** The path, the query and all headers of a request. */
  headBytes: 16 * 1024,
  bodyBytes: 256 * 1024,
  recipientsBodyBytes: 8 * 1024 * 1024,
  recipientsPerCall: 10_000,
  /** This many ids fit into a body of `bodyBytes`. */
  removalsPerCall: 5_000,
  /** For one stream (CSV, or one JSON object per line). A longer list is sent as several streams. */
  recipientsUploadBytes: 256 * 1024 * 1024,
  recipientsPerUpload: 1_000_000,
  recipientRowBytes: 64 * 1024,
  /** A stream is added in statements of this many rows or bytes, whichever is reached first. */
  recipientsPerBatch: 2_000,
  recipientsBatchBytes: 1024 * 1024,
  /** How many rejected rows of a stream the summary lists. An answer with one line per row reports all. */
  invalidRowsListed: 1_000,
  /** Streams that a process reads at the same time: for one workspace, and in total. */
  uploadsAtOnce: { perWorkspace: 6, all: 16 },
  providerBodyBytes: 4 * 1024 * 1024,
  /** The largest file that the provider passes on. */
  mediaBytes: 100 * 1024 * 1024,
  /** For a file that an operator uploads: the whole file is held in memory. */
  mediaUploadBytes: 16 * 1024 * 1024,
  /** Files of messages that a process sends at the same time. Half of its connections to an object store. */
  downloadsAtOnce: { perWorkspace: 16, all: 128 },
  mediaUploadsAtOnce: { perWorkspace: 2, all: 4 },
  sdpBytes: 64 * 1024,
  pageDefault: 50,
  pageMax: 200,
  idempotencyKeyLength: 255,
  idempotencyKeyDays: 30,
  campaignNameLength: 200,
  campaignMessagesPerSecond: 1_000,
  variablePairs: 100,
  variableNameLength: 128,
  variableValueLength: 4_096,
  metadataPairs: 16,
  metadataKeyLength: 64,
  metadataValueLength: 512,
  /** All attempts of a queued delivery: the first one, and one after each of the five delays. */
  attempts: 6,
  /** Consecutive failed attempts that switch an endpoint off, by the API contract. */
  failuresToDisable: 20,
  failureWarnings: [10, 14, 18],
  retryAfterCapMs: 2 * 3_600_000,
  responseBodyBytes: 16 * 1024,
  responseHeaderBytes: 4 * 1024,
  endpointsPerWorkspace: 20,
  /** The file of an export: object stores take at most 5 GiB at once. */
  exportBytes: 4 * 1024 ** 3,
  endpointUrlLength: 2_048,
  rotationOverlapHours: 24,
} as const
