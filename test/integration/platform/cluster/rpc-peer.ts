// The internal port of a process, without anything behind it but what a test answers.
import type { Receive } from '../../../../src/platform/cluster/receiver.ts'
import {
  createRpcHandler,
  createRpcUpgrade,
  rpcSockets,
} from '../../../../src/platform/cluster/rpc-handler.ts'
import { isRefusal, type ServerSocket } from '../../../../src/platform/http/sockets.ts'
import { listen } from '../../../../src/platform/http/uws.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { secret } from './gateway.ts'

export interface RpcPeer {
  readonly address: string
  readonly port: number
  /** False: an upgrade is answered as by a release that knows none. */
  takesSockets: boolean
  /** How many messages came as requests of their own, and how many upgrades. */
  readonly seen: { posts: number; upgrades: number }
  readonly refused: string[]
  /** Ends every socket. */
  cut(): void
  close(): Promise<void>
}

export async function startPeer(receive: Receive, port = 0): Promise<RpcPeer> {
  const refused: string[] = []
  const open = new Set<ServerSocket>()
  const rpc = {
    ...{ secrets: [secret], clock: systemClock, receive },
    refused: (...why: string[]) => void refused.push(why.join(' ')),
  }
  const handle = createRpcHandler(rpc)
  const upgrade = createRpcUpgrade(rpc)
  const server = await listen({
    ...{ host: '127.0.0.1', port, maxInFlight: 1_000, closeDeadlineMs: 0 },
    handler(request) {
      peer.seen.posts += 1
      return handle(request)
    },
    sockets: rpcSockets(async (request) => {
      peer.seen.upgrades += 1
      if (!peer.takesSockets) return handle(request)
      const verdict = await upgrade(request)
      if (isRefusal(verdict)) return verdict
      return {
        ...verdict,
        opened(socket) {
          open.add(socket)
          verdict.opened(socket)
        },
      }
    }),
  })
  const peer: RpcPeer = {
    ...{ address: `http://127.0.0.1:${server.port}`, port: server.port, refused },
    takesSockets: true,
    seen: { posts: 0, upgrades: 0 },
    cut() {
      for (const socket of open) socket.close(1001, 'cut')
    },
    close: () => server.close(),
  }
  return peer
}
