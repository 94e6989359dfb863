// Who downloads, as the audit records it.
import type { KeyAuthor } from '../contract/administration.ts'
import type { Caller } from '../contract/caller.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'

export const authorOf = ({ workspaceId, keyId }: Caller, request: HttpRequest): KeyAuthor => ({
  workspaceId,
  keyId,
  ip: request.remoteAddress,
  userAgent: request.header('user-agent') ?? null,
})
