// Gives handsets their identity for the control API, and changes it as users do.
import * as v from 'valibot'
import { ControlError, readBody } from './control-error.ts'
import { isParentId, isUserId, userIdOf, waIdOf } from './identity.ts'
import { digitsOf } from './ids.ts'
import { deliverFromHandset } from './inbound.ts'
import type { BusinessNumber, Handset } from './model.ts'
import { type Person, personOf } from './person.ts'
import { findNumber, handsetOf, handsetOfId, indexIds, timeOf, type World } from './world.ts'

const MOST_WAYS_TO_DIAL = 10

const text = v.string()
const userId = v.pipe(
  text,
  v.check((id) => isUserId(id) && !isParentId(id), 'must be a user id such as PT.44100928'),
)
const parentUserId = v.pipe(text, v.check(isParentId, 'must be a parent id such as PT.ENT.7719'))
const phone = v.pipe(text, v.regex(/^\+?\d{5,20}$/, 'must be a phone number'), v.transform(digitsOf))
const username = v.pipe(
  text,
  v.regex(/^(?=.*[a-z])(?!\.|www|.*\.\.|.*\.$)[a-z0-9._]{3,35}$/, 'must be a username such as ines.p'),
)

/** Fields of `PUT handsets/:address` about who the user is. None of them is reported by itself. */
export const identityFields = {
  userId: v.optional(v.nullable(userId)),
  parentUserId: v.optional(v.nullable(parentUserId)),
  /** A user who takes a username shows the number only to businesses that know it. */
  username: v.optional(v.nullable(username)),
  showsNumber: v.optional(v.picklist(['always', 'known', 'never'])),
  dialledAs: v.optional(v.pipe(v.array(phone), v.maxLength(MOST_WAYS_TO_DIAL))),
} as const

const IdentityChange = v.strictObject(identityFields)
type IdentityChange = v.InferOutput<typeof IdentityChange>

const given = <T>(change: T | null | undefined, present: T | undefined): T | undefined =>
  change === undefined ? present : (change ?? undefined)

export function changeIdentity(world: World, handset: Handset, change: IdentityChange): void {
  const takesUsername = typeof change.username === 'string' && handset.username === undefined
  replaceIds(world, handset, {
    userId: given(change.userId, handset.userId),
    parentUserId: given(change.parentUserId, handset.parentUserId),
  })
  handset.username = given(change.username, handset.username)
  if (takesUsername && handset.showsNumber === 'always') handset.showsNumber = 'known'
  handset.showsNumber = change.showsNumber ?? handset.showsNumber
  if (change.dialledAs === undefined) return
  for (const dialled of handset.dialledAs) world.dialled.delete(dialled)
  handset.dialledAs = change.dialledAs
  for (const dialled of handset.dialledAs) world.dialled.set(dialled, handset.waId)
}

type Ids = Pick<Handset, 'userId' | 'parentUserId'>

function replaceIds(world: World, handset: Handset, ids: Ids): void {
  for (const id of [ids.userId, ids.parentUserId]) {
    const owner = id === undefined ? undefined : world.handsetsById.get(id)
    if (owner !== undefined && owner !== handset) throw new ControlError(409, `${id} is another handset`)
  }
  for (const id of [handset.userId, handset.parentUserId]) if (id !== undefined) world.handsetsById.delete(id)
  handset.userId = ids.userId
  handset.parentUserId = ids.parentUserId
  indexIds(world, handset)
}

const NewHandset = v.strictObject({ waId: v.optional(phone), ...identityFields, name: v.optional(text) })

/** `POST handsets`: one with this number, or with this user id and an invented number that nobody sees. */
export function makeHandset(world: World, body: unknown): Handset {
  const { waId, name, ...identity } = readBody(NewHandset, body)
  const id = identity.userId ?? identity.parentUserId
  if (waId === undefined && (id === undefined || id === null)) {
    throw new ControlError(400, 'waId or userId is needed')
  }
  const handset = waId === undefined ? handsetOfId(world, id ?? '') : handsetOf(world, waId)
  changeIdentity(world, handset, identity)
  handset.name = name ?? handset.name
  return handset
}

const reported = {
  /** The business number that is told. Default: each one with messages or calls with this handset. */
  to: v.optional(text),
  /** Nobody is told: as when the system message comes late or never. */
  silent: v.optional(v.boolean(), false),
}

const NumberChange = v.strictObject({
  waId: phone,
  userId: v.optional(userId),
  parentUserId: v.optional(parentUserId),
  ...reported,
})

