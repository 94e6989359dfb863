// A TCP proxy in the test process: the line between a gateway and a server, which can be cut or go silent.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * `open`: passes everything on. `refused`: nothing listens, and what was open is reset, as when a process has
 * died and its host lives. `silent`: takes connections and bytes, and neither passes anything on nor says that
 * it does not, as when packets are dropped.
 */
export type ProxyState = 'open' | 'refused' | 'silent'

export interface TcpProxy {
  readonly port: number
  become(state: ProxyState): Promise<void>
  /** The connections of this moment are silent for ever. New ones are passed on. */
  silenceOpen(): void
  close(): Promise<void>
}

interface Line {
  readonly near: Socket
  readonly far: Socket
  isSilent: boolean
}

export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const lines = new Set<Line>()
  let state: ProxyState = 'open'
  const take = (near: Socket) => {
    const far = connect(targetPort, '127.0.0.1')
    const line: Line = { near, far, isSilent: state === 'silent' }
    lines.add(line)
    join(line, () => lines.delete(line))
  }
  const silenceOpen = () => {
    for (const line of lines) line.isSilent = true
  }
  // Bytes that were dropped come no more, so a silenced connection is reset once the line is back.
  const resetOpen = (isConcerned: (line: Line) => boolean) => {
    for (const line of [...lines].filter(isConcerned)) reset(line)
  }
  let server = await listen(take, 0)
  const { port } = server.address() as AddressInfo
  const change = async (next: ProxyState) => {
    const before = state
    state = next
    if (next === 'silent') silenceOpen()
    else resetOpen(({ isSilent }) => isSilent || next === 'refused')
    if (next === before) return
    if (next === 'refused') await ended(server)
    if (before === 'refused') server = await listen(take, port)
  }
  let changed = Promise.resolve()
  return {
    port,
    silenceOpen,
    become(next) {
      changed = changed.then(() => change(next))
      return changed
    },
    async close() {
      await changed
      resetOpen(() => true)
      if (server.listening) await ended(server)
    },
  }
}

function reset({ near, far }: Line): void {
  for (const socket of [near, far]) abort(socket)
}

// libuv refuses to reset a connection that is being shut down, and its handle would then stay open for ever.
function abort(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** Passes bytes and ends on in both directions, unless the line is silent. */
function join(line: Line, gone: () => void): void {
  const { near, far } = line
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.setNoDelay(true)
    from.on('data', (bytes) => {
      if (line.isSilent || to.write(bytes)) return
      from.pause()
      to.once('drain', () => from.resume())
    })
    from.on('end', () => {
      if (!line.isSilent) to.end()
    })
    from.on('error', () => undefined)
    from.on('close', () => {
      // Silence hides the end of one side from the other, until the line is reset.
      if (line.isSilent && !to.destroyed) return
      gone()
      if (from.errored !== null) abort(to)
      else to.destroySoon()
    })
  }
}

async function listen(take: (near: Socket) => void, port: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, take)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const ended = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
