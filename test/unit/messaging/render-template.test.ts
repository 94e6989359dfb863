import assert from 'node:assert/strict'
import { renderTemplate, toProviderComponents } from '../../../src/messaging/render-template.ts'
import { compareVariables, templateVariables } from '../../../src/messaging/template-variables.ts'
import { describe, test } from '../../support/harness.ts'

const named = {
  components: [
    {
      type: 'HEADER',
      format: 'TEXT',
      text: '{{store}}',
      example: { header_text_named_params: [{ param_name: 'store', example: 'North Dock' }] },
    },
    {
      type: 'BODY',
      text: 'Hi {{first_name}}, order {{order_number}} is ready. Bye {{first_name}}!',
      example: {
        body_text_named_params: [
          { param_name: 'order_number', example: 'A-1' },
          { param_name: 'first_name', example: 'Ines' },
        ],
      },
    },
    { type: 'FOOTER', text: 'North Dock' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Stop promotions' },
        {
          type: 'URL',
          text: 'Track',
          url: 'https://shop.example/o/{{1}}',
          example: ['https://shop.example/o/1'],
        },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550002222' },
        { type: 'URL', text: 'Shop', url: 'https://shop.example' },
      ],
    },
  ],
}

const positional = {
  components: [
    { type: 'header', format: 'text', text: 'Order {{1}}', example: { header_text: ['A-1'] } },
    { type: 'body', text: 'Hi {{2}}, {{1}} is ready', example: { body_text: [['A-1', 'Ines']] } },
  ],
}

const media = {
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://cdn.example/a.png'] } },
    { type: 'BODY', text: 'Look' },
  ],
}

const authentication = {
  components: [
    { type: 'BODY', text: '{{1}} is your code', example: { body_text: [['123456']] } },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', text: 'Copy code' }] },
  ],
}

const coupon = {
  components: [
    { type: 'BODY', text: 'Save' },
    { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copy', example: 'SAVE20' }] },
  ],
}

/** The name, example and place of each variable. */
const briefly = (template: { readonly components: readonly unknown[] }) =>
  templateVariables(template).map(({ name, example, in: place }) => ({ name, example, in: place }))

const good = { store: 'North Dock', first_name: 'Ines', order_number: 'A-4471', 'button.1': 'A-4471' }

describe('variables of a template', () => {
  test('named ones go by their names, with the examples of the provider', () => {
    assert.deepEqual(briefly(named), [
      { name: 'store', example: 'North Dock', in: 'HEADER' },
      { name: 'first_name', example: 'Ines', in: 'BODY' },
      { name: 'order_number', example: 'A-1', in: 'BODY' },
      { name: 'button.1', example: '1', in: 'BUTTON' },
    ])
  })

  test('positional ones are numbers in the body and places elsewhere', () => {
    assert.deepEqual(briefly(positional), [
      { name: 'header.1', example: 'A-1', in: 'HEADER' },
      { name: '1', example: 'A-1', in: 'BODY' },
      { name: '2', example: 'Ines', in: 'BODY' },
    ])
  })

  test('a media header and a coupon each take one, a one-time password only that of the text', () => {
    assert.deepEqual(briefly(media), [
      { name: 'header.1', example: 'https://cdn.example/a.png', in: 'HEADER' },
    ])
    assert.deepEqual(
      templateVariables(authentication).map(({ name }) => name),
      ['1'],
    )
    assert.deepEqual(briefly(coupon), [{ name: 'button.0', example: 'SAVE20', in: 'BUTTON' }])
  })

  test('components that we do not know or that are broken have none', () => {
    assert.deepEqual(templateVariables({ components: [] }), [])
    const odd = [
      null,
      'x',
      7,
      { type: 'CAROUSEL', cards: [] },
      { type: 'BODY' },
      { type: 'BUTTONS', buttons: 'x' },
    ]
    assert.deepEqual(templateVariables({ components: odd }), [])
  })
})

describe('a rendered template', () => {
  test('shows every part filled in', () => {
    assert.deepEqual(renderTemplate(named, good), {
      headerFormat: 'TEXT',
      header: 'North Dock',
      body: 'Hi Ines, order A-4471 is ready. Bye Ines!',
      footer: 'North Dock',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Stop promotions' },
        { type: 'URL', text: 'Track', url: 'https://shop.example/o/A-4471' },
        { type: 'PHONE_NUMBER', text: 'Call', phoneNumber: '+15550002222' },
        { type: 'URL', text: 'Shop', url: 'https://shop.example' },
      ],
      offer: null,
      cards: [],
      text: 'North Dock\nHi Ines, order A-4471 is ready. Bye Ines!\nNorth Dock',
      missingVariables: [],
      unexpectedVariables: [],
      invalidVariables: [],
      unsupportedParts: [],
    })
  })

  test('keeps the placeholder of what is missing and names both sides of a mismatch', () => {
    const { body, missingVariables, unexpectedVariables } = renderTemplate(positional, {
      'header.1': 'A',
      '1': 'B',
      name: 'C',
    })
    assert.equal(body, 'Hi {{2}}, B is ready')
    assert.deepEqual([missingVariables, unexpectedVariables], [['2'], ['name']])
  })

  test('an empty value counts as missing', () => {
    const { missingVariables } = compareVariables(positional, { 'header.1': 'A', '1': '', '2': 'C' })
    assert.deepEqual(missingVariables, ['1'])
  })

  test('a value is put in as it is, and never read as a template again', () => {
    const tricky = { 'header.1': '$&', '1': '{{2}}', '2': '$1' }
    const { header, body } = renderTemplate(positional, tricky)
    assert.deepEqual([header, body], ['Order $&', 'Hi $1, {{2}} is ready'])
  })

  test('a name that objects have by themselves is missing like any other', () => {
    const template = { components: [{ type: 'BODY', text: '{{constructor}}' }] }
    assert.deepEqual(compareVariables(template, {}).missingVariables, ['constructor'])
    assert.equal(renderTemplate(template, {}).body, '{{constructor}}')
  })

  test('a template without variables takes none', () => {
    const { text, footer, header, unexpectedVariables } = renderTemplate(
      { components: [{ type: 'BODY', text: 'Hello' }] },
      { name: 'x' },
    )
    assert.deepEqual([text, footer, header, unexpectedVariables], ['Hello', null, null, ['name']])
  })
})

