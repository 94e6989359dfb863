// Runs the answering bot of src/examples against the whole product, with handsets that send real audio.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { createSecret, createSigner } from '../../src/delivery/signature.ts'
import { type Bot, startBot } from '../../src/examples/bot/bot.ts'
import { connectSwitchboard } from '../../src/examples/bot/switchboard.ts'
import { echo, type Voice } from '../../src/examples/bot/voices.ts'
import { createEar, type Ear } from '../../src/simulator/sound.ts'
import { ownFolder } from '../support/embedded.ts'
import { after, before } from '../support/harness.ts'
import { type Json, ok } from './clients.ts'
import { hello } from './message-steps.ts'
import { lastingPort, type Running, run } from './processes.ts'
import { eventually, scenario } from './scene.ts'
import { session } from './sdp.ts'
import { type Stack, startStack } from './stack.ts'

const EVENTS = ['call.ringing', 'call.accepted', 'call.status', 'message.received']
const MAX_CALLS = 3
/** The tolerance of a tone that went through Opus and was measured for half a second. */
const TOLERANCE_HZ = 6

let stack: Stack
let bot: Bot
let url = ''
let secret = ''
const log: Json[] = []
/** One ear per call, in the order of the calls. */
const ears: Ear[] = []

/** Wraps the bot's voice so that the test hears what the bot hears. */
const overheard =
  (voice: Voice): Voice =>
  (say) => {
    const ear = createEar()
    ears.push(ear)
    const talking = voice(say)
    return {
      ...talking,
      hear(packet) {
        ear.hear(packet.payload)
        talking.hear(packet)
      },
    }
  }

before(async () => {
  stack = await startStack()
  const port = await lastingPort()
  url = `ws://127.0.0.1:${port}`
  const endpoint = await stack.addEndpoint({ name: 'bot', url, events: EVENTS })
  await stack.assignNumber(stack.numbers[0], { endpointId: endpoint.id, forwardCalls: true })
  secret = endpoint.secret
  bot = await startBot({
    ...{ host: '127.0.0.1', port, secret, maxCalls: MAX_CALLS, mediaAddress: '127.0.0.1' },
    switchboard: connectSwitchboard(stack.gateway(0).origin, stack.key),
    voice: overheard(echo),
    log: (event, fields) => log.push({ event, ...fields }),
  })
})
after(async () => {
  await bot?.close()
  await stack?.stop()
})

const botLog = () => `--- bot\n${log.map((line) => JSON.stringify(line)).join('\n')}`

const step = (title: string, work: () => Promise<void>) =>
  scenario(title, () => ({ ...stack, logs: () => `${stack.logs()}\n${botLog()}` }), work)

const simCall = (wacid: string): Promise<Json> => ok(stack.sim.get(`/calls/${encodeURIComponent(wacid)}`))

