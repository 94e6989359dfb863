// A set of phone numbers of up to 15 digits. A million take 16 MB; a JavaScript Set takes five times that.

export class NumberSet {
  #slots = new Float64Array(1_024)
  #size = 0

  /** False when the number was in the set already. */
  add(digits: string): boolean {
    const number = Number(digits)
    if ((this.#size + 1) * 2 > this.#slots.length) this.#grow()
    const slot = slotOf(this.#slots, number)
    if (this.#slots[slot] === number) return false
    this.#slots[slot] = number
    this.#size += 1
    return true
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2)
    for (const number of this.#slots) if (number !== 0) larger[slotOf(larger, number)] = number
    this.#slots = larger
  }
}

/** The slot of the number, or a free slot for it. Free slots are 0, and at least half of all are free. */
function slotOf(slots: Float64Array, number: number): number {
  const mask = slots.length - 1
  const low = number % 0x1_0000_0000
  const high = (number - low) / 0x1_0000_0000
  let slot = (Math.imul(low ^ Math.imul(high, 0x85eb_ca6b), 0x9e37_79b1) >>> 8) & mask
  while (slots[slot] !== 0 && slots[slot] !== number) slot = (slot + 1) & mask
  return slot
}
