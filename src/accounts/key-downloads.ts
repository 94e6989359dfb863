// What API keys download, for the audit: a file or a report at most once an hour for each key. A program that
// reads a file over and over costs a look into memory.
import type { AuditLog, AuditNote, KeyAuthor } from '../contract/administration.ts'
import type { Clock } from '../shared/clock.ts'
import { Lru } from '../shared/lru.ts'

const HOUR_MS = 3_600_000
/** What is forgotten here is found in the table. */
const REMEMBERED = 10_000

export type NoteDownload = (author: KeyAuthor, note: AuditNote) => Promise<void>

export function createKeyDownloads(audit: Pick<AuditLog, 'noteOfKey'>, clock: Clock): NoteDownload {
  const notedAt = new Lru<number>(REMEMBERED)
  return async (author, note) => {
    const what = `${author.keyId} ${note.action} ${note.subjectId}`
    const last = notedAt.get(what)
    if (last !== undefined && clock.mono() - last < HOUR_MS) return
    await audit.noteOfKey(author, note)
    notedAt.set(what, clock.mono())
  }
}