const hangUpAtHandset = (wacid: string): Promise<Json> =>
  ok(stack.sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`))

const ring = async (from: string, toneHz: number): Promise<string> => {
  const to = stack.numbers[0].phoneNumberId
  return (await ok(stack.sim.post(`/handsets/${from}/calls`, { to, media: 'real', toneHz }))).wacid
}

const isNear = (heard: number | null, hertz: number): boolean =>
  heard !== null && Math.abs(heard - hertz) <= TOLERANCE_HZ

async function hears(wacid: string, hertz: number): Promise<void> {
  let media: Json
  const hearsIt = async () => {
    media = (await simCall(wacid)).media
    return isNear(media.heardHz, hertz)
  }
  await eventually(`${wacid} hears ${hertz} Hz`, hearsIt).catch((error) => {
    throw new Error(`${error.message} (${JSON.stringify(media)})`)
  })
}

const ended = (callId: string): Json =>
  log.find((line) => line.event === 'call.ended' && line.callId === callId)

const callOf = async (wacid: string): Promise<Json> => {
  const { data } = await ok(stack.api.get('/calls?limit=50'))
  return data.find((call: Json) => call.wacid === wacid)
}

/** Waits until the call is COMPLETED and the handset's connection is closed; returns the call. */
async function over(wacid: string): Promise<Json> {
  await eventually(`${wacid} is over`, async () => (await callOf(wacid)).status === 'COMPLETED')
  await eventually('the handset is closed', async () => (await simCall(wacid)).media.connection === 'closed')
  return callOf(wacid)
}

step('three callers at once each hear their own tone come back, a fourth is declined', async () => {
  const tones = [440, 523, 659]
  // The third caller hides the number.
  const hidden = await ok(stack.sim.put('/handsets/15557000202', { showsNumber: 'never' }))
  const wacids = await Promise.all(tones.map((hertz, index) => ring(`1555700020${index}`, hertz)))
  await Promise.all(wacids.map((wacid, index) => hears(wacid, tones[index] ?? 0)))
  for (const hertz of tones)
    assert.ok(
      ears.some((ear) => isNear(ear.hertz(), hertz)),
      `the bot hears ${hertz} Hz`,
    )
  assert.equal(bot.calls.size, MAX_CALLS)
  const fourth = await ring('15557000204', 880)
  await eventually('the fourth is declined', async () => (await simCall(fourth)).state === 'ended')
  assert.equal((await simCall(fourth)).endReason, 'rejected-by-business')
  for (const wacid of wacids) await hangUpAtHandset(wacid)
  await eventually('the bot has let go', async () => bot.calls.size === 0)
  for (const wacid of wacids) {
    const { id, lastForwardError } = await over(wacid)
    assert.equal(lastForwardError, null)
    const { packetsHeard, packetsSaid } = ended(id)
    assert.ok(packetsHeard >= 25 && packetsSaid >= 25, `${packetsHeard} heard, ${packetsSaid} said`)
  }
  const { from, userId } = await callOf(wacids.at(-1) ?? '')
  assert.deepEqual([from, userId], ['', hidden.userId])
})

step('who is called by the bot picks up, and each hears the other', async () => {
  const to = '15557030021'
  // Known by the user id alone.
  const { userId } = await ok(stack.sim.put(`/handsets/${to}`, { toneHz: 740, showsNumber: 'never' }))
  const { conversationId } = await ok(stack.api.post('/messages/chat', hello(userId)), 202)
  const before = ears.length
  const callId = await bot.calls.place(conversationId)
  await eventually('the bot is told that it was answered', async () => ears.length > before)
  const { wacid, to: ours, from } = await ok(stack.api.get(`/calls/${callId}`))
  assert.deepEqual([from, ours], ['', stack.numbers[0].number])
  await hears(wacid, 740)
  assert.ok(isNear(ears[before]?.hertz() ?? null, 740), 'the bot hears the handset')
  await hangUpAtHandset(wacid)
  await eventually('the bot has let go', async () => ended(callId) !== undefined)
  assert.equal((await over(wacid)).id, callId)
})

/** Dials as Switchboard does; returns the socket and a promise of its close code. */
function dial(headers: Readonly<Record<string, string>>) {
  const socket = new WebSocket(url, { headers })
  return { socket, closed: once(socket, 'close').then(([code]) => Number(code)) }
}

const handshake = (signedWith: string, agoMs = 0, nonce: string = randomUUID()) =>
  createSigner({ current: signedWith }).handshakeHeaders(Date.now() - agoMs, nonce)

step('a handshake that is forged, old or used before is closed with 1008', async () => {
  const good = handshake(secret)
  const genuine = dial(good)
  await once(genuine.socket, 'open')
  const bad = [{}, handshake(createSecret()), handshake(secret, 301_000), handshake(secret, -301_000), good]
  for (const headers of bad) assert.equal(await dial(headers).closed, 1008)
  assert.equal(genuine.socket.readyState, WebSocket.OPEN)
  genuine.socket.close()
  await genuine.closed
})

step('a frame that is no event, and a call that has ended, trouble nobody', async () => {
  const { socket, closed } = dial(handshake(secret))
  await once(socket, 'open')
  socket.send('no JSON')
  await eventually('it says so', async () => log.some(({ event }) => event === 'event.failed'))
  const { data } = await ok(stack.api.get('/calls?status=COMPLETED&limit=1&direction=INBOUND'))
  const [past] = data
  const lines = log.length
  const call = { id: past.id, from: past.from, session: session('offer') }
  socket.send(JSON.stringify({ event: 'call.ringing', channel: 'CHAT', call }))
  await eventually('the bot gives up', async () =>
    log.slice(lines).some(({ event, why }) => event === 'call.ended' && /CALL_ENDED/.test(why)),
  )
  assert.equal(bot.calls.size, 0)
  socket.close()
  await closed
})

step(
  'npm run bot becomes the endpoint of a development start, plays its tone, and hangs up when stopped',
  async () => {
    const dir = mkdtempSync(join(ownFolder(), 'bot-'))
    const { key: apiKey, workspaceId, operator, numbers } = stack
    const development = { apiUrl: stack.gateway(0).origin, apiKey, workspaceId, operator, numbers }
    writeFileSync(join(dir, 'dev.json'), JSON.stringify(development))
    const env = { ...process.env, DATA_DIR: dir, BOT_PORT: String(await lastingPort()) }
    let program: Running | undefined
    try {
      program = run('bot', 'src/examples/bot/main.ts', { env, logDir: dir, args: ['--tone', '1000'] })
      await program.line(({ event }) => event === 'bot.answers', 'answering')
      const wacid = await ring('15557000210', 880)
      await hears(wacid, 1000)
      program.signal('SIGINT')
      assert.equal(await program.exited, 'code 0')
      assert.equal((await simCall(wacid)).endReason, 'terminated-by-business')
      await over(wacid)
    } finally {
      await program?.stop()
      rmSync(dir, { recursive: true, force: true })
    }
  },
)
