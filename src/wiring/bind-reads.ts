// Behind the routes that read and mark as read: conversations, read marks, ICE servers.
import type { ApiServices } from '../api/services.ts'
import { createIceServers } from '../calls/ice-servers.ts'
import { createReadMarks } from '../conversations/mark-read.ts'
import { createConversationReader } from '../store/conversations-read.store.ts'
import { createMessageReader } from '../store/messages-read.store.ts'
import { createReadMarkStore } from '../store/read-marks.store.ts'
import type { Foundation } from './foundation.ts'

export const bindReads = ({
  sql,
  accounts,
  provider,
  clock,
}: Foundation): Pick<ApiServices, 'conversations' | 'reading'> => ({
  conversations: createConversationReader(sql),
  reading: createReadMarks({
    store: createReadMarkStore(sql, accounts),
    provider,
    find: createMessageReader(sql).find,
    clock,
  }),
})

export const iceServers = ({ settings, clock }: Foundation): ApiServices['calls']['ice'] =>
  createIceServers({
    urls: settings.ICE_SERVERS,
    turnSecrets: settings.TURN_SECRET ?? [],
    ttlMs: settings.TURN_TTL,
    clock,
  })
