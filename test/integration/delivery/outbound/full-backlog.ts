// A port that accepts nothing: its server is frozen and its backlog full, so the kernel drops connections.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { TestContext } from '../../../support/harness.ts'

const SERVER = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`

/** More connections than any kernel queues for a backlog of one. */
const MOST_QUEUED = 64

export async function fullBacklog(t: TestContext): Promise<number> {
  const child = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  const port = Number(String(line))
  child.kill('SIGSTOP')
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  while (await isLetIn(port, sockets)) {
    if (sockets.length > MOST_QUEUED) throw new Error('the pool does not fill up')
  }
  return port
}

/** On loopback the kernel accepts at once or not at all. */
function isLetIn(port: number, sockets: Socket[]): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  return Promise.race([
    once(socket, 'connect').then(() => true),
    // After a halt timers run before sockets are read, and what setImmediate takes runs after that.
    sleep(250)
      .then(() => setImmediate())
      .then(() => !socket.connecting),
  ])
}
