// Every kind of template that the provider has: which variables it takes, and the components that a send has.
import assert from 'node:assert/strict'
import { renderTemplate, toProviderComponents } from '../../../src/messaging/render-template.ts'
import {
  compareVariables,
  optionalVariables,
  templateVariables,
  unsupportedParts,
  type Variables,
  variableFaults,
} from '../../../src/messaging/template-variables.ts'
import { describe, test } from '../../support/harness.ts'
import { kinds, multiProduct, productCarousel, sections } from './template-kinds.ts'

const pairsOf = (list: readonly { name: string; kind: string }[]) =>
  Object.fromEntries(list.map(({ name, kind }) => [name, kind]))

describe('a template of each kind', () => {
  for (const { title, components, takes, may = {}, variables, sent } of kinds) {
    test(`${title}: names its variables, and is sent with complete components`, () => {
      const template = { components }
      assert.deepEqual(pairsOf(templateVariables(template)), takes)
      assert.deepEqual(pairsOf(optionalVariables(template)), may)
      assert.deepEqual(unsupportedParts(template), [])
      assert.deepEqual(toProviderComponents(template, variables), sent)
    })

    test(`${title}: is refused with each variable missing, and with one too many`, () => {
      const template = { components }
      for (const name of Object.keys(takes)) {
        const { [name]: _, ...rest } = variables
        assert.deepEqual(compareVariables(template, rest).missingVariables, [name])
        assert.deepEqual(compareVariables(template, { ...rest, [name]: '' }).missingVariables, [name])
        assert.equal(toProviderComponents(template, rest), null)
      }
      const extra = { ...variables, 'button.9': 'x' }
      assert.deepEqual(compareVariables(template, extra).unexpectedVariables, ['button.9'])
      assert.equal(toProviderComponents(template, extra), null)
    })
  }
})

describe('a value of a wrong form is refused', () => {
  const headerOf = (format: string) => [{ type: 'HEADER', format }]
  const place = {
    'header.latitude': '38.7',
    'header.longitude': '-9.1',
    'header.name': 'N',
    'header.address': 'A',
  }
  const buttonOf = (type: string) => [{ type: 'BUTTONS', buttons: [{ type, text: 'x' }] }]
  const offer = [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'x', has_expiration: true } }]
  const rows: readonly [components: unknown[], good: Variables, name: string, bad: readonly string[]][] = [
    [
      headerOf('IMAGE'),
      { 'header.1': '77' },
      'header.1',
      ['a.png', 'ftp://x.example/a', 'https://', 'javascript:1'],
    ],
    [headerOf('LOCATION'), place, 'header.latitude', ['91', '-90.5', 'north', '1e1', ' ', '38,7']],
    [headerOf('LOCATION'), place, 'header.longitude', ['180.1', '-181', 'NaN']],
    [
      offer,
      { 'offer.expiresAt': '2026-12-24T18:00:00Z' },
      'offer.expiresAt',
      ['soon', '2026-12-24', '1766599200000', '2026-13-24T18:00:00Z'],
    ],
    [buttonOf('FLOW'), { 'button.0.data': '{}' }, 'button.0.data', ['x', '[]', 'null', '"x"']],
    [
      buttonOf('VOICE_CALL'),
      { 'button.0.ttlMinutes': '60' },
      'button.0.ttlMinutes',
      ['0', '1.5', '43201', '-1', 'x'],
    ],
    [
      multiProduct,
      { 'button.0.sections': sections },
      'button.0.sections',
      [
        'x',
        '{}',
        '[]',
        '[{}]',
        '[{"products": []}]',
        '[{"products": [""]}]',
        '[{"products": [7]}]',
        '[{"products": ["a"], "other": 1}]',
        '[{"products": ["a"]}, {"products": ["b"]}]',
        `[{"title": "${'x'.repeat(25)}", "products": ["a"]}]`,
        JSON.stringify([{ products: Array.from({ length: 31 }, (_, index) => `sku-${index}`) }]),
        JSON.stringify(Array.from({ length: 11 }, () => ({ title: 'T', products: ['a'] }))),
      ],
    ],
  ]
  for (const [components, good, name, bad] of rows)
    test(`${name}: ${bad.slice(0, 3).join(', ')}, ...`, () => {
      assert.deepEqual(variableFaults(compareVariables({ components }, good)), [])
      for (const value of bad) {
        const variables = { ...good, [name]: value }
        const { invalidVariables } = compareVariables({ components }, variables)
        assert.deepEqual([value, invalidVariables.map((one) => one.name)], [value, [name]])
        assert.equal(toProviderComponents({ components }, variables), null)
      }
    })
})

