// Fixed limits of the contract. What an operator may change is a setting (config/config.ts).

export const limits = {
  bodyBytes: 256 * 1024,
  recipientsBodyBytes: 8 * 1024 * 1024,
  recipientsPerCall: 10_000,
  /** So many ids fit into a body of the usual size. */
  removalsPerCall: 5_000,
  /** Of a stream (CSV, or JSON a line); what is longer goes in several. */
  recipientsUploadBytes: 256 * 1024 * 1024,
  recipientsPerUpload: 1_000_000,
  recipientRowBytes: 64 * 1024,
  /** A stream is added in statements of so many rows or bytes, whichever is reached first. */
  recipientsPerBatch: 2_000,
  recipientsBatchBytes: 1024 * 1024,
  /** Of the rows of a stream that were not added; a line each tells of all. */
  invalidRowsListed: 1_000,
  /** Streams that a process reads at once, and for one workspace. */
  uploadsAtOnce: { perWorkspace: 6, all: 16 },
  providerBodyBytes: 4 * 1024 * 1024,
  /** The largest file that the provider passes on. */
  mediaBytes: 100 * 1024 * 1024,
  /** Of a file that an operator uploads: it is in memory as a whole. */
  mediaUploadBytes: 16 * 1024 * 1024,
  mediaUploadsAtOnce: { perWorkspace: 2, all: 4 },
  sdpBytes: 64 * 1024,
  pageDefault: 50,
  pageMax: 200,
  idempotencyKeyLength: 255,
  campaignNameLength: 200,
  campaignMessagesPerSecond: 1_000,
  variablePairs: 100,
  variableNameLength: 128,
  variableValueLength: 4_096,
  metadataPairs: 16,
  metadataKeyLength: 64,
  metadataValueLength: 512,
  /** Attempts of a queued delivery in all: the first and one after each of the five delays. */
  attempts: 6,
  /** Consecutive failed attempts that switch an endpoint off (specification, Delivery rules 4). */
  failuresToDisable: 20,
  failureWarnings: [10, 14, 18],
  retryAfterCapMs: 2 * 3_600_000,
  responseBodyBytes: 16 * 1024,
  responseHeaderBytes: 4 * 1024,
  endpointsPerWorkspace: 20,
  endpointUrlLength: 2_048,
  rotationOverlapHours: 24,
} as const
