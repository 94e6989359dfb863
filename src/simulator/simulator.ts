import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { pino } from 'pino'
import { templateRecords } from './default-templates.ts'
import { createSimulatorServer } from './http-server.ts'
import { offeringPeer } from './real-peer.ts'
import type { SimulatorSettings } from './settings.ts'
import { createWorld, resetWorld, type World } from './world.ts'

export type RunningSimulator = Readonly<{ url: string; close(): Promise<void> }>

/** Starts a simulator. It listens when the promise resolves. Several simulators can run in one process. */
export async function startSimulator(settings: SimulatorSettings): Promise<RunningSimulator> {
  const world = createWorld({
    settings,
    log: pino({ level: settings.logLevel }, pino.destination(2)),
    offerText: await offerText(),
    templates: templateRecords(await templatesFile(settings.templatesFile)),
  })
  const server = createSimulatorServer(world)
  world.url = await listen(server, settings)
  return { url: world.url, close: () => close(world, server) }
}

/** Creates one real offer, the SDP template for calls without media. */
async function offerText(): Promise<string> {
  const peer = await offeringPeer()
  peer.close()
  return peer.sdp
}

async function templatesFile(path: string | undefined): Promise<unknown> {
  return path === undefined ? undefined : JSON.parse(await readFile(path, 'utf8'))
}

function listen(server: Server, { port, host }: SimulatorSettings): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, 1024, () => {
      const address = server.address()
      const bound = typeof address === 'object' && address !== null ? address.port : port
      const name = host.includes(':') ? `[${host}]` : host
      resolve(`http://${name}:${bound}`)
    })
  })
}

async function close(world: World, server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  resetWorld(world)
  await Promise.all([closed, world.webhooks.close()])
}