describe('a template with a part that is not known', () => {
  const rows: readonly [part: string, component: unknown][] = [
    ['component ORDER_STATUS', { type: 'order_status' }],
    ['header HOLOGRAM', { type: 'HEADER', format: 'HOLOGRAM' }],
    ['button 1 (ORDER_DETAILS)', { type: 'BUTTONS', buttons: [{ type: 'SPM' }, { type: 'ORDER_DETAILS' }] }],
    [
      'card 0: button 0 (REMINDER)',
      { type: 'CAROUSEL', cards: [{ components: [{ type: 'BUTTONS', buttons: [{ type: 'REMINDER' }] }] }] },
    ],
  ]
  for (const [part, component] of rows)
    test(`${part}: is not sent, and says why`, () => {
      const template = { components: [{ type: 'BODY', text: 'Hello' }, component] }
      assert.deepEqual(unsupportedParts(template), [part])
      assert.equal(toProviderComponents(template, {}), null)
      assert.deepEqual(variableFaults(compareVariables(template, {})), [
        { variable: null, message: `has a part that cannot be filled here: ${part}` },
      ])
    })
})

describe('a carousel of products', () => {
  const card = (index: number) => ({
    [`card.${index}.header.productId`]: `sku-${index}`,
    [`card.${index}.header.catalogId`]: '1949',
  })

  test('may have more cards than its template, up to ten', () => {
    const all = Object.assign({}, ...Array.from({ length: 10 }, (_, index) => card(index)))
    const sent = toProviderComponents({ components: productCarousel }, all) as { cards: unknown[] }[]
    assert.equal(sent[0]?.cards.length, 10)
    assert.deepEqual(sent[0]?.cards[9], {
      card_index: 9,
      components: [
        {
          type: 'header',
          parameters: [{ type: 'product', product: { product_retailer_id: 'sku-9', catalog_id: '1949' } }],
        },
      ],
    })
    assert.equal(renderTemplate({ components: productCarousel }, all).cards[9]?.header, 'sku-9')
  })

  test('has no gaps, and every card is complete', () => {
    const template = { components: productCarousel }
    const gap = { ...card(0), ...card(1), ...card(3) }
    assert.deepEqual(compareVariables(template, gap).unexpectedVariables, Object.keys(card(3)))
    const half = { ...card(0), ...card(1), 'card.2.header.productId': 'sku-2' }
    assert.deepEqual(compareVariables(template, half).missingVariables, ['card.2.header.catalogId'])
  })
})

describe('the preview of a template', () => {
  const rendered = (title: string) => {
    const kind = kinds.find((one) => one.title === title)
    assert.ok(kind)
    return renderTemplate({ components: kind.components }, kind.variables)
  }

  test('shows the place of a location', () => {
    const { headerFormat, header, text } = rendered('location header')
    assert.deepEqual([headerFormat, header, text], ['LOCATION', 'North Dock, Pier 2', 'Here we are'])
  })

  test('shows an offer and when it ends', () => {
    assert.deepEqual(rendered('limited-time offer').offer, {
      text: 'Expiring!',
      expiresAt: '2026-12-24T18:00:00+01:00',
    })
  })

  test('shows the cards of a carousel, each with its own values', () => {
    assert.deepEqual(rendered('carousel of media').cards, [
      {
        headerFormat: 'IMAGE',
        header: '77',
        body: 'Aloe for $9',
        buttons: [
          { type: 'QUICK_REPLY', text: 'More' },
          { type: 'URL', text: 'Buy', url: 'https://shop.example/p/aloe' },
        ],
      },
      {
        headerFormat: 'IMAGE',
        header: 'https://shop.example/fern.png',
        body: 'Fern for $7',
        buttons: [
          { type: 'QUICK_REPLY', text: 'More' },
          { type: 'URL', text: 'Buy', url: 'https://shop.example/p/fern' },
        ],
      },
    ])
  })

  test('shows labels that the provider writes, and the question of a call permission request', () => {
    assert.deepEqual(rendered('request for contact info').buttons, [
      { type: 'REQUEST_CONTACT_INFO', text: 'Share contact info' },
    ])
    assert.deepEqual(rendered('call permission request').buttons, [
      { type: 'CALL_PERMISSION_REQUEST', text: 'Choose preference' },
    ])
  })

  test('shows the text of an authentication template that the provider has not written yet', () => {
    const { body, footer } = rendered('authentication, as submitted')
    assert.deepEqual(
      [body, footer],
      ['*123456* is your verification code.', 'This code expires in 10 minutes.'],
    )
  })
})
