// GET /calls/ice: the STUN and TURN servers that a caller may use, with credentials that expire.
import { createHmac } from 'node:crypto'
import { encodeId, type WorkspaceId } from '../shared/ids.ts'

export interface IceServer {
  readonly urls: readonly string[]
  readonly username?: string
  readonly credential?: string
}

export interface IceView {
  readonly iceServers: readonly IceServer[]
  readonly ttlSeconds: number
  readonly expiresAt: string
}

export interface IceOptions {
  /** `stun:`, `stuns:`, `turn:` and `turns:` URLs. */
  readonly urls: readonly string[]
  /** The first one signs. A TURN server may still accept the others while a secret is being replaced. */
  readonly turnSecrets: readonly string[]
  readonly ttlMs: number
  readonly clock: { now(): number }
}

/** The credentials of coturn's `use-auth-secret`: HMAC-SHA1 of `<expiry in seconds>:<workspace>`, base64. */
export const createIceServers = ({ urls, turnSecrets, ttlMs, clock }: IceOptions) => {
  const isTurn = (url: string) => /^turns?:/.test(url)
  const stun = urls.filter((url) => !isTurn(url))
  const turn = urls.filter(isTurn)
  const [secret] = turnSecrets
  const ttlSeconds = Math.floor(ttlMs / 1_000)
  return (workspaceId: WorkspaceId): IceView => {
    const expiry = Math.floor(clock.now() / 1_000) + ttlSeconds
    const servers: IceServer[] = stun.length > 0 ? [{ urls: stun }] : []
    if (turn.length > 0 && secret !== undefined) {
      const username = `${expiry}:${encodeId('workspace', workspaceId)}`
      const credential = createHmac('sha1', secret).update(username).digest('base64')
      servers.push({ urls: turn, username, credential })
    }
    return { iceServers: servers, ttlSeconds, expiresAt: new Date(expiry * 1_000).toISOString() }
  }
}
