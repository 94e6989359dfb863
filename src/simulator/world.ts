import type { Logger } from 'pino'
import { startsWithPermission } from './behaviour.ts'
import { BoundedMap, Ring } from './bounded.ts'
import type { Call } from './call.ts'
import { Faults } from './faults.ts'
import { digitsOf } from './ids.ts'
import type { MediaFile } from './media.ts'
import type { BusinessNumberSetting, SimulatorSettings } from './settings.ts'
import type { TemplateRecord } from './template-record.ts'
import { Timers } from './timers.ts'
import type { InboxItem, OutboxItem, Permission } from './views.ts'
import { WebhookSender } from './webhook-sender.ts'

const REQUEST_JOURNAL_SIZE = 100_000
const HANDSET_LIMIT = 50_000
const CALL_LIMIT = 50_000
const INBOUND_LIMIT = 200_000
const MEDIA_LIMIT = 1000
const ANSWERS_KEPT = 500

export type BusinessNumber = {
  readonly id: string
  readonly digits: string
  readonly verifiedName: string
  readonly throughput: 'STANDARD' | 'HIGH'
  calling: Record<string, unknown>
  liveCalls: number
}

export type Handset = {
  readonly waId: string
  name: string
  online: boolean
  /** Overrides what the number's ending says about media. */
  media: 'real' | 'template' | undefined
  /** Plays this tone in calls with real media, in place of an echo. */
  toneHz: number | undefined
  readonly inbox: InboxItem[]
  readonly outbox: OutboxItem[]
  readonly calls: string[]
  readonly permissions: Map<string, Permission>
  readonly lastWroteAt: Map<string, number>
  /** Actions that wait for the handset to come online. */
  readonly whenOnline: (() => void)[]
  refusals: number
}

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
  /** Connected business-initiated calls to one user within 24 hours. */
  callsPerDay: number
}

export type World = {
  readonly settings: SimulatorSettings
  readonly log: Logger
  readonly config: SimulatorConfig
  readonly numbers: Map<string, BusinessNumber>
  readonly handsets: BoundedMap<string, Handset>
  readonly calls: BoundedMap<string, Call>
  /** Messages from handsets by wamid, for marking as read. */
  readonly inbound: BoundedMap<string, Readonly<{ waId: string; phoneNumberId: string }>>
  readonly media: BoundedMap<string, MediaFile>
  readonly templates: Map<string, TemplateRecord>
  readonly faults: Faults
  readonly webhooks: WebhookSender
  readonly requests: Ring<RequestEntry>
  /** What the latest requests were answered, by their sequence numbers. */
  readonly answers: BoundedMap<number, unknown>
  readonly timers: Timers
  /** The description that calls without media are stamped from. */
  readonly offerText: string
  readonly initialTemplates: readonly TemplateRecord[]
  /** Own address, for media URLs; known once the server listens. */
  url: string
  /** Raised by a reset, so that load runs of before stop. */
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
    config: { ringTimeoutMs: settings.ringTimeoutMs, mediaUrlTtlMs: 300_000, callsPerDay: 100 },
    numbers: new Map(),
    handsets: new BoundedMap(HANDSET_LIMIT),
    calls: new BoundedMap(CALL_LIMIT),
    inbound: new BoundedMap(INBOUND_LIMIT),
    media: new BoundedMap(MEDIA_LIMIT),
    templates: new Map(),
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

/** Back to the state of the start; webhook URLs and run-time configuration stay. */
export function resetWorld(world: World): void {
  world.generation += 1
  world.timers.clear()
  for (const call of world.calls.values()) call.peer?.close()
  for (const part of [
    world.numbers,
    world.handsets,
    world.calls,
    world.inbound,
    world.media,
    world.templates,
    world.answers,
  ]) {
    part.clear()
  }
  world.faults.clear()
  world.webhooks.reset()
  world.requests.clear()
  populate(world)
}

/** The number with this phone number id, or with these digits, with or without plus. */
export function findNumber(world: World, address: string): BusinessNumber | undefined {
  const byId = world.numbers.get(address)
  if (byId !== undefined) return byId
  const digits = digitsOf(address)
  for (const number of world.numbers.values()) if (number.digits === digits) return number
  return undefined
}

/** Handsets exist from their first use on. */
export function handsetOf(world: World, waId: string): Handset {
  const present = world.handsets.get(waId)
  if (present !== undefined) return present
  const handset: Handset = {
    waId,
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
  return handset
}

/** The permission as it stands now: a temporary one ends silently. */
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
