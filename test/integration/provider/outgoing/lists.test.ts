// Lists of the provider, which come in pages.
import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { account, json, withRig } from './rig.ts'

describe('the account', () => {
  const templateAt = (index: number) => ({
    id: `${index}`,
    name: `t${index}`,
    language: 'pt_PT',
    status: 'APPROVED',
  })
  const pages: Record<string, object> = {
    '': {
      data: [templateAt(1), { id: '9' }],
      paging: { cursors: { after: 'A=' }, next: 'http://elsewhere/' },
    },
    'A=': { data: [templateAt(2)], paging: { cursors: { after: 'B' }, next: 'http://elsewhere/' } },
    B: { data: [templateAt(3)], paging: { cursors: { after: 'C' } } },
  }

  test('lists its templates over every page, by cursor and never by address', async () => {
    await withRig(
      (request, response) => {
        const after = new URL(request.url, 'http://x').searchParams.get('after') ?? ''
        json(200, pages[after])(request, response)
      },
      async ({ api, seen }) => {
        const result = await api.listTemplates(account)
        assert.equal(result.type, 'ok')
        const names = result.type === 'ok' && result.value.templates.map(({ name }) => name)
        assert.deepEqual(names, ['t1', 't2', 't3'])
        assert.equal(seen.length, 3)
      },
    )
  })

  test('says which templates there are, also those that it cannot read, unless it may not know all', async () => {
    const { id: _, ...unreadable } = templateAt(2)
    const whole = { data: [templateAt(1), unreadable] }
    const lists: [object, string[] | undefined][] = [
      [whole, ['t1', 't2']],
      [{ data: [...whole.data, { id: '9' }] }, undefined],
      [{ ...whole, paging: { next: 'http://elsewhere/' } }, undefined],
    ]
    for (const [list, expected] of lists)
      await withRig(json(200, list), async ({ api }) => {
        const result = await api.listTemplates(account)
        assert.ok(result.type === 'ok')
        assert.deepEqual(
          result.value.templates.map(({ name }) => name),
          ['t1'],
        )
        assert.deepEqual(
          result.value.named?.map(({ name }) => name),
          expected,
        )
      })
  })

  test('whose list never ends is refused and not read for ever', async () => {
    const endless = json(200, { data: [], paging: { cursors: { after: 'A' }, next: 'x' } })
    await withRig(endless, async ({ api, seen }) => {
      const result = await api.listNumbers(account)
      assert.equal(result.type === 'refused' && result.error.code, 'LIST_TOO_LONG')
      assert.equal(seen.length, 200)
    })
  })
})
