import * as v from 'valibot'
import { type Call, callFromHandset, endCall } from './call.ts'
import { answerAtHandset, declineAtHandset, liveCall } from './call-actions.ts'
import { FaultsBody } from './faults.ts'
import { digitsOf } from './ids.ts'
import { HandsetMessageBody, writeFromHandset } from './inbound.ts'
import { LoadBody, runLoad } from './load.ts'
import { report } from './message-statuses.ts'
import { replyToPermission } from './permission.ts'
import type { ApiReply, ApiRequest } from './provider-api.ts'
import { BusinessNumberSetting } from './settings.ts'
import { verifyCallback } from './subscriptions.ts'
import { setTemplateStatus } from './templates.ts'
import {
  addNumber,
  type BusinessNumber,
  findNumber,
  type Handset,
  handsetOf,
  resetWorld,
  type World,
} from './world.ts'

class ControlError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const HANDSETS_LISTED = 500

type Handler = (world: World, request: ApiRequest, id: string) => unknown

/** What a telephone carries well. */
const toneHz = v.optional(v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(3000)))

const CallBody = v.strictObject({
  to: v.string(),
  media: v.optional(v.picklist(['real', 'template'])),
  toneHz,
})

const PermissionBody = v.strictObject({
  to: v.string(),
  response: v.picklist(['accept', 'reject']),
  isPermanent: v.optional(v.boolean(), false),
  source: v.optional(v.picklist(['user_action', 'automatic']), 'user_action'),
  /** The wamid of the request that this answers. */
  replyTo: v.optional(v.string()),
})

const ReadBody = v.optional(v.strictObject({ id: v.optional(v.string()) }), {})

const HandsetChange = v.strictObject({
  online: v.optional(v.boolean()),
  name: v.optional(v.string()),
  media: v.optional(v.picklist(['real', 'template'])),
  toneHz,
})

const milliseconds = v.pipe(v.number(), v.minValue(1), v.maxValue(86_400_000))

const ConfigChange = v.strictObject({
  webhookUrls: v.optional(v.array(v.pipe(v.string(), v.url()))),
  ringTimeoutMs: v.optional(milliseconds),
  mediaUrlTtlMs: v.optional(milliseconds),
  callsPerDay: v.optional(v.pipe(v.number(), v.minValue(0))),
  /** Added to the numbers that are there; gone after a reset. */
  numbers: v.optional(v.array(BusinessNumberSetting)),
})

const TemplateChange = v.strictObject({ status: v.pipe(v.string(), v.toUpperCase()) })

function read<const S extends v.GenericSchema>(schema: S, body: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, body)
  if (result.success) return result.output
  const problems = result.issues.map((issue) => `${v.getDotPath(issue) ?? 'body'}: ${issue.message}`)
  throw new ControlError(400, problems.join('; '))
}

function numberOf(world: World, address: string): BusinessNumber {
  const number = findNumber(world, address)
  if (number === undefined) throw new ControlError(404, `there is no business number ${address}`)
  return number
}

function callOf(world: World, wacid: string): Call {
  const call = world.calls.get(wacid)
  if (call === undefined) throw new ControlError(404, `there is no call ${wacid}`)
  return call
}

function ringingOutbound(world: World, wacid: string): Call {
  const call = callOf(world, wacid)
  const fits = call.direction === 'BUSINESS_INITIATED' && call.state === 'ringing'
  if (!fits) throw new ControlError(409, `the call is ${call.direction} and ${call.state}`)
  return call
}

const ROUTES: Readonly<Record<string, Handler>> = {
  'POST handsets/messages': (world, { body }, waId) => {
    const message = read(HandsetMessageBody, body)
    const handset = onlineHandset(world, waId)
    return { id: writeFromHandset(world, numberOf(world, message.to), handset, message) }
  },
  'POST handsets/calls': async (world, { body }, waId) => {
    const { to, ...sound } = read(CallBody, body)
    const handset = onlineHandset(world, waId)
    if (liveCall(world, handset) !== undefined) throw new ControlError(409, 'the handset is in a call')
    const call = await callFromHandset(world, { number: numberOf(world, to), handset, ...sound })
    return { wacid: call.wacid }
  },
  'POST handsets/permission': (world, { body }, waId) => {
    const { to, replyTo, ...reply } = read(PermissionBody, body)
    const handset = onlineHandset(world, waId)
    return { id: replyToPermission(world, numberOf(world, to), handset, { ...reply, contextId: replyTo }) }
  },
  'POST handsets/read': (world, { body }, waId) =>
    readLast(world, onlineHandset(world, waId), read(ReadBody, body).id),
  'GET handsets': (world, _, waId) =>
    waId === '' ? listHandsets(world) : handsetView(world, handsetAt(world, waId)),
  'PUT handsets': (world, { body }, waId) => changeHandset(world, handsetAt(world, waId), body),
  'GET calls': (world, _, wacid) => callView(callOf(world, wacid)),
  'POST calls/answer': (world, _, wacid) => {
    const call = ringingOutbound(world, wacid)
    answerAtHandset(world, call)
    return callView(call)
  },
  'POST calls/decline': (world, _, wacid) => {
    const call = ringingOutbound(world, wacid)
    declineAtHandset(world, call)
    return callView(call)
  },
  'POST calls/hangup': (world, _, wacid) => {
    const call = callOf(world, wacid)
    if (call.state === 'ended') throw new ControlError(409, 'the call has ended')
    void endCall(world, call, 'hung-up-by-handset')
    return callView(call)
  },
  'PUT faults': (world, { body }) => {
    const faults = read(FaultsBody, body)
    world.faults.replace(faults)
    return faults
  },
  'GET requests': (world, { query }) => world.requests.since(...window(query)),
  'GET webhooks': (world, { query }) => world.webhooks.journal.since(...window(query)),
  'POST reset': (world) => {
    resetWorld(world)
    return { ok: true }
  },
  'GET health': (world) => ({ ok: true, pendingWebhooks: world.webhooks.pending, calls: world.calls.size }),
  'GET config': (world) => configView(world),
  'PUT config': (world, { body }) => changeConfig(world, body),
  'POST verify': async (world) => ({
    results: await Promise.all(
      world.webhooks.urls.map((url) => verifyCallback(url, world.settings.verifyToken)),
    ),
  }),
  'POST load': (world, { body }) => {
    const load = read(LoadBody, body)
    return runLoad(world, numberOf(world, load.to), load)
  },
  'POST templates/status': (world, { body }, id) => {
    const template = world.templates.get(id)
    if (template === undefined) throw new ControlError(404, `there is no template ${id}`)
    setTemplateStatus(world, template, read(TemplateChange, body).status)
    return template
  },
}

