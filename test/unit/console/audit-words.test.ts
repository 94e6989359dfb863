import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { memberEvents } from '../../../src/accounts/member-events.ts'
import { auditWords, wordsOf } from '../../../src/console/audit-words.ts'
import { test } from '../../support/harness.ts'

const done = (action: string, patch: object = {}) => ({
  ...{ action, operator: null, subjectKind: action.split('.')[0] ?? '', subjectId: null },
  ...patch,
})

/** The actions that the code writes: `action: 'key.created'`, or one of two; and in SQL. */
function writtenActions(): string[] {
  const src = new URL('../../../src', import.meta.url).pathname
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!web.*)\.ts$/.test(name),
  )
  return files.flatMap((name) => {
    const text = readFileSync(join(src, name), 'utf8')
    const entries = text.match(/\baction: [^,}\n]*'[a-z]+\.[a-z_]+'[^,}\n]*/g) ?? []
    const inSql = [...text.matchAll(/insert into audit\b[^`]*?'([a-z]+\.[a-z_]+)'/g)].map(
      ([, action = '']) => action,
    )
    return [...entries.flatMap((entry) => entry.match(/[a-z]+\.[a-z_]+(?=')/g) ?? []), ...inSql]
  })
}

test('every action that is recorded has words', () => {
  const actions = writtenActions()
  assert.ok(actions.length > 40, `${actions.length} found`)
  const dynamic = ['call.declined', 'call.hung_up', 'contact.erasure_requested', 'contact.marketing_changed']
  assert.ok(actions.includes('endpoint.deliveries_expired'))
  const plain = [...actions, ...dynamic].filter((action) => {
    const [kind, verb] = action.split('.')
    return wordsOf(done(action)).toLowerCase() === `${kind} ${verb?.replaceAll('_', ' ')}`
  })
  assert.deepEqual(plain, [])
})

test('an entry reads as a sentence, and an action of another release still as words', () => {
  assert.equal(wordsOf(done('endpoint.secret_rotated')), 'Rotated the secret of endpoint')
  assert.equal(wordsOf(done('number.moved_away')), 'Number moved away')
  assert.equal(wordsOf(done('toString')), 'ToString')
  const self = { operator: { id: 'opr_1' }, subjectKind: 'operator', subjectId: 'opr_1' }
  assert.equal(wordsOf(done('operator.totp_removed', self)), 'Turned off the second factor')
  assert.equal(
    wordsOf(done('operator.totp_removed', { ...self, subjectId: 'opr_2' })),
    'Turned off the second factor of',
  )
})

test('the filters name each action once, without a loose preposition', () => {
  const titles = auditWords.map(({ group, title }) => `${group}: ${title}`)
  assert.equal(new Set(titles).size, titles.length)
  assert.deepEqual(
    titles.filter((title) => / (of|to|from|with|for|as|about)$/.test(title)),
    [],
  )
  for (const action of memberEvents)
    assert.ok(
      auditWords.some((word) => word.action === action),
      action,
    )
  assert.equal(
    auditWords.some(({ action }) => action === 'session.confirmed'),
    false,
  )
})
