import fc, { type StringConstraints } from 'fast-check'

const halves = { from: 0xd8_00, count: 0x8_00 }

/** Any code point but halves of pairs. fast-check's own `binary` lists the 1.1 million of them whenever it is asked for. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ff_ff - halves.count })
  .map((nth) => String.fromCodePoint(nth < halves.from ? nth : nth + halves.count))

export const anyText = (constraints: Omit<StringConstraints, 'unit'> = {}) =>
  fc.string({ ...constraints, unit: anyCharacter })