function window(query: URLSearchParams): [since: number, limit: number] {
  const whole = (name: string, fallback: number) =>
    Math.max(Math.trunc(Number(query.get(name) ?? fallback)) || 0, 0)
  return [whole('since', 0), Math.min(whole('limit', 1000), 10_000)]
}

function handsetAt(world: World, address: string): Handset {
  const waId = digitsOf(address)
  if (waId.length < 5 || waId.length > 20) throw new ControlError(400, `${address} is not a phone number`)
  return handsetOf(world, waId)
}

/** The handsets that came into being last. */
const listHandsets = (world: World): unknown => ({
  data: [...world.handsets.values()]
    .slice(-HANDSETS_LISTED)
    .map(({ waId, name, online }) => ({ waId, name, online })),
})

/** A handset that is offline does nothing by itself. */
function onlineHandset(world: World, waId: string): Handset {
  const handset = handsetAt(world, waId)
  if (!handset.online) throw new ControlError(409, 'the handset is offline')
  return handset
}

function readLast(world: World, handset: Handset, id: string | undefined): unknown {
  const unread = handset.inbox.filter((item) => item.status !== 'read' && item.status !== 'failed')
  const item = id === undefined ? unread.at(-1) : unread.find((one) => one.id === id)
  if (item === undefined) throw new ControlError(404, 'the handset has no such unread message')
  report(world, { number: numberOf(world, item.phoneNumberId), handset, item }, { status: 'read' })
  return { id: item.id }
}

function changeHandset(world: World, handset: Handset, body: unknown): unknown {
  const change = read(HandsetChange, body)
  handset.name = change.name ?? handset.name
  handset.media = change.media ?? handset.media
  handset.toneHz = change.toneHz ?? handset.toneHz
  handset.online = change.online ?? handset.online
  if (handset.online) for (const action of handset.whenOnline.splice(0)) action()
  return handsetView(world, handset)
}

function handsetView(world: World, handset: Handset): unknown {
  const { waId, name, online, media, inbox, outbox } = handset
  const calls = handset.calls.flatMap((wacid) => world.calls.get(wacid) ?? [])
  return {
    waId,
    name,
    online,
    media: media ?? null,
    inbox,
    outbox,
    calls: calls.map(({ wacid, direction, state, number }) => ({
      wacid,
      direction,
      state,
      phoneNumberId: number.id,
    })),
    permissions: Object.fromEntries(handset.permissions),
  }
}

function callView(call: Call): unknown {
  const { wacid, direction, state, media, endReason, localSdp, remoteSdp, timeline } = call
  return {
    wacid,
    direction,
    state,
    waId: call.handset.waId,
    phoneNumberId: call.number.id,
    endReason: endReason ?? null,
    media: { kind: media, ...call.peer?.facts() },
    localSdp,
    remoteSdp: remoteSdp ?? null,
    timeline,
  }
}

const configView = (world: World): unknown => ({
  ...world.config,
  webhookUrls: world.webhooks.urls,
  numbers: [...world.numbers.values()].map(({ id, digits, verifiedName }) => ({ id, digits, verifiedName })),
})

function changeConfig(world: World, body: unknown): unknown {
  const { webhookUrls, numbers, ...config } = read(ConfigChange, body)
  if (webhookUrls !== undefined) world.webhooks.urls = webhookUrls
  for (const number of numbers ?? []) addNumber(world, number)
  Object.assign(world.config, config)
  return configView(world)
}

/** Answers one request under `/sim`. */
export async function answerControl(world: World, request: ApiRequest): Promise<ApiReply> {
  const [, , kind = '', id = '', action] = request.path.split('/')
  const handle = ROUTES[`${request.method} ${action === undefined ? kind : `${kind}/${action}`}`]
  try {
    if (handle === undefined) throw new ControlError(404, 'there is no such operation')
    return { type: 'json', status: 200, body: await handle(world, request, decodeURIComponent(id)) }
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
    return { type: 'json', status: error.status, body: { error: { message: error.message } } }
  }
}
