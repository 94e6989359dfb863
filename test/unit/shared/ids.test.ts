import assert from 'node:assert/strict'
import fc from 'fast-check'
import { decodeId, encodeId, idFloor, idTimeMs, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

describe('ids at the edge', () => {
  test('are the TypeIDs of their UUIDs', () => {
    // Pairs from the published test vectors of TypeID.
    const vectors = {
      '00000000-0000-0000-0000-000000000000': '00000000000000000000000000',
      '00000000-0000-0000-0000-000000000001': '00000000000000000000000001',
      '00000000-0000-0000-0000-00000000000a': '0000000000000000000000000a',
      '00000000-0000-0000-0000-000000000010': '0000000000000000000000000g',
      '00000000-0000-0000-0000-000000000020': '00000000000000000000000010',
      'ffffffff-ffff-ffff-ffff-ffffffffffff': '7zzzzzzzzzzzzzzzzzzzzzzzzz',
      '0110c853-1d09-52d8-d73e-1194e95b5f19': '0123456789abcdefghjkmnpqrs',
      '01890a5d-ac96-774b-bcce-b302099a8057': '01h455vb4pex5vsknk084sn02q',
    }
    for (const [uuid, suffix] of Object.entries(vectors)) {
      assert.equal(encodeId('message', uuid), `msg_${suffix}`)
      assert.equal(decodeId('message', `msg_${suffix}`), uuid)
    }
  })

  test('come back as what they were made of', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        assert.equal(decodeId('call', encodeId('call', uuid)), uuid)
      }),
    )
  })

  test('past 128 bits, of another kind or in another alphabet there are none', () => {
    for (const text of ['msg_80000000000000000000000000', 'msg_0000000000000000000000000i', 'msg_', 'msg'])
      assert.equal(decodeId('message', text), undefined, text)
    assert.equal(decodeId('call', encodeId('message', newId('message'))), undefined)
  })
})

describe('new ids', () => {
  test('rise within a process and carry their time', () => {
    const before = Date.now()
    const ids = Array.from({ length: 5_000 }, () => newId('message'))
    assert.deepEqual([...ids].sort(), ids)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const first = ids[0] ?? ''
    assert.ok(idTimeMs(first) >= before && idFloor(idTimeMs(first)) <= first)
  })
})
