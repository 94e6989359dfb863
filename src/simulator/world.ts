import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import { startsWithPermission } from './behaviour.ts'
import { BoundedMap, Ring } from './bounded.ts'
import { Faults } from './faults.ts'
import { isParentId, isUserId, numberBehind, userIdOf, waIdOf } from './identity.ts'
import { digitsOf } from './ids.ts'
import type { BusinessNumber, Call, Handset, MediaFile, Upload } from './model.ts'
import type { BusinessNumberSetting, SimulatorSettings } from './settings.ts'
import type { TemplateRecord } from './template-record.ts'
import { Timers } from './timers.ts'
import type { Permission } from './views.ts'
import { WebhookSender } from './webhook-sender.ts'

const REQUEST_JOURNAL_SIZE = 100_000
const HANDSET_LIMIT = 50_000
const CALL_LIMIT = 50_000
const MESSAGE_LIMIT = 200_000
const MEDIA_LIMIT = 1000
const MESSAGING_LIMIT = 'TIER_2K'
const ANSWERS_KEPT = 500

type RequestEntry = Readonly<{
  at: string
  atNs: string
  method: string
  path: string
  body: unknown
  status: number | null
  durationMs: number
}>

type SimulatorConfig = {
  ringTimeoutMs: number
  mediaUrlTtlMs: number
  /** Limit of connected business-initiated calls to one user within 24 hours. */
  callsPerDay: number
  /** Added to the real time: moves windows, permissions and expiries, but no timer. */
  clockOffsetMs: number
  /** Outside the window, free-form messages fail with a status, or the request is refused. Both occur. */
  closedWindow: 'status' | 'refusal'
}

type KnownMessage = Readonly<{ handset: Handset; phoneNumberId: string; type: string; atMs: number }>

export type World = {
  readonly settings: SimulatorSettings
  readonly log: Logger
  readonly config: SimulatorConfig
  readonly numbers: Map<string, BusinessNumber>
  readonly handsets: BoundedMap<string, Handset>
  /** The same handsets by their user ids and parent ids. Ids that were given up lead nowhere. */
  readonly handsetsById: BoundedMap<string, Handset>
  /** The number that is reached by each other way to dial it. */
  readonly dialled: BoundedMap<string, string>
  /** How many users have given up each number: the next one is another person with another id. */
  readonly formerOwners: BoundedMap<string, number>
  readonly calls: BoundedMap<string, Call>
  /** Messages from handsets by wamid, for marking as read, quotes and reactions. */
  readonly inbound: BoundedMap<string, KnownMessage>
  /** Messages from the business by wamid. */
  readonly sent: BoundedMap<string, KnownMessage>
  readonly media: BoundedMap<string, MediaFile>
  /** Resumable uploads by their session ids, and what the finished ones are by their handles. */
  readonly uploads: BoundedMap<string, Upload>
  readonly handles: BoundedMap<string, string>
  readonly templates: Map<string, TemplateRecord>
  /** What account events have changed for all numbers. */
  readonly account: { messagingLimit: string }
  readonly faults: Faults
  readonly webhooks: WebhookSender
  readonly requests: Ring<RequestEntry>
  /** The answers to the latest requests, by their sequence numbers. */
  readonly answers: BoundedMap<number, unknown>
  readonly timers: Timers
  /** The SDP template for calls without media. */
  readonly offerText: string
  readonly initialTemplates: readonly TemplateRecord[]
  /** The simulator's own URL, for media URLs. Known once the server listens. */
  url: string
  /** A reset increases it, so that running load runs stop. */
  generation: number
}

type Parts = Readonly<{
  settings: SimulatorSettings
  log: Logger
  offerText: string
  templates: readonly TemplateRecord[]
}>

export function createWorld({ settings, log, offerText, templates }: Parts): World {
  const faults = new Faults()
  const world: World = {
    settings,
    log,
    config: {
      ringTimeoutMs: settings.ringTimeoutMs,
      mediaUrlTtlMs: 300_000,
      callsPerDay: 100,
      clockOffsetMs: 0,
      closedWindow: 'status',
    },
    numbers: new Map(),
    handsets: new BoundedMap(HANDSET_LIMIT),
    handsetsById: new BoundedMap(2 * HANDSET_LIMIT),
    dialled: new BoundedMap(HANDSET_LIMIT),
    formerOwners: new BoundedMap(HANDSET_LIMIT),
    calls: new BoundedMap(CALL_LIMIT),
    inbound: new BoundedMap(MESSAGE_LIMIT),
    sent: new BoundedMap(MESSAGE_LIMIT),
    media: new BoundedMap(MEDIA_LIMIT),
    uploads: new BoundedMap(MEDIA_LIMIT),
    handles: new BoundedMap(MEDIA_LIMIT),
    templates: new Map(),
    account: { messagingLimit: MESSAGING_LIMIT },
    faults,
    webhooks: new WebhookSender(settings, faults),
    requests: new Ring(REQUEST_JOURNAL_SIZE),
    answers: new BoundedMap(ANSWERS_KEPT),
    timers: new Timers(),
    offerText,
    initialTemplates: templates,
    url: '',
    generation: 0,
  }
  world.webhooks.urls = settings.webhookUrls
  populate(world)
  return world
}

