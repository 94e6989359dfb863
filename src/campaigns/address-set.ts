// A set of addresses: phone numbers of up to 15 digits, and user ids. A million take 16 MB; a JavaScript Set takes five
// times that.
import { createHash, randomBytes } from 'node:crypto'
import { isUserId } from '../shared/address.ts'

export class AddressSet {
  readonly #spread = createSpread()
  #bits = 10
  #slots = new Float64Array(2 ** this.#bits)
  #size = 0

  /** False when the address was in the set already. */
  add(address: string): boolean {
    const number = numberOf(address)
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow()
    const slot = this.#slotOf(number)
    if (this.#slots[slot] === number) return false
    this.#slots[slot] = number
    this.#size += 1
    return true
  }

  #grow(): void {
    const before = this.#slots
    this.#bits += 1
    this.#slots = new Float64Array(2 ** this.#bits)
    for (const number of before) if (number !== 0) this.#slots[this.#slotOf(number)] = number
  }

  /** The slot of the number, or a free slot for it. Free slots are 0, and at least half of all are free. */
  #slotOf(number: number): number {
    const slots = this.#slots
    let slot = this.#spread(number, this.#bits)
    while (slots[slot] !== 0 && slots[slot] !== number) slot = (slot + 1) & (slots.length - 1)
    return slot
  }
}

const phoneNumber = /^[1-9]\d{0,14}$/

/**
 * A user id is 52 bits of its hash, beyond every phone number and exact in a double. Two ids with the same bits count as
 * one: of a million ids, that happens once in ten thousand lists.
 */
function numberOf(address: string): number {
  if (phoneNumber.test(address)) return Number(address)
  if (!isUserId(address)) throw new TypeError('neither a phone number nor a user id')
  const hash = createHash('sha256').update(address).digest()
  return 2 ** 52 + hash.readUIntBE(0, 6) * 16 + (hash.readUInt8(6) >>> 4)
}

/**
 * Says where a number goes among 2^bits slots. The multipliers are random, so nobody can choose numbers that meet in one
 * slot: each would have to pass all those before it.
 */
export function createSpread(): (number: number, bits: number) => number {
  const random = randomBytes(12)
  const [forLow, forHigh, forBoth] = [0, 4, 8].map((at) => random.readUInt32LE(at) | 1) as [
    number,
    number,
    number,
  ]
  return (number, bits) => {
    const low = number % 0x1_0000_0000
    const high = (number - low) / 0x1_0000_0000
    const sum = Math.imul(low, forLow) + Math.imul(high, forHigh)
    return Math.imul(sum ^ (sum >>> 15), forBoth) >>> (32 - bits)
  }
}
