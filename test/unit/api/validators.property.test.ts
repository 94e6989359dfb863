// Properties of the validators for every value: valid ones are accepted in one normal form, the faults of
// others are listed by path, and nothing throws.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as v from 'valibot'
import { operationNotes } from '../../../src/api/openapi/operations.ts'
import { contact, id } from '../../../src/api/schemas/fields.ts'
import { variables } from '../../../src/api/schemas/messages.ts'
import { table } from '../../../src/api/table.ts'
import { consoleRoutes } from '../../../src/console/console.ts'
import { limits } from '../../../src/contract/limits.ts'
import { renderTemplate } from '../../../src/messaging/render-template.ts'
import { compareVariables, templateVariables } from '../../../src/messaging/template-variables.ts'
import { recipient, unsafeNames } from '../../../src/platform/http/fields.ts'
import { pageQuery } from '../../../src/platform/http/paging.ts'
import type { Schema } from '../../../src/platform/http/route.ts'
import { time } from '../../../src/platform/http/time.ts'
import { check } from '../../../src/platform/http/validate.ts'
import { isUserId } from '../../../src/shared/address.ts'
import { encodeId, type IdKind, idPrefixes } from '../../../src/shared/ids.ts'
import { toDigits, toE164 } from '../../../src/shared/phone.ts'
import { consoleSamples } from '../../e2e/fuzz-samples.ts'
import { anyText } from '../../support/any-text.ts'
import { describe, test } from '../../support/harness.ts'

const binary = anyText()
const digits = fc.stringMatching(/^[1-9]\d{6,14}$/)
const kinds = Object.keys(idPrefixes) as IdKind[]

describe('a phone number', () => {
  test('of a request is taken as it is, and has one form as digits and one with a plus', () => {
    fc.assert(
      fc.property(digits, (given) => {
        assert.equal(v.parse(recipient, `+${given}`), given)
        assert.equal(toDigits(toE164(given)), given)
        assert.equal(toE164(toE164(given)), `+${given}`)
      }),
    )
  })

  test('of a filter comes out as digits, however its plus came, and those as themselves', () => {
    fc.assert(
      fc.property(digits, fc.constantFrom('+', ' ', ''), (given, plus) => {
        const once = v.parse(contact, plus + given)
        assert.deepEqual([once, v.parse(contact, once)], [given, given])
      }),
    )
  })

  test('is no other text', () => {
    const near = fc.stringMatching(/^[+ 0-9\n()-]{0,18}$/)
    fc.assert(
      fc.property(fc.oneof(binary, near), (text) => {
        assert.equal(
          v.is(recipient, text),
          isUserId(text) || (/^\+[1-9][0-9]{6,14}$/.test(text) && !text.endsWith('\n')),
        )
        if (v.is(contact, text)) assert.match(v.parse(contact, text), /^[1-9][0-9]{6,14}$/)
      }),
    )
  })
})

describe('an id', () => {
  const letters = [...'0123456789abcdefghijklmnopqrstuvwxyzABCZ_-. \0é']

  test('of any kind comes back as the one text that it has, and only under its kind', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom(...kinds), fc.constantFrom(...kinds), (uuid, kind, other) => {
        const text = encodeId(kind, uuid)
        assert.equal(encodeId(kind, v.parse(id(kind), text)), text)
        assert.equal(v.is(id(other), text), other === kind)
      }),
    )
  })

  test('with any one letter changed is another id in its own right, or none', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(29), fc.constantFrom(...letters), (uuid, at, letter) => {
        const text = encodeId('message', uuid)
        const changed = text.slice(0, at) + letter + text.slice(at + 1)
        const parsed = v.safeParse(id('message'), changed)
        if (!parsed.success) return
        assert.equal(encodeId('message', parsed.output), changed)
        assert.equal(parsed.output === uuid, changed === text)
      }),
    )
  })
})

