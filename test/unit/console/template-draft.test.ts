import assert from 'node:assert/strict'
import {
  componentsOf,
  type Draft,
  emptyDraft,
  problemsOf,
} from '../../../src/console/web/pages/templates/draft.ts'
import { test } from '../../support/harness.ts'

test('an offer goes with marketing alone, also where the category changed after it was written', () => {
  const offered: Draft = {
    ...{ ...emptyDraft, name: 'spring', category: 'MARKETING', body: 'Hello' },
    ...{ offer: 'Until Sunday', footer: 'North Dock' },
  }
  const typesOf = (draft: Draft) => componentsOf(draft).map((part) => (part as { type: string }).type)
  assert.deepEqual(typesOf(offered), ['LIMITED_TIME_OFFER', 'BODY', 'FOOTER'])
  assert.deepEqual(Object.keys(problemsOf(offered)), ['footer'])
  const changed: Draft = { ...offered, category: 'UTILITY' }
  assert.deepEqual(typesOf(changed), ['BODY', 'FOOTER'])
  assert.deepEqual(problemsOf(changed), {})
})
