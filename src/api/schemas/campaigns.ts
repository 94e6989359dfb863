// Schemas of campaigns and recipients: request bodies, filters and records.
import * as v from 'valibot'
import type { Halted } from '../../campaigns/run-campaign.ts'
import { limits } from '../../contract/limits.ts'
import {
  type CampaignCounts,
  type CampaignRecord,
  campaignStatuses,
  pauseReasons,
  type RecipientRecord,
  recipientStatuses,
} from '../../contract/records/campaign.ts'
import { maxCharacters, unsafeNames } from '../../platform/http/fields.ts'
import { pageQuery } from '../../platform/http/paging.ts'
import { about, shownAs } from '../../platform/http/shown.ts'
import { time } from '../../platform/http/time.ts'
import { isLongerThan } from '../../shared/code-points.ts'
import { convert } from '../openapi/schema.ts'
import {
  changed,
  choiceOf,
  contact,
  contacts,
  failureView,
  flagOff,
  id,
  idView,
  timestamp,
} from './fields.ts'
import { language, templateName, variables } from './messages.ts'

const name = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  maxCharacters(limits.campaignNameLength, `must be at most ${limits.campaignNameLength} characters long`),
)

const paceMessage = `must be a whole number from 1 to ${limits.campaignMessagesPerSecond}`

const messagesPerSecond = v.pipe(
  v.number(),
  v.integer(paceMessage),
  v.minValue(1, paceMessage),
  v.maxValue(limits.campaignMessagesPerSecond, paceMessage),
)

const future = v.pipe(
  time,
  v.check((at) => at.getTime() > Date.now(), 'must be in the future'),
)
const startAt = (at: typeof time | typeof future) =>
  about(v.nullable(at), 'When to start by itself once it is scheduled: ISO 8601 with a zone.')

const template = v.strictObject({ name: templateName, language })

const fields = {
  name: about(name, 'For people; need not be unique.'),
  template: about(template, 'An approved template of the workspace.'),
  numberId: about(id('number'), "The number to send from. Left out: the workspace's default."),
  variables: about(variables, 'For every recipient that has no value of its own.'),
  startAt: startAt(future),
  messagesPerSecond: about(v.nullable(messagesPerSecond), 'At most; null: as fast as the number may.'),
}

/** Body of POST /campaigns. */
export const campaignBody = v.strictObject({
  name: fields.name,
  template: fields.template,
  numberId: v.optional(fields.numberId),
  variables: v.optional(fields.variables, {}),
  // Whether it is in the future is asked where no earlier request has made the campaign: a repeat may come after it.
  startAt: v.optional(startAt(time), null),
  messagesPerSecond: v.optional(fields.messagesPerSecond, null),
})

/** Body of PATCH /campaigns/:id. Fields that are left out do not change. */
export const campaignPatch = v.partial(v.strictObject(fields))

export const campaignQuery = v.strictObject({
  status: v.optional(choiceOf(campaignStatuses)),
  ...changed,
  ...pageQuery,
})

/** Checks the length first: a list that is too long must not produce a fault for each entry. */
const listOf = <Item extends v.GenericSchema>(item: Item, most: number, what: string) =>
  v.pipe(
    v.custom<readonly unknown[]>(Array.isArray, 'must be a list'),
    shownAs({ type: 'array', maxItems: most, items: convert(item, 'input') }),
    v.maxLength(most, `must hold at most ${most} ${what} a call`),
    v.array(item),
  )

const mapMessage = `must be an object of up to ${limits.variablePairs} strings, with names of 1 to ${limits.variableNameLength} characters`

// One custom check instead of nested schemas, because a request has up to 10,000 rows.
const rowVariables = v.pipe(
  v.custom<Record<string, string>>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).length <= limits.variablePairs &&
      Object.entries(value).every(([name, text]) => isVariableName(name) && typeof text === 'string'),
    mapMessage,
  ),
  shownAs({
    type: 'object',
    maxProperties: limits.variablePairs,
    propertyNames: { type: 'string', minLength: 1, maxLength: limits.variableNameLength },
    additionalProperties: { type: 'string' },
  }),
)

export const isVariableName = (name: string): boolean =>
  name.length > 0 && !isLongerThan(name, limits.variableNameLength) && !unsafeNames.includes(name)

/** Also one row of an upload, where a row that does not fit is refused alone. */
export const recipientRow = v.strictObject({
  to: about(
    v.string(),
    'A number in international format, or a user id; what is neither is listed in the answer.',
  ),
  variables: v.optional(about(rowVariables, "Win over the campaign's."), {}),
})