describe('a time', () => {
  const instants = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })

  test('as we write it is that time, and is written the same again', () => {
    fc.assert(
      fc.property(instants, (at) => {
        const once = v.parse(time, at.toISOString())
        assert.equal(once.getTime(), at.getTime())
        assert.equal(v.parse(time, once.toISOString()).getTime(), at.getTime())
      }),
    )
  })

  test('in any zone is the same time', () => {
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
    const two = (value: number) => String(value).padStart(2, '0')
    // At least a day from the ends of the calendar, because a time zone could cross them.
    const inner = instants.filter((at) => at.getTime() > -62_135_000_000_000 && at.getUTCFullYear() < 9999)
    fc.assert(
      fc.property(inner, offset, fc.boolean(), (at, minutes, isEscaped) => {
        const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1)
        const plus = isEscaped ? '+' : ' '
        const sign = minutes < 0 ? '-' : plus
        const zone = `${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
        assert.equal(v.parse(time, `${local}${sign}${zone}`).getTime(), at.getTime())
      }),
    )
  })
})

describe('a limit', () => {
  const limit = v.strictObject(pageQuery)

  test('is every whole number up to the most of a page, and no other text', () => {
    const near = fc.stringMatching(/^[0-9+\-. e]{0,4}$/)
    fc.assert(
      fc.property(fc.oneof(binary, near, fc.integer().map(String)), (text) => {
        const isGood = /^[0-9]{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= limits.pageMax
        assert.equal(v.is(limit, { limit: text }), isGood)
        if (isGood) assert.equal(v.parse(limit, { limit: text }).limit, Number(text))
      }),
    )
  })
})

describe('variables', () => {
  const name = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/),
    fc.constantFrom(...unsafeNames, 'toString', 'length', '1', '01'),
  )

  test('of good names are taken as they are', () => {
    const names = fc.string({ minLength: 1, maxLength: limits.variableNameLength })
    const values = fc.string({ maxLength: 100 })
    fc.assert(
      fc.property(fc.dictionary(names, values, { maxKeys: 20 }), (given) => {
        fc.pre(!unsafeNames.some((unsafe) => Object.hasOwn(given, unsafe)))
        const once = v.parse(variables, given)
        assert.deepEqual(Object.entries(once), Object.entries(given))
        assert.deepEqual(v.parse(variables, once), once)
      }),
    )
  })

  test('of a template are those between its braces, whatever they are called', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), (names) => {
        const body = { type: 'BODY', text: names.map((one) => `{{${one}}}`).join(' ') }
        const template = { components: [body] }
        const given = Object.fromEntries(names.map((one) => [one, `<${one}>`]))
        assert.deepEqual(
          templateVariables(template)
            .map((one) => one.name)
            .sort(),
          [...names].sort(),
        )
        const right = {
          missingVariables: [],
          unexpectedVariables: [],
          invalidVariables: [],
          unsupportedParts: [],
        }
        assert.deepEqual(compareVariables(template, given), right)
        assert.equal(renderTemplate(template, given).body, names.map((one) => `<${one}>`).join(' '))
        const none = compareVariables(template, {}).missingVariables
        assert.deepEqual([...none].sort(), [...names].sort())
      }),
    )
  })
})

/** The value is accepted, or each of its faults has a path and a message. */
function assertJudged(schema: Schema, value: unknown): void {
  const checked = check(schema, value)
  if (checked.ok) return
  assert.ok(checked.details.length > 0 && checked.details.length <= 20)
  for (const { path = '', message } of checked.details) {
    assert.ok(path !== '' && path.length <= 200, JSON.stringify(path))
    assert.doesNotMatch(message, /^$|^Invalid |undefined|\[object/)
  }
}

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    '\0',
    '\ud800',
    Number.POSITIVE_INFINITY,
    -0,
    [],
    {},
    JSON.parse('{"__proto__":{}}'),
    2 ** 53,
  ),
)

/** A valid body with one of its parts replaced by any value, or with something added. */
function spoiled(sample: unknown): fc.Arbitrary<unknown> {
  if (typeof sample !== 'object' || sample === null) return anything
  const isList = Array.isArray(sample)
  const put = (key: string, inner: unknown): unknown =>
    isList
      ? sample.map((old: unknown, index) => (index === Number(key) ? inner : old))
      : Object.defineProperty({ ...sample }, key, { value: inner, enumerable: true })
  const inside = Object.entries(sample).map(([key, inner]) => spoiled(inner).map((other) => put(key, other)))
  const more = isList
    ? anything.map((other) => [...sample, other])
    : fc.tuple(fc.string(), anything).map(([key, other]) => put(key, other))
  return fc.oneof(anything, more, ...inside)
}

describe('of every route', () => {
  test('the body is taken or what is wrong is listed by path, whatever JSON it is', () => {
    for (const { method, path, body } of [...table, ...consoleRoutes]) {
      if (!body) continue
      const key = `${method} ${path}`
      const sample = operationNotes[key]?.request ?? consoleSamples[key] ?? {}
      if (Object.keys(sample).length > 0) assert.ok(check(body, sample).ok, key)
      fc.assert(fc.property(spoiled(sample), (value) => assertJudged(body, value)))
    }
  })

  test('the query is taken or what is wrong is listed by path, whatever texts it holds', () => {
    for (const { query } of [...table, ...consoleRoutes]) {
      if (!query) continue
      const { entries = {} } = query as { entries?: object }
      const name = fc.oneof(fc.constantFrom(...Object.keys(entries)), binary)
      const value = fc.oneof(binary, digits, fc.constantFrom('true', '1', '2026-11-20', 'READ', 'INBOUND'))
      fc.assert(fc.property(fc.dictionary(name, value), (values) => assertJudged(query, values)))
    }
  })

  test('the path is that of something or of nothing, whatever stands in it', () => {
    for (const { params } of [...table, ...consoleRoutes])
      if (params) fc.assert(fc.property(binary, (text) => assertJudged(params, { id: text })))
  })
})
