import assert from 'node:assert/strict'
import { createKeepElements } from '../../../../src/provider/incoming/keep-elements.ts'
import type { KeptElement } from '../../../../src/provider/incoming/kept-elements.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { test } from '../../../support/harness.ts'

const plain = { field: 'messages', part: 'messages', phoneNumberId: '88', body: '{}', fullBytes: null }
const linked: KeptElement = {
  type: 'linked',
  row: { id: newId('element'), ...plain, subject: { kind: 'message', providerId: 'wamid.1', id: null } },
}
const unlinked: KeptElement = {
  type: 'unlinked',
  row: { id: newId('element'), ...plain, wabaId: null, entryAt: null, reason: 'unknown', people: [] },
}

for (const isAway of [false, true])
  test(`the copies of a webhook ${isAway ? 'that is repeated are not written' : 'are written'}`, async () => {
    const written: string[] = []
    const keeper = createKeepElements({
      store: {
        async keepLinked(rows) {
          written.push(...rows.map(({ id }) => id))
        },
        keepUnlinked: () => (isAway ? Promise.reject(new Error('no database')) : Promise.resolve()),
      },
      log: { warn: () => undefined },
      lingerMs: 1,
    })
    const keeping = keeper.keep([linked, unlinked])
    await (isAway ? assert.rejects(keeping, /no database/) : keeping)
    await keeper.drain()
    assert.deepEqual(written, isAway ? [] : [linked.row.id])
  })
