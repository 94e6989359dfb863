// A handset sends a file, and a client downloads it.
import { createHash } from 'node:crypto'
import { PATIENCE_MS } from '../support/patience.ts'
import { type Json, ok } from './clients.ts'
import { eventually } from './scene.ts'
import type { Stack } from './stack.ts'

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Sends from a handset; returns the message as the message log shows it. */
export async function arrives(stack: Stack, from: string, fields: Json): Promise<Json> {
  const { id } = await ok(
    stack.sim.post(`/handsets/${from}/messages`, { to: stack.numbers[0].number, ...fields }),
  )
  let found: Json
  await eventually('the message is in the log', async () => {
    const { data } = await ok(stack.api.get(`/messages/chat?contact=%2B${from}`))
    found = data.find((one: Json) => one.providerMessageId === id)
    return found !== undefined
  })
  return found
}

export const image = (stack: Stack, from: string, bytes: Buffer) =>
  arrives(stack, from, { type: 'image', mimeType: 'image/png', mediaBase64: bytes.toString('base64') })

export async function fetchMedia(
  { stack, gateway = 0 }: { stack: Stack; gateway?: number },
  id: string,
  headers = {},
) {
  const answer = await fetch(`${stack.gateway(gateway).origin}/api/v1/messages/chat/${id}/media`, {
    headers: { authorization: `Bearer ${stack.key}`, ...headers },
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}
