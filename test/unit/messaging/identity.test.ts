import assert from 'node:assert/strict'
import { type Claim, type Holder, identify } from '../../../src/messaging/identity.ts'
import type { Uuid } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const P = '351911111111'
const P2 = '351922222222'
const A = 'PT.44100928'
const B = 'PT.9920011'
const PARENT = 'PT.ENT.7719'
const early = new Date(1_000)
const late = new Date(2_000)

const id = (number: number) => `00000000-0000-7000-8000-00000000000${number}` as Uuid
const holder = (number: number, address: string, more: Partial<Holder> = {}): Holder => ({
  id: id(number),
  address,
  addressAt: null,
  aliases: [],
  userId: null,
  parentUserId: null,
  ...more,
})
const claim = (
  phone: string | null,
  userId: string | null = null,
  more: Partial<Claim> & { readonly parentUserId?: string } = {},
): Claim => {
  const { parentUserId = null, ...rest } = more
  return { person: { phone, userId, parentUserId }, also: [], proof: 'element', at: late, ...rest }
}
const shown = (claim: Claim, ...holders: Holder[]) => {
  const plan = identify(claim, holders)
  return plan && [plan.target, plan.merged, plan.recycled, plan.address, plan.aliases, plan.userId]
}

describe('who a person is', () => {
  test('who writes under a number that they had left is written to there again', () => {
    const known = holder(1, P2, { aliases: [P, A], userId: A, addressAt: early })
    for (const back of [claim(P), claim(P, A), claim(P, A, { proof: 'statement', also: [P2] })])
      assert.deepEqual(shown(back, known)?.slice(0, 4), [id(1), [], null, P])
    assert.equal(shown(claim(P, A, { at: early }), known), null)
    assert.equal(shown(claim(P, null, { proof: 'answer', also: [P2] }), known), null)
    assert.equal(shown(claim(null, A), known), null)
    const [long, short] = ['5551987654321', '555187654321']
    assert.equal(shown(claim(short), holder(1, long, { aliases: [short], addressAt: early })), null)
  })

  test('a new person is a new contact, written to by number where there is one', () => {
    assert.deepEqual(shown(claim(P, A)), [null, [], null, P, [A], A])
    assert.deepEqual(shown(claim(null, A)), [null, [], null, A, [], A])
  })

  test('whose addresses are all known, nothing changes', () => {
    assert.equal(shown(claim(P), holder(1, P)), null)
    assert.equal(shown(claim(P, A), holder(1, P, { aliases: [A], userId: A })), null)
    // Told late, after the person got a new number and id.
    assert.equal(shown(claim(P, A), holder(1, P2, { aliases: [P, A], userId: B })), null)
  })

  test('seen by number first, the id is learnt; by id first, the number takes its place', () => {
    assert.deepEqual(shown(claim(P, A), holder(1, P)), [id(1), [], null, P, [A], A])
    assert.deepEqual(shown(claim(P, A), holder(1, A, { userId: A })), [id(1), [], null, P, [A], A])
  })

  test('seen by number and by id apart, the two become one, and the history of the number continues', () => {
    const plan = shown(claim(P, A), holder(1, A, { userId: A }), holder(2, P))
    assert.deepEqual(plan, [id(2), [id(1)], null, P, [A], A])
  })

  test('a number that comes with another id may be of somebody else: it moves, and the history does not', () => {
    const known = holder(1, P, { userId: A })
    assert.deepEqual(shown(claim(P, B), known), [null, [], { id: id(1), address: A }, P, [B], B])
    const other = holder(2, B, { userId: B })
    assert.deepEqual(shown(claim(P, B), known, other), [id(2), [], { id: id(1), address: A }, P, [B], B])
    const before = holder(3, P2, { aliases: [P], userId: A })
    assert.deepEqual(shown(claim(P, B), before), [null, [], { id: id(3), address: P2 }, P, [B], B])
  })

  test('with the number, its other spelling moves too', () => {
    const [long, short] = ['5551987654321', '555187654321']
    const known = holder(1, short, { aliases: [long], userId: A })
    assert.deepEqual(shown(claim(long, B), known), [null, [], { id: id(1), address: A }, long, [B], B])
  })

  test('what is told late does not take the number back', () => {
    const owner = holder(2, P, { userId: B, addressAt: late })
    const former = holder(1, A, { userId: A })
    assert.equal(shown(claim(P, A, { at: early }), former, owner), null)
    assert.deepEqual(shown(claim(P, A, { at: early }), owner), [null, [], null, A, [], A])
  })

  test('a change that is told late, and names only a number that is somebody else’s by now, changes nothing', () => {
    const owner = holder(2, P2, { userId: A, addressAt: late })
    const changed = claim(P2, null, { proof: 'statement', also: [P, B], at: early })
    assert.equal(shown(changed, owner), null)
    assert.equal(shown(changed, holder(1, P), owner), null)
  })

  test('what is told late does not bring back a number and an id that the person has left', () => {
    const known = holder(1, P2, { aliases: [B], userId: B, addressAt: late })
    const plan = shown(claim(P, B, { at: early }), known)
    assert.deepEqual(plan, [id(1), [], null, P2, [P, B], B])
    // Of two changes, the second was told first.
    const changed = claim('351933333333', 'PT.2', { proof: 'statement', also: [P, A], at: early })
    const later = holder(1, P2, { aliases: ['351933333333', 'PT.2'], userId: B, addressAt: late })
    assert.deepEqual(shown(changed, later, holder(2, P, { aliases: [A], userId: A }))?.slice(3, 5), [
      P2,
      ['351933333333', 'PT.2', P, A],
    ])
  })

  test('the same parent id is the same person', () => {
    const known = holder(1, P, { aliases: [PARENT], userId: A, parentUserId: PARENT })
    const plan = shown(claim(P, B, { parentUserId: PARENT }), known)
    assert.deepEqual(plan, [id(1), [], null, P, [B, PARENT], B])
  })

  test('a new number and id that the provider tells carry the history on, also where they were seen before', () => {
    const changed = { proof: 'statement', also: [P, A] } as const
    const known = holder(1, P, { aliases: [A], userId: A })
    assert.deepEqual(shown(claim(P2, B, changed), known), [id(1), [], null, P2, [B, P, A], B])
    const seen = holder(2, P2, { aliases: [B], userId: B })
    assert.deepEqual(shown(claim(P2, B, changed), known, seen), [id(1), [id(2)], null, P2, [B, P, A], B])
    // The number was somebody else's.
    const other = holder(3, P2, { userId: 'PT.1' })
    assert.deepEqual(shown(claim(P2, B, changed), known, other), [
      id(1),
      [],
      { id: id(3), address: 'PT.1' },
      P2,
      [B, P, A],
      B,
    ])
  })

  describe('a number change, where somebody else has the former number by then', () => {
    // P was A's until it changed to P2 and A2; B has P since.
    const changed = claim(P2, 'PT.2', { proof: 'statement', also: [A, P] })
    const owner = holder(2, P, { aliases: [], userId: B, addressAt: early })

    test('leaves them two persons', () => {
      const former = holder(1, A, { userId: A, addressAt: early })
      for (const at of [late, new Date(500)])
        assert.deepEqual(shown({ ...changed, at }, former, owner)?.slice(0, 3), [id(1), [], null])
      assert.deepEqual(shown(changed, former, owner), [id(1), [], null, P2, ['PT.2', A], 'PT.2'])
      assert.deepEqual(shown(changed, owner), [null, [], null, P2, ['PT.2', A], 'PT.2'])
    })

    test('changes nothing when it is repeated', () => {
      const known = holder(1, P2, { aliases: [A, 'PT.2'], userId: 'PT.2', addressAt: early })
      assert.equal(shown(changed, known, owner), null)
    })

    test('may be one of two who swap their numbers: each has one of them', () => {
      // The first has said so: A has P2 and the id PT.2, and B was left with the id.
      const first = holder(1, P2, { aliases: [P], userId: 'PT.2', addressAt: early })
      const second = holder(2, B, { userId: B })
      const swapped = claim(P, 'PT.3', { proof: 'statement', also: [B, P2] })
      const plan = [id(2), [], { id: id(1), address: P2 }, P, ['PT.3', B], 'PT.3']
      assert.deepEqual(shown(swapped, first, second), plan)
    })
  })

  test('with a new id and a hidden number, the old number is not written to', () => {
    const plan = shown(
      claim(null, B, { proof: 'statement', also: [A] }),
      holder(1, P, { aliases: [A], userId: A }),
    )
    assert.deepEqual(plan, [id(1), [], null, B, [A, P], B])
  })

  test('another spelling that an answer tells is learnt, unless it is of another person', () => {
    const answer = { proof: 'answer', also: [P] } as const
    assert.deepEqual(shown(claim(P2, null, answer), holder(1, P)), [id(1), [], null, P2, [P], null])
    assert.deepEqual(shown(claim(P2, null, answer), holder(1, P), holder(2, P2, { userId: A })), [
      id(1),
      [id(2)],
      null,
      P2,
      [P],
      A,
    ])
    const two = [holder(1, P, { userId: A }), holder(2, P2, { userId: B })]
    assert.equal(shown(claim(P2, null, answer), ...two), null)
  })

  test('the status of a message to a number that is of somebody else by now makes the two no one person', () => {
    // Written to P while it was A's; B has it now, and the contact of the message is known as A.
    const status = claim(P, B, { proof: 'answer', also: [A] })
    const former = holder(1, A, { userId: A })
    const owner = holder(2, P, { aliases: [B], userId: B })
    assert.equal(shown(status, former, owner), null)
    assert.equal(shown(status, owner, former), null)
  })

  test('written to by a parent id, a person is the one whom the status names', () => {
    const status = claim(P, A, { proof: 'answer', also: [PARENT] })
    const written = holder(1, PARENT, { userId: PARENT })
    const known = holder(2, P, { aliases: [A], userId: A })
    assert.deepEqual(shown(status, written, known), [id(2), [id(1)], null, P, [A, PARENT], A])
  })
})
