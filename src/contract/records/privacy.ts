// Erasures and exports of contacts.

export const erasureStatuses = ['PENDING', 'RUNNING', 'COMPLETED'] as const
export type ErasureStatus = (typeof erasureStatuses)[number]

export const exportStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'EXPIRED'] as const
export type ExportStatus = (typeof exportStatuses)[number]

/** How many of each have been handled so far. */
export interface ContactCounts {
  recipients: number
  calls: number
  messages: number
  files: number
  events: number
}

interface ContactJobRecord {
  id: string
  /** The number as digits. */
  contact: string | null
  /** Messages and calls at the start; null before it. Compare it with those of `counts`. */
  total: number | null
  counts: ContactCounts
  createdAt: string
  startedAt: string | null
  completedAt: string | null
}

/** `contact` is null once it is complete. */
export interface ErasureRecord extends ContactJobRecord {
  status: ErasureStatus
}

/** `contact` is null once it has expired. */
export interface ExportRecord extends ContactJobRecord {
  status: ExportStatus
  /** Of the file, once there is one. */
  sizeBytes: number | null
  sha256: string | null
  error: { code: string; title: string } | null
  expiresAt: string | null
}
