// Sends one event to a receiver: a POST, or a frame on a socket that stays open.
import { once } from 'node:events'
import { Agent, fetch } from 'undici'
import { WebSocket } from 'ws'
import { attemptTimeoutMs, concurrency } from './settings.js'
import { signatureOf } from './signature.js'

const agent = new Agent({ connections: concurrency })
const sockets = new Map()

/** Returns the receiver's status; throws where there is no answer or a bad one. */
export async function deliver({ url, secret }, body) {
  return url.startsWith('ws') ? sendFrame(url, body) : post(url, secret, body)
}

async function post(url, secret, body) {
  const response = await fetch(url, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'content-type': 'application/json',
      'x-communication-signature-256': signatureOf(secret, body),
    },
    body,
    signal: AbortSignal.timeout(attemptTimeoutMs),
  })
  // The connection is free for the next request once the body was read.
  await response.arrayBuffer()
  if (!response.ok) throw Object.assign(new Error(`the receiver answered ${response.status}`), { response })
  return response.status
}

async function sendFrame(url, body) {
  const socket = await socketOf(url)
  await new Promise((resolve, reject) => {
    socket.send(body, { binary: false }, (error) => (error ? reject(error) : resolve()))
  })
  return 101
}

function socketOf(url) {
  const open = sockets.get(url)
  if (open) return open
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: attemptTimeoutMs })
  const ready = once(socket, 'open').then(() => socket)
  sockets.set(url, ready)
  ready.catch(() => sockets.delete(url))
  socket.on('error', () => undefined)
  socket.on('close', () => sockets.delete(url))
  return ready
}
