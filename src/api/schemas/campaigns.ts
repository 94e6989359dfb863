// Campaigns and recipients: what a request may say and what a record looks like (decisions 4).
import * as v from 'valibot'
import { limits } from '../../contract/limits.ts'
import {
  type CampaignCounts,
  type CampaignRecord,
  campaignStatuses,
  type RecipientRecord,
  recipientStatuses,
} from '../../contract/records/campaign.ts'
import { pageQuery } from '../../http/paging.ts'
import { time } from '../../http/time.ts'
import { contact, id, timestamp, unsafeNames } from './fields.ts'
import { language, templateName, variables } from './messages.ts'

const name = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(limits.campaignNameLength, `must be at most ${limits.campaignNameLength} characters long`),
)

const paceMessage = `must be a whole number from 1 to ${limits.campaignMessagesPerSecond}`

const messagesPerSecond = v.pipe(
  v.number(),
  v.integer(paceMessage),
  v.minValue(1, paceMessage),
  v.maxValue(limits.campaignMessagesPerSecond, paceMessage),
)

const startAt = v.pipe(
  time,
  v.check((at) => at.getTime() > Date.now(), 'must be in the future'),
)

const template = v.strictObject({ name: templateName, language })

/** Body of POST /campaigns. */
export const campaignBody = v.strictObject({
  name,
  template,
  numberId: v.optional(id('number')),
  variables: v.optional(variables, {}),
  startAt: v.optional(v.nullable(startAt), null),
  messagesPerSecond: v.optional(v.nullable(messagesPerSecond), null),
})

/** Body of PATCH /campaigns/:id: what it does not name stays. */
export const campaignPatch = v.strictObject({
  name: v.optional(name),
  template: v.optional(template),
  numberId: v.optional(id('number')),
  variables: v.optional(variables),
  startAt: v.optional(v.nullable(startAt)),
  messagesPerSecond: v.optional(v.nullable(messagesPerSecond)),
})

export const campaignQuery = v.strictObject({
  status: v.optional(v.picklist(campaignStatuses)),
  ...pageQuery,
})

/** The length comes first: what is too long is not looked into, and of a million faults none is written down. */
const listOf = <Item extends v.GenericSchema>(item: Item, most: number, what: string) =>
  v.pipe(
    v.custom<readonly unknown[]>(Array.isArray, 'must be a list'),
    v.maxLength(most, `must hold at most ${most} ${what} a call`),
    v.array(item),
  )

const mapMessage = `must be an object of up to ${limits.variablePairs} strings, with names of 1 to ${limits.variableNameLength} characters`

// In one look, for up to ten thousand rows at once.
const rowVariables = v.custom<Record<string, string>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length <= limits.variablePairs &&
    Object.entries(value).every(([name, text]) => isVariableName(name) && typeof text === 'string'),
  mapMessage,
)

const isVariableName = (name: string): boolean =>
  name.length > 0 && name.length <= limits.variableNameLength && !unsafeNames.includes(name)

/**
 * Body of POST /campaigns/:id/recipients. Only its shape is judged here; whether a number or a variable fits is said of
 * each row in the answer.
 */
export const recipientsBody = v.strictObject({
  recipients: listOf(
    v.strictObject({ to: v.string(), variables: v.optional(rowVariables, {}) }),
    limits.recipientsPerCall,
    'rows',
  ),
})

const oneChoice = 'must hold exactly one of ids, to and all'

/** Body of DELETE /campaigns/:id/recipients. */
export const removalBody = v.pipe(
  v.strictObject({
    ids: v.optional(listOf(id('recipient'), limits.removalsPerCall, 'entries')),
    to: v.optional(listOf(contact, limits.removalsPerCall, 'entries')),
    all: v.optional(v.literal(true)),
  }),
  v.check((body) => Object.values(body).filter((choice) => choice !== undefined).length === 1, oneChoice),
  v.transform(({ ids, to }) => {
    if (ids) return { ids }
    return to ? { to } : { all: true as const }
  }),
)

export const recipientQuery = v.strictObject({
  status: v.optional(v.picklist(recipientStatuses)),
  to: v.optional(contact),
  ...pageQuery,
})

const count = v.number()

export const campaignView = v.object({
  id: v.string(),
  name: v.string(),
  status: v.picklist(campaignStatuses),
  numberId: v.nullable(v.string()),
  template: v.object({ name: v.string(), language: v.string() }),
  variables: v.record(v.string(), v.string()),
  startAt: v.nullable(timestamp),
  messagesPerSecond: v.nullable(v.number()),
  pauseReason: v.nullable(v.string()),
  counts: v.object({
    total: count,
    pending: count,
    queued: count,
    held: count,
    unknown: count,
    sent: count,
    delivered: count,
    read: count,
    failed: count,
    skipped: count,
    cancelled: count,
    replied: count,
  } satisfies Record<keyof CampaignCounts, v.GenericSchema>),
  createdAt: timestamp,
  updatedAt: timestamp,
  startedAt: v.nullable(timestamp),
  pausedAt: v.nullable(timestamp),
  completedAt: v.nullable(timestamp),
  cancelledAt: v.nullable(timestamp),
}) satisfies v.GenericSchema<unknown, CampaignRecord>

export const recipientView = v.object({
  id: v.string(),
  to: v.string(),
  variables: v.record(v.string(), v.string()),
  status: v.picklist(recipientStatuses),
  messageId: v.nullable(v.string()),
  error: v.nullable(v.object({ code: v.string(), title: v.string() })),
  skippedReason: v.nullable(v.string()),
  repliedAt: v.nullable(timestamp),
  updatedAt: timestamp,
}) satisfies v.GenericSchema<unknown, RecipientRecord>

export const additionView = v.object({
  added: count,
  duplicates: count,
  invalid: v.pipe(
    v.array(v.object({ index: v.number(), to: v.string(), message: v.string() })),
    v.readonly(),
  ),
})

export const removalView = v.object({ removed: count })
