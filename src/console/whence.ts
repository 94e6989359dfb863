import { userAgentLength } from '../accounts/device.ts'
import type { Whence } from '../accounts/operator.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'

/** Where a request comes from, as the audit records it. */
export const whence = (request: HttpRequest): Whence => ({
  ip: request.remoteAddress,
  userAgent: request.header('user-agent')?.slice(0, userAgentLength) ?? null,
})
