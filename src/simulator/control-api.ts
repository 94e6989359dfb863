import * as v from 'valibot'
import { ACCOUNT_FIELDS, reportAccount } from './account-events.ts'
import type { Ring } from './bounded.ts'
import { callFromHandset, endCall } from './call.ts'
import { answerAtHandset, declineAtHandset, liveCall } from './call-actions.ts'
import { choose } from './choices.ts'
import { ControlError, readBody } from './control-error.ts'
import {
  changeHandset,
  handsetAt,
  handsetView,
  listHandsets,
  markMessagesRead,
  onlineHandset,
  toneHz,
} from './control-handsets.ts'
import { changeNumber, changeUserId, makeHandset } from './control-identity.ts'
import { FaultsBody } from './faults.ts'
import { EchoBody, echo, setPreference } from './handset-events.ts'
import { HandsetMessageBody, writeFromHandset } from './inbound.ts'
import { LoadBody, runLoad } from './load.ts'
import type { BusinessNumber, Call } from './model.ts'
import { replyToPermission } from './permission.ts'
import type { ApiReply, ApiRequest } from './provider-api.ts'
import { BusinessNumberSetting } from './settings.ts'
import { verifyCallback } from './subscriptions.ts'
import { setTemplateStatus } from './templates.ts'
import { newHandle } from './uploads.ts'
import { addNumber, findNumber, resetWorld, type World } from './world.ts'

type Handler = (world: World, request: ApiRequest, id: string) => unknown

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
  /** The wamid of the permission request. */
  replyTo: v.optional(v.string()),
})

const PreferenceBody = v.strictObject({ to: v.string(), value: v.picklist(['stop', 'resume']) })

const AccountBody = v.optional(v.record(v.string(), v.unknown()), {})

/** One change of any field with any value, or a whole body that may be any JSON. */
const RawBody = v.pipe(
  v.strictObject({
    field: v.optional(v.string()),
    value: v.optional(v.unknown()),
    entryId: v.optional(v.string()),
    time: v.optional(v.number()),
    body: v.optional(v.unknown()),
  }),
  v.check(
    ({ field, body }) => (field === undefined) !== (body === undefined),
    'exactly one of field and body is needed',
  ),
)

const milliseconds = v.pipe(v.number(), v.minValue(1), v.maxValue(86_400_000))

const ConfigChange = v.strictObject({
  webhookUrls: v.optional(v.array(v.pipe(v.string(), v.url()))),
  ringTimeoutMs: v.optional(milliseconds),
  mediaUrlTtlMs: v.optional(milliseconds),
  callsPerDay: v.optional(v.pipe(v.number(), v.minValue(0))),
  clockOffsetMs: v.optional(v.pipe(v.number(), v.integer())),
  closedWindow: v.optional(v.picklist(['status', 'refusal'])),
  /** Added to the existing numbers. A reset removes them. */
  numbers: v.optional(v.array(BusinessNumberSetting)),
})

const SampleBody = v.strictObject({ fileType: v.string() })