/**
 * Body of POST /campaigns/:id/recipients. Checks only the shape. The response reports for each row whether
 * its number and variables fit.
 */
export const recipientsBody = v.strictObject({
  recipients: listOf(recipientRow, limits.recipientsPerCall, 'rows'),
})

export const startQuery = v.strictObject({
  now: v.optional(about(flagOff, 'Starts at once, whatever its startAt, also if it is SCHEDULED.')),
})

export const additionQuery = v.strictObject({
  dryRun: v.optional(about(flagOff, 'Judges the rows and adds nobody.')),
})

const oneChoice = 'must hold exactly one of ids, to and all'

/** Body of DELETE /campaigns/:id/recipients. */
export const removalBody = v.pipe(
  v.strictObject({
    ids: v.optional(about(listOf(id('recipient'), limits.removalsPerCall, 'entries'), 'Ids of recipients.')),
    to: v.optional(about(listOf(contact, limits.removalsPerCall, 'entries'), 'Their numbers or user ids.')),
    all: v.optional(about(v.literal(true), 'All that are still PENDING. One of the three, and only one.')),
  }),
  v.check((body) => Object.values(body).filter((choice) => choice !== undefined).length === 1, oneChoice),
  v.transform(({ ids, to }) => {
    if (ids) return { ids }
    return to ? { to } : { all: true as const }
  }),
)

export const recipientQuery = v.strictObject({
  status: v.optional(choiceOf(recipientStatuses)),
  to: v.optional(contacts),
  ...pageQuery,
})

const count = v.pipe(v.number(), v.integer())

const campaignFields = {
  id: idView('campaign'),
  name: v.string(),
  status: v.picklist(campaignStatuses),
  numberId: about(v.nullable(idView('number')), 'The number it sends from.'),
  template: v.object({ name: v.string(), language: v.string() }),
  variables: v.record(v.string(), v.string()),
  startAt: v.nullable(timestamp),
  messagesPerSecond: about(v.nullable(v.number()), 'Null: as fast as the number may.'),
  pauseReason: about(
    v.nullable(v.picklist(pauseReasons)),
    'Why it paused by itself; null where somebody paused it.',
  ),
  pauseError: about(v.nullable(failureView), "The provider's error because of which it paused by itself."),
  counts: about(
    v.object({
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
    'Recipients by status; `replied` counts those who wrote back, in whichever status.',
  ),
  createdAt: timestamp,
  updatedAt: timestamp,
  startedAt: v.nullable(timestamp),
  pausedAt: v.nullable(timestamp),
  completedAt: v.nullable(timestamp),
  cancelledAt: v.nullable(timestamp),
}

export const campaignView = v.pipe(
  v.object(campaignFields),
  v.title('Campaign'),
  v.description('One template to many recipients.'),
) satisfies v.GenericSchema<unknown, CampaignRecord>

/** Response of pause and cancel. */
export const haltedView = v.pipe(
  v.object({
    ...campaignFields,
    inFlight: about(count, 'Requests that were with the provider at this moment; no other one will begin.'),
  }),
  v.title('HaltedCampaign'),
  v.description('A campaign that sends nothing more.'),
) satisfies v.GenericSchema<unknown, Halted>

export const recipientView = v.pipe(
  v.object({
    id: idView('recipient'),
    to: about(v.string(), 'Digits; empty where the recipient is given by a user id.'),
    userId: v.nullable(v.string()),
    variables: v.record(v.string(), v.string()),
    status: v.picklist(recipientStatuses),
    messageId: about(v.nullable(idView('message')), 'The message it got.'),
    error: v.nullable(failureView),
    skippedReason: about(v.nullable(v.string()), 'Why nothing was sent.'),
    repliedAt: v.nullable(timestamp),
    updatedAt: timestamp,
  }),
  v.title('Recipient'),
  v.description('One customer of a campaign, and what became of the message.'),
) satisfies v.GenericSchema<unknown, RecipientRecord>

export const additionView = v.object({
  added: count,
  duplicates: about(count, 'Numbers that the campaign or the call had already; their first row stays.'),
  skipped: about(count, 'Contacts who have opted out: they are in the campaign as SKIPPED and get nothing.'),
  invalid: about(
    v.pipe(v.array(v.object({ index: count, to: v.string(), message: v.string() })), v.readonly()),
    `Rows that were not added, by their place in the call from 0; the first ${limits.invalidRowsListed.toLocaleString('en')} of a stream.`,
  ),
  invalidCount: about(count, 'All that were not added.'),
})

export const removalView = v.object({ removed: count })
