// What the provider tells about one person of mixed-people.ts.
import type { Item, Json, MixedPerson, Naming, personOf } from './mixed-person.ts'

/** A change of number or id is told at this second; what was said before and after it has another naming. */
const CHANGE = 1_000

type Written = ReturnType<typeof personOf>

/** What the provider tells about one person. */
export class Story {
  readonly items: Item[] = []
  readonly #person: Written
  readonly #index: number
  readonly #under: (max: number) => number
  readonly #from: number
  #serial = 0

  constructor(
    person: Written,
    {
      index,
      from,
      under,
    }: { readonly index: number; readonly from: number; readonly under: (max: number) => number },
  ) {
    this.#person = person
    this.#index = index
    this.#from = from
    this.#under = under
  }

  get #isOwner(): boolean {
    return this.#person.kind === 'formerOwner' || this.#person.kind === 'nextOwner'
  }

  #id(prefix: string): string {
    this.#serial += 1
    return `${prefix}.${this.#index}.${this.#serial}`
  }

  #at = (second: number): string => String(this.#from + second)

  #add(item: Omit<Item, 'number'> & { readonly number?: number }): void {
    this.items.push({ number: this.#under(2), ...item })
  }

  /** One of the ways in which the person may be named at this second. */
  #named(second: number): Naming {
    const naming = second < CHANGE ? this.#person.before : this.#person.after
    const { phone, userId } = naming
    if (this.#isOwner || !phone || !userId) return naming
    return [naming, { phone }, { userId }][this.#under(3)] ?? naming
  }

  #second(): number {
    if (this.#person.kind === 'formerOwner') return this.#under(CHANGE)
    return this.#person.kind === 'nextOwner' ? CHANGE + 1 + this.#under(800) : this.#under(1_800)
  }

  /** After everything else that the person says. */
  get #last(): number {
    return this.#person.kind === 'formerOwner' ? CHANGE - 1 : 1_900
  }

  #say(second: number, naming: Naming, text: string): void {
    const id = this.#id('wamid')
    this.#person.messages.push(id)
    const element = {
      id,
      ...senderOf(naming),
      timestamp: this.#at(second),
      type: 'text',
      text: { body: text },
    }
    const contact = contactOf(this.#person, naming)
    this.#add({ field: 'messages', list: 'messages', contact, element })
  }

  talk(): void {
    const { kind, before } = this.#person
    if (kind === 'both') this.#say(this.#second(), before, 'It is me')
    for (let more = 2 + this.#under(4); more > 0; more -= 1) {
      const second = this.#second()
      this.#say(second, this.#named(second), `Message ${more}`)
    }
    if (this.#under(7) > 0) return
    this.#person.saysStop = true
    this.#say(this.#last, this.#named(this.#last), 'stop')
  }

  #choose(second: number, value: 'stop' | 'resume'): void {
    const { phone, userId } = this.#named(second)
    const who = { ...(phone && { wa_id: phone }), ...(userId && { user_id: userId }) }
    const element = { ...who, category: 'marketing_messages', value, timestamp: this.#from + second }
    this.#add({ field: 'user_preferences', list: 'user_preferences', contact: null, element })
  }

  choose(): void {
    if (this.#under(6) === 0) this.#choose(this.#second(), 'resume')
    if (this.#under(7) > 0) return
    this.#person.stopsMarketing = true
    this.#choose(this.#last, 'stop')
  }

  ring(): void {
    if (this.#under(5) > 0) return
    const [id, second, number] = [this.#id('wacid'), this.#second(), this.#under(2)]
    this.#person.calls.push(id)
    const naming = this.#named(second)
    const common = { id, to: '1555', ...senderOf(naming), direction: 'USER_INITIATED' }
    const session = { sdp_type: 'offer', sdp: 'v=0\r\n' }
    const contact = contactOf(this.#person, naming)
    const connect = { ...common, event: 'connect', timestamp: this.#at(second), session }
    const ended = { ...common, event: 'terminate', timestamp: this.#at(second + 4), status: 'FAILED' }
    for (const element of [connect, ended])
      this.#add({ field: 'calls', list: 'calls', number, contact, element })
  }

  change(): void {
    const { kind, before, after } = this.#person
    if (kind !== 'newId' && kind !== 'newNumber') return
    const id = this.#id('wamid')
    this.#person.messages.push(id)
    const system = {
      ...{ type: kind === 'newId' ? 'user_changed_user_id' : 'user_changed_number', body: 'changed' },
      ...(after.phone && { wa_id: after.phone }),
      ...{ user_id: after.userId, previous_user_id: before.userId },
    }
    const element = { id, ...senderOf(before), timestamp: this.#at(CHANGE), type: 'system', system }
    this.#add({ field: 'messages', list: 'messages', contact: null, element })
  }

  /** The statuses of a message of ours. */
  report({ id, number }: { readonly id: string; readonly number: number }): void {
    const second = this.#person.kind === 'nextOwner' ? 1_500 : 500
    for (const status of ['sent', 'delivered', 'read']) {
      const { phone, userId } = this.#named(second)
      const recipient = {
        ...(phone && { recipient_id: phone }),
        ...(userId && { recipient_user_id: userId }),
      }
      const element = { id, status, timestamp: this.#at(second), ...recipient }
      this.#add({ field: 'messages', list: 'statuses', number, contact: null, element })
    }
  }
}

const contactOf = ({ name }: MixedPerson, { phone, userId }: Naming): Json => ({
  profile: { name },
  ...(phone && { wa_id: phone }),
  ...(userId && { user_id: userId }),
})

const senderOf = ({ phone, userId }: Naming): Json => ({
  ...(phone && { from: phone }),
  ...(userId && { from_user_id: userId }),
})