/** The user takes another number, and with it another user id. The old number is free for somebody else. */
export function changeNumber(world: World, handset: Handset, body: unknown): void {
  const change = readBody(NumberChange, body)
  const waId = waIdOf(change.waId)
  if (world.handsets.has(waId)) throw new ControlError(409, `${waId} is another handset`)
  const before = snapshot(handset)
  world.handsets.delete(before.waId)
  world.formerOwners.set(before.waId, (world.formerOwners.get(before.waId) ?? 0) + 1)
  handset.waId = waId
  world.handsets.set(waId, handset)
  for (const dialled of handset.dialledAs) world.dialled.delete(dialled)
  handset.dialledAs = []
  replaceIds(world, handset, {
    userId: change.userId ?? userIdOf(waId, world.formerOwners.get(waId) ?? 0),
    parentUserId: change.parentUserId ?? handset.parentUserId,
  })
  if (!change.silent)
    tell(world, handset, change.to, (number) => numberChanged(world, handset, before, number))
}

const IdChange = v.strictObject({
  userId: v.optional(userId),
  parentUserId: v.optional(parentUserId),
  ...reported,
})

/** The user's id changes without a new number. */
export function changeUserId(world: World, handset: Handset, body: unknown): void {
  const change = readBody(IdChange, body)
  const before = snapshot(handset)
  const owner = (world.formerOwners.get(handset.waId) ?? 0) + 1
  world.formerOwners.set(handset.waId, owner)
  replaceIds(world, handset, {
    userId: change.userId ?? userIdOf(handset.waId, owner),
    parentUserId: change.parentUserId ?? handset.parentUserId,
  })
  if (!change.silent) tell(world, handset, change.to, () => idChanged(handset, before))
}

type Before = Pick<Handset, 'waId' | 'userId' | 'parentUserId' | 'name'>

const snapshot = ({ waId, userId, parentUserId, name }: Handset): Before => ({
  ...{ waId, userId, parentUserId, name },
})

type SystemMessage = Readonly<{ sender: Person; content: Record<string, unknown> }>

function numberChanged(
  world: World,
  handset: Handset,
  before: Before,
  number: BusinessNumber,
): SystemMessage {
  const { waId: seen, ...now } = personOf(handset, number.id, timeOf(world))
  const old = seen === undefined ? {} : { waId: before.waId }
  const ids = before.userId === undefined ? {} : { userId: before.userId }
  return {
    sender: { ...old, ...ids, name: now.name },
    content: {
      type: 'user_changed_number',
      body:
        seen === undefined
          ? `User ${now.name} changed their number`
          : `User ${now.name} changed from ${before.waId} to ${seen}`,
      ...(seen === undefined ? {} : { wa_id: seen }),
      ...changedIds(handset, before),
    },
  }
}

/** No number may be shown with a changed id. */
const idChanged = (handset: Handset, before: Before): SystemMessage => ({
  sender: { name: handset.name },
  content: {
    type: 'user_changed_user_id',
    body: `User ${handset.name} has a new user id`,
    ...changedIds(handset, before),
  },
})

const changedIds = ({ userId: id, parentUserId: parent }: Handset, before: Before) => ({
  ...(id === undefined ? {} : { user_id: id }),
  ...(before.userId === undefined ? {} : { previous_user_id: before.userId }),
  ...(parent === undefined ? {} : { parent_user_id: parent }),
  ...(before.parentUserId === undefined || before.parentUserId === parent
    ? {}
    : { previous_parent_user_id: before.parentUserId }),
})

function tell(
  world: World,
  handset: Handset,
  to: string | undefined,
  say: (number: BusinessNumber) => SystemMessage,
): void {
  for (const number of to === undefined ? partners(world, handset) : [numberAt(world, to)]) {
    const { sender, content } = say(number)
    deliverFromHandset(world, number, handset, {
      type: 'system',
      content,
      text: String(content['body']),
      sender,
    })
  }
}

function numberAt(world: World, address: string): BusinessNumber {
  const number = findNumber(world, address)
  if (number === undefined) throw new ControlError(404, `there is no business number ${address}`)
  return number
}

/** The business numbers with messages or calls with this handset. */
function partners(world: World, { inbox, outbox, calls }: Handset): BusinessNumber[] {
  const ids = new Set([...inbox, ...outbox].map(({ phoneNumberId }) => phoneNumberId))
  for (const wacid of calls) {
    const call = world.calls.get(wacid)
    if (call !== undefined) ids.add(call.number.id)
  }
  return [...world.numbers.values()].filter(({ id }) => ids.has(id))
}