describe('what the provider is sent', () => {
  test('named parameters carry their names; a URL button goes by its index', () => {
    assert.deepEqual(toProviderComponents(named, good), [
      { type: 'header', parameters: [{ type: 'text', parameter_name: 'store', text: 'North Dock' }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'first_name', text: 'Ines' },
          { type: 'text', parameter_name: 'order_number', text: 'A-4471' },
        ],
      },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'A-4471' }] },
    ])
  })

  test('positional parameters go in the order of their numbers', () => {
    assert.deepEqual(toProviderComponents(positional, { 'header.1': 'A', '1': 'B', '2': 'C' }), [
      { type: 'header', parameters: [{ type: 'text', text: 'A' }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'B' },
          { type: 'text', text: 'C' },
        ],
      },
    ])
  })

  test('a media header is a link of its kind or the id of an upload, a coupon a code', () => {
    assert.deepEqual(toProviderComponents(media, { 'header.1': 'https://x.example/a.png' }), [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://x.example/a.png' } }] },
    ])
    assert.deepEqual(toProviderComponents(media, { 'header.1': '1037543291543636' }), [
      { type: 'header', parameters: [{ type: 'image', image: { id: '1037543291543636' } }] },
    ])
    assert.deepEqual(toProviderComponents(coupon, { 'button.0': 'SAVE20' }), [
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '0',
        parameters: [{ type: 'coupon_code', coupon_code: 'SAVE20' }],
      },
    ])
  })

  test('a template without variables sends no components', () => {
    assert.deepEqual(toProviderComponents({ components: [{ type: 'BODY', text: 'Hello' }] }, {}), [])
  })

  test('for any variables that fit, every value is sent exactly once per place', () => {
    for (const [template, variables] of [
      [named, good],
      [positional, { 'header.1': 'A', '1': 'B', '2': 'C' }],
      [coupon, { 'button.0': 'SAVE20' }],
    ] as const) {
      const sent =
        JSON.stringify(toProviderComponents(template, variables)).match(/"(text|coupon_code)":"[^"]+"/g) ?? []
      assert.equal(sent.length, templateVariables(template).length)
    }
  })
})
