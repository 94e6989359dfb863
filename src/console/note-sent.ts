import type { Author } from '../contract/administration.ts'
import type { MessageRecord } from '../contract/records/message.ts'
import { decodeId } from '../shared/ids.ts'
import type { ConsoleServices } from './services.ts'

/**
 * Names the operator as the sender of a message. A repeat writes the entry that a crash has left out. But who repeats
 * what an API key has sent, with its idempotencyKey, has sent nothing.
 */
export async function noteSent(
  { audit }: Pick<ConsoleServices, 'audit'>,
  author: Author,
  { id, caller }: MessageRecord,
  after: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (caller?.apiKeyId) return
  await audit.noteOnce(author, {
    ...{ action: 'message.sent', subjectKind: 'message', subjectId: decodeId('message', id) ?? '' },
    after,
  })
}