function populate(world: World): void {
  for (const setting of world.settings.numbers) addNumber(world, setting)
  for (const template of world.initialTemplates) world.templates.set(template.id, structuredClone(template))
}

export function addNumber(world: World, setting: BusinessNumberSetting): void {
  world.numbers.set(setting.phoneNumberId, {
    id: setting.phoneNumberId,
    digits: setting.displayPhoneNumber,
    verifiedName: setting.verifiedName,
    throughput: setting.throughput,
    calling: { status: 'ENABLED', call_icon_visibility: 'DEFAULT', callback_permission_status: 'DISABLED' },
    liveCalls: 0,
  })
}

/** Restores the state of the start. Webhook URLs and run-time configuration stay. */
export function resetWorld(world: World): void {
  world.generation += 1
  world.timers.clear()
  for (const call of world.calls.values()) call.peer?.close()
  for (const part of [
    world.numbers,
    world.handsets,
    world.handsetsById,
    world.dialled,
    world.formerOwners,
    world.calls,
    world.inbound,
    world.sent,
    world.media,
    world.uploads,
    world.handles,
    world.templates,
    world.answers,
  ]) {
    part.clear()
  }
  world.account.messagingLimit = MESSAGING_LIMIT
  world.faults.clear()
  world.webhooks.reset()
  world.requests.clear()
  populate(world)
}

/** The number with this phone number id or these digits, with or without a plus. */
export function findNumber(world: World, address: string): BusinessNumber | undefined {
  const byId = world.numbers.get(address)
  if (byId !== undefined) return byId
  const digits = digitsOf(address)
  for (const number of world.numbers.values()) if (number.digits === digits) return number
  return undefined
}

/** The simulator's time in Unix milliseconds. */
export const timeOf = (world: World): number => Date.now() + world.config.clockOffsetMs

/** Returns the handset of this number, in any way to dial it. Creates it at its first use. */
export function handsetOf(world: World, dialled: string): Handset {
  const digits = digitsOf(dialled)
  const waId = world.dialled.get(digits) ?? waIdOf(digits)
  return world.handsets.get(waId) ?? createHandset(world, waId, {})
}

/** Returns the handset of this user id or parent id. Creates it, without a visible number, at its first use. */
export function handsetOfId(world: World, id: string): Handset {
  const present = world.handsetsById.get(id)
  if (present !== undefined) return present
  let waId = numberBehind(id)
  while (world.handsets.has(waId)) waId = `${waId.slice(0, -5)}${randomInt(10)}${waId.slice(-4)}`
  return createHandset(world, waId, {
    ...(isParentId(id) ? { parentUserId: id } : { userId: id }),
    showsNumber: 'never',
  })
}

/** The handset at a phone number or a user id. */
export const handsetAtAddress = (world: World, address: string): Handset =>
  isUserId(address) ? handsetOfId(world, address) : handsetOf(world, address)

type Identity = Partial<Pick<Handset, 'userId' | 'parentUserId' | 'showsNumber'>>

function createHandset(world: World, waId: string, identity: Identity): Handset {
  const handset: Handset = {
    waId,
    userId: identity.userId ?? userIdOf(waId, world.formerOwners.get(waId) ?? 0),
    parentUserId: identity.parentUserId,
    username: undefined,
    showsNumber: identity.showsNumber ?? 'always',
    numberKnownAt: new Map(),
    dialledAs: [],
    stoppedMarketing: false,
    name: `Handset ${waId.slice(-4)}`,
    online: true,
    media: undefined,
    toneHz: undefined,
    inbox: [],
    outbox: [],
    calls: [],
    permissions: new Map(),
    lastWroteAt: new Map(),
    whenOnline: [],
    refusals: 0,
  }
  world.handsets.set(waId, handset)
  indexIds(world, handset)
  return handset
}

export function indexIds(world: World, handset: Handset): void {
  for (const id of [handset.userId, handset.parentUserId]) {
    if (id !== undefined) world.handsetsById.set(id, handset)
  }
}

/** The current permission. An expired temporary permission ends without a webhook. */
export function permissionOf(handset: Handset, phoneNumberId: string, nowMs: number): Permission {
  const present = handset.permissions.get(phoneNumberId)
  if (present === undefined) {
    const status = startsWithPermission(handset.waId) ? 'permanent' : 'no_permission'
    const fresh: Permission = { status, requestedAt: [], connectedAt: [] }
    handset.permissions.set(phoneNumberId, fresh)
    return fresh
  }
  if (present.expiresAt !== undefined && present.expiresAt <= nowMs) {
    present.status = 'no_permission'
    delete present.expiresAt
  }
  return present
}
