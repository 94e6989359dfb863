import assert from 'node:assert/strict'
import fc from 'fast-check'
import { AddressSet, createSpread } from '../../../src/campaigns/address-set.ts'
import { describe, test } from '../../support/harness.ts'

const numberOf = (index: number) => String(15_550_000_000 + index)
const userIdOf = (index: number) => `US.${13_491_208_655_302_741_918n + BigInt(index)}`

describe('a set of addresses', () => {
  test('tells whether it had one, as any set does', () => {
    const address = fc.oneof(
      fc.stringMatching(/^[1-9]\d{6,14}$/),
      fc.stringMatching(/^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,20}$/),
      fc.constantFrom('15551230001', '999999999999999', 'US.1', 'US.ENT.1', 'US.a', 'US.A'),
    )
    fc.assert(
      fc.property(fc.array(address, { maxLength: 3_000 }), (all) => {
        const [own, known] = [new AddressSet(), new Set<string>()]
        for (const one of all) {
          assert.equal(own.add(one), !known.has(one))
          known.add(one)
        }
      }),
    )
  })

  for (const [what, addressOf] of [
    ['numbers', numberOf],
    ['user ids', userIdOf],
  ] as const)
    test(`takes a hundred thousand ${what} in a row, once each`, () => {
      const own = new AddressSet()
      for (let index = 0; index < 100_000; index += 1) assert.ok(own.add(addressOf(index)))
      for (let index = 0; index < 100_000; index += 1) assert.ok(!own.add(addressOf(index)))
    })

  test('refuses what is neither', () => {
    for (const other of ['', 'x', 'NaN', '+15551230001', '1e9', '1234567890123456', 'us.1'])
      assert.throws(() => new AddressSet().add(other), TypeError, other)
  })
})

describe('where the numbers of a set go', () => {
  const bits = 18
  const count = 2 ** (bits - 1)
  // Of slots taken at random, 79 of a hundred numbers would have their own.
  const assertSpread = (spread: ReturnType<typeof createSpread>, numberAt: (index: number) => number) => {
    const slots = new Set<number>()
    for (let index = 0; index < count; index += 1) slots.add(spread(numberAt(index), bits))
    assert.ok(slots.size > count / 2, `${slots.size} slots for ${count} numbers`)
    assert.ok([...slots].every((slot) => slot >= 0 && slot < 2 ** bits))
  }

  for (const [what, numberAt] of [
    ['in a row', (index: number) => 15_550_000_000 + index],
    ['a power of two apart', (index: number) => 2 ** 17 * index],
    ['of user ids', (index: number) => 2 ** 52 + 2 ** 30 * index],
    // Chosen to meet in one slot of a spread that somebody knows: that of 1, 0x85ebca6b and 1.
    ['made to meet', (index: number) => index * 2 ** 32 + (-Math.imul(index, 0x85eb_ca6b) >>> 0)],
  ] as const)
    test(`is spread: numbers ${what}`, () => assertSpread(createSpread(), numberAt))

  test('is known to nobody: each set has a spread of its own', () => {
    const [one, other] = [createSpread(), createSpread()]
    const slots = (spread: typeof one) =>
      Array.from({ length: 20 }, (_, at) => spread(15_550_000_000 + at, 30))
    assert.notDeepEqual(slots(one), slots(other))
  })
})