const TemplateChange = v.strictObject({ status: v.pipe(v.string(), v.toUpperCase()) })

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
    const message = readBody(HandsetMessageBody, body)
    const handset = onlineHandset(world, waId)
    return { id: writeFromHandset(world, numberOf(world, message.to), handset, message) }
  },
  'POST handsets/calls': async (world, { body }, waId) => {
    const { to, ...sound } = readBody(CallBody, body)
    const handset = onlineHandset(world, waId)
    if (liveCall(world, handset) !== undefined) throw new ControlError(409, 'the handset is in a call')
    const call = await callFromHandset(world, { number: numberOf(world, to), handset, ...sound })
    return { wacid: call.wacid }
  },
  'POST handsets/permission': (world, { body }, waId) => {
    const { to, replyTo, ...reply } = readBody(PermissionBody, body)
    const handset = onlineHandset(world, waId)
    return { id: replyToPermission(world, numberOf(world, to), handset, { ...reply, contextId: replyTo }) }
  },
  'POST handsets/choose': (world, { body }, address) => ({
    id: choose(world, onlineHandset(world, address), body),
  }),
  'POST handsets/preferences': (world, { body }, address) => {
    const { to, value } = readBody(PreferenceBody, body)
    const handset = onlineHandset(world, address)
    setPreference(world, numberOf(world, to), handset, value)
    return handsetView(world, handset)
  },
  'POST handsets/echoes': (world, { body }, address) => {
    const { from } = readBody(EchoBody, body)
    return { id: echo(world, numberOf(world, from), handsetAt(world, address), body) }
  },
  'GET account': () => ({ fields: ACCOUNT_FIELDS }),
  'POST account': (world, { body }, field) => reportAccount(world, field, readBody(AccountBody, body)),
  'POST webhooks': (world, { body }) => {
    const { entryId, time, ...given } = readBody(RawBody, body)
    const change = { field: given.field, value: given.value }
    const entry = { id: entryId ?? world.settings.wabaId, ...(time === undefined ? {} : { time }) }
    const payload =
      given.body === undefined
        ? { object: 'whatsapp_business_account', entry: [{ ...entry, changes: [change] }] }
        : given.body
    void world.webhooks.send({ kind: 'raw', ref: given.field ?? '', field: '', value: {}, payload })
    return { sent: payload }
  },
  'POST handsets/read': (world, { body }, waId) => markMessagesRead(world, onlineHandset(world, waId), body),
  'GET handsets': (world, _, waId) =>
    waId === '' ? listHandsets(world) : handsetView(world, handsetAt(world, waId)),
  'POST handsets': (world, { body }) => handsetView(world, makeHandset(world, body)),
  'POST handsets/change-number': (world, { body }, address) => {
    const handset = handsetAt(world, address)
    changeNumber(world, handset, body)
    return handsetView(world, handset)
  },
  'POST handsets/change-user-id': (world, { body }, address) => {
    const handset = handsetAt(world, address)
    changeUserId(world, handset, body)
    return handsetView(world, handset)
  },
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
    const faults = readBody(FaultsBody, body)
    world.faults.replace(faults)
    return faults
  },
  'GET faults': (world) => world.faults.view(),
  'GET requests': (world, { query }, seq) =>
    seq === '' ? world.requests.since(...window(query)) : requestView(world, seq),
  'GET webhooks': (world, { query }, seq) =>
    seq === '' ? world.webhooks.journal.since(...window(query)) : webhookView(world, seq),
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
    const load = readBody(LoadBody, body)
    return runLoad(world, numberOf(world, load.to), load)
  },
  'POST samples': (world, { body }) => ({ handle: newHandle(world, readBody(SampleBody, body).fileType) }),
  'POST templates/status': (world, { body }, id) => {
    const template = world.templates.get(id)
    if (template === undefined) throw new ControlError(404, `there is no template ${id}`)
    setTemplateStatus(world, template, readBody(TemplateChange, body).status)
    return template
  },
}

function window(query: URLSearchParams): [since: number, limit: number] {
  const whole = (name: string, fallback: number) =>
    Math.max(Math.trunc(Number(query.get(name) ?? fallback)) || 0, 0)
  return [whole('since', 0), Math.min(whole('limit', 1000), 10_000)]
}

/** One journal entry; 404 when it is gone. Answers and bodies are kept only for the latest entries. */
function entryOf<T>(journal: Ring<T>, seq: string): T & { seq: number } {
  const wanted = Number(seq)
  const [entry] = Number.isInteger(wanted) && wanted > 0 ? journal.since(wanted - 1, 1).data : []
  if (entry?.seq !== wanted) throw new ControlError(404, `there is no entry ${seq} any more`)
  return entry
}

function requestView(world: World, seq: string): unknown {
  const entry = entryOf(world.requests, seq)
  return { ...entry, answer: world.answers.get(entry.seq) ?? null }
}

function webhookView(world: World, seq: string): unknown {
  const entry = entryOf(world.webhooks.journal, seq)
  const body = world.webhooks.bodies.get(entry.seq)
  return { ...entry, body: body === undefined ? null : JSON.parse(body.toString()) }
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
  const { webhookUrls, numbers, ...config } = readBody(ConfigChange, body)
  if (webhookUrls !== undefined) world.webhooks.urls = webhookUrls
  for (const number of numbers ?? []) addNumber(world, number)
  Object.assign(world.config, config)
  return configView(world)
}

/** Serves a file for the page. The sandbox policy disables scripts when the file is opened as a page. */
function mediaReply(world: World, id: string): ApiReply {
  const file = world.media.get(id)
  if (file === undefined)
    return { type: 'json', status: 404, body: { error: { message: `there is no file ${id}` } } }
  const headers = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' }
  return { type: 'bytes', bytes: file.bytes, contentType: file.mimeType, headers }
}

/** Answers one request under `/sim`. */
export async function answerControl(world: World, request: ApiRequest): Promise<ApiReply> {
  const [, , kind = '', id = '', action] = request.path.split('/')
  if (kind === 'media' && request.method === 'GET') return mediaReply(world, id)
  const handle = ROUTES[`${request.method} ${action === undefined ? kind : `${kind}/${action}`}`]
  try {
    if (handle === undefined) throw new ControlError(404, 'there is no such operation')
    return { type: 'json', status: 200, body: await handle(world, request, decodeURIComponent(id)) }
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
    return { type: 'json', status: error.status, body: { error: { message: error.message } } }
  }
}
