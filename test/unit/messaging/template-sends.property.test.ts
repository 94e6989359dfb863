// No combination of parts and values makes an incomplete request.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { VariableKind } from '../../../src/contract/records/catalog.ts'
import { toProviderComponents } from '../../../src/messaging/render-template.ts'
import {
  compareVariables,
  optionalVariables,
  templateVariables,
  variableFaults,
} from '../../../src/messaging/template-variables.ts'
import { describe, test } from '../../support/harness.ts'

const url = 'https://shop.example/'
const text = fc.constantFrom('Hello', 'Hi {{1}}', '{{2}} and {{1}}', 'Hi {{first_name}}, {{constructor}}')

const header = fc.oneof(
  text.map((given) => ({ type: 'HEADER', format: 'TEXT', text: given })),
  fc
    .constantFrom('IMAGE', 'video', 'GIF', 'DOCUMENT', 'LOCATION', 'PRODUCT')
    .map((format) => ({ type: 'header', format })),
)

const button = fc.oneof(
  fc
    .constantFrom(
      ...['QUICK_REPLY', 'PHONE_NUMBER', 'COPY_CODE', 'OTP', 'FLOW', 'CATALOG', 'MPM', 'SPM', 'VOICE_CALL'],
      'REQUEST_CONTACT_INFO',
    )
    .map((type) => ({ type, text: 'Go' })),
  fc.constantFrom(url, `${url}{{1}}`).map((address) => ({ type: 'URL', text: 'Go', url: address })),
)

const card = fc
  .tuple(fc.option(header), fc.option(text), fc.array(button, { maxLength: 3 }))
  .map(([head, body, buttons]) => [
    ...(head ? [head] : []),
    ...(body === null ? [] : [{ type: 'BODY', text: body }]),
    ...(buttons.length > 0 ? [{ type: 'BUTTONS', buttons }] : []),
  ])

const components = fc
  .tuple(card, fc.option(fc.boolean()), fc.array(card, { maxLength: 3 }))
  .map(([parts, offer, cards]): object[] => [
    ...parts,
    ...(offer === null
      ? []
      : [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now', has_expiration: offer } }]),
    ...(cards.length > 0 ? [{ type: 'CAROUSEL', cards: cards.map((one) => ({ components: one })) }] : []),
  ])

const good: Readonly<Record<VariableKind, string>> = {
  TEXT: 'Ines',
  MEDIA: '77',
  FILE_NAME: 'a.pdf',
  LATITUDE: '38.7',
  LONGITUDE: '-9.1',
  URL_SUFFIX: 'a',
  CODE: 'SAVE20',
  PAYLOAD: 'KEEP',
  MINUTES: '60',
  FLOW_TOKEN: 't',
  JSON: '{"a":1}',
  TIMESTAMP: '2026-12-24T18:00:00Z',
  PRODUCT_ID: 'sku-1',
  CATALOG_ID: '1949',
  PRODUCT_SECTIONS: '[{"products":["sku-1"]}]',
}

/** Paths of values that the provider would not take. */
function holes(value: unknown, path: string): string[] {
  if (value === undefined || value === null || value === '' || Number.isNaN(value)) return [path]
  if (Array.isArray(value) && value.length === 0) return [path]
  return typeof value === 'object'
    ? Object.entries(value).flatMap(([name, inner]) => holes(inner, `${path}.${name}`))
    : []
}

interface Template {
  readonly components: readonly unknown[]
}
interface Sent {
  readonly type: string
  readonly sub_type?: string
  readonly index?: string
  readonly parameters?: readonly { readonly type: string }[]
  readonly cards?: readonly { readonly card_index: number; readonly components: readonly Sent[] }[]
}
interface Part {
  readonly type: string
  readonly format?: string
  readonly text?: string
  readonly url?: string
  readonly buttons?: readonly Part[]
  readonly cards?: readonly { readonly components: readonly Part[] }[]
  readonly limited_time_offer?: { readonly has_expiration: boolean }
}

const variablesIn = (given = '') => new Set(given.match(/\{\{\w+\}\}/g)).size
const alwaysSent = ['COPY_CODE', 'OTP', 'FLOW', 'CATALOG', 'MPM']

/** Asserts that each part that must be filled is, once. */
function assertComplete(parts: readonly Part[], sent: readonly Sent[]): void {
  for (const part of parts) {
    const own = sent.filter(({ type }) => type === part.type.toLowerCase())
    assert.equal(own[0]?.parameters?.length ?? 0, parametersOf(part))
    assertButtons(part.buttons ?? [], sent)
    assertCards(part.cards ?? [], own[0]?.cards ?? [])
  }
}

function parametersOf({ type, format, text: given, limited_time_offer: offer }: Part): number {
  if (type.toLowerCase() === 'header' && format !== 'TEXT') return 1
  return offer?.has_expiration ? 1 : variablesIn(given)
}

function assertButtons(buttons: readonly Part[], sent: readonly Sent[]): void {
  for (const [index, { type, url: address }] of buttons.entries()) {
    const filled = sent.filter((one) => one.type === 'button' && one.index === String(index))
    const least = alwaysSent.includes(type) || variablesIn(address) > 0 ? 1 : 0
    assert.ok(filled.length >= least && filled.length <= 1)
  }
}

function assertCards(cards: NonNullable<Part['cards']>, sent: NonNullable<Sent['cards']>): void {
  assert.ok(sent.length >= cards.length)
  for (const [index, { components: parts }] of cards.entries()) {
    assert.equal(sent[index]?.card_index, index)
    assertComplete(parts, sent[index]?.components ?? [])
  }
}

/** Variables for the template, of which some that it must have may be missing. */
function someVariables(template: Template, stream: fc.Stream<number>, isHonest: boolean) {
  const variables: Record<string, string> = {}
  let lacks = false
  // Header and body may have a variable in common.
  const required = new Map(templateVariables(template).map(({ name, kind }) => [name, kind]))
  for (const [name, kind] of required) {
    const [fate = 0] = stream.take(1)
    const isLeftOut = !isHonest && fate <= 1
    lacks ||= isLeftOut
    if (!isLeftOut) Object.assign(variables, { [name]: good[kind] })
    else if (fate === 0) variables[name] = ''
  }
  for (const { name, kind } of optionalVariables(template)) {
    const [fate = 0] = stream.take(1)
    if (fate > 10) Object.assign(variables, { [name]: good[kind] })
  }
  return { variables, lacks }
}

const fates = fc.infiniteStream(fc.nat(19))

describe('a send of any template with any variables', () => {
  test('is complete, or refused with a reason', () => {
    let sentOnes = 0
    fc.assert(
      fc.property(components, fates, fc.boolean(), (given, stream, isHonest) => {
        const template = { components: given }
        const { variables, lacks } = someVariables(template, stream, isHonest)
        const faults = variableFaults(compareVariables(template, variables))
        const sent = toProviderComponents(template, variables) as Sent[] | null
        assert.deepEqual([faults.length > 0, sent === null], [lacks, lacks])
        if (sent === null) return
        sentOnes += 1
        // A card that takes nothing has no components, and that is complete.
        const found = holes(sent, '').filter((path) => !/\.cards\.\d+\.components$/.test(path))
        assert.deepEqual(sent.length === 0 ? [] : found, [])
        assertComplete(given as Part[], sent)
      }),
      { numRuns: 400 },
    )
    assert.ok(sentOnes > 100)
  })
})
