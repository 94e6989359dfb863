// A file that was uploaded for messages to come.
export interface UploadRecord {
  id: string
  mimeType: string
  fileName: string
  sizeBytes: number
  /** Hex. */
  sha256: string
  /** Messages can be sent with it until then. */
  expiresAt: string
}
