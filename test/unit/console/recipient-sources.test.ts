// Rows of recipients that somebody pastes into the console, and how the verdicts on them are counted.
import assert from 'node:assert/strict'
import { sourceOfText } from '../../../src/console/web/pages/campaigns/sources.ts'
import { counted, type Judged, nothingYet } from '../../../src/console/web/pages/campaigns/tally.ts'
import { describe, test } from '../../support/harness.ts'

const columns = ['name', 'city'].map((name) => ({ name, example: '', fallback: undefined }))
const headOf = async (text: string): Promise<string> => {
  const { file, linesAhead } = sourceOfText(text, columns)
  return linesAhead === 0 ? 'its own' : ((await file.text()).split('\n')[0] ?? '')
}

describe('pasted recipients', () => {
  test('rows that begin with a number or a user id get a header, others have one', async () => {
    assert.equal(await headOf('+15551230000,Ana'), 'to,name')
    assert.equal(await headOf('"(555) 123"\t"Ana"\tLisbon'), 'to\tname\tcity')
    assert.equal(await headOf('US.13491208655302741918\r\n+15551230000'), 'to')
    assert.equal(await headOf('"US.ENT.7719";Ana'), 'to;name')
    assert.equal(await headOf('to,name\n+15551230000,Ana'), 'its own')
    assert.equal(await headOf('US number,name'), 'its own')
  })

  test('delimiters and line ends within quotes make no columns', async () => {
    assert.equal(await headOf('+15551230000,"Silva, Ana"'), 'to,name')
    assert.equal(await headOf('+15551230000;"Silva, Ana,\nof ""Sol"", Lda";Lisbon'), 'to;name;city')
  })
})

describe('verdicts on recipients', () => {
  const added = (...to: string[]): Judged[] =>
    to.map((one, index) => ({ index, to: one, verdict: 'added' }) as const)
  const ofSlices = (seen: Set<number | string> | undefined, ...slices: Judged[][]) => {
    const tally = slices.reduce((sum, rows) => counted(sum, rows, { lines: [2, 3, 4], seen }), nothingYet)
    return [tally.added, tally.duplicates]
  }

  test('a dry run finds a number that an earlier slice had, however it is written', () => {
    const slices = [added('+15551230000'), added('1 555 123 0000', '+15551230001')]
    assert.deepEqual(ofSlices(new Set(), ...slices), [2, 1])
    assert.deepEqual(ofSlices(undefined, ...slices), [3, 0])
  })

  test('two user ids are two people, whatever digits they have', () => {
    const slices = [added('US.a1b2', 'DE.12', 'US.ab'), added('US.cd', 'US.a1b2', '12')]
    assert.deepEqual(ofSlices(new Set(), ...slices), [5, 1])
  })
})
