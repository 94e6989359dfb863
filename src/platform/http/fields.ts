// Request fields that several APIs share. Each error message follows the path of the field: "to must be ...".
import * as v from 'valibot'
import { addressForm, addressOf } from '../../shared/address.ts'
import { isLongerThan } from '../../shared/code-points.ts'
import { shownAs } from './shown.ts'

/** A limit on text in code points, as the OpenAPI document says it. `maxLength` of valibot counts UTF-16 units. */
export function maxCharacters(most: number, message: string): v.MaxLengthAction<string, number, string> {
  const inUnits = v.maxLength<string, number, string>(most, message)
  return {
    ...inUnits,
    '~run': (dataset, config) =>
      dataset.typed && !isLongerThan(dataset.value, most) ? dataset : inUnits['~run'](dataset, config),
  }
}

/** To whom something is sent. The output is the address: digits, or the user id as it is. */
export const recipient = v.pipe(
  v.string(),
  shownAs({
    type: 'string',
    pattern: '^(\\+[1-9]\\d{6,14}|[A-Z]{2}\\.(ENT\\.)?[A-Za-z0-9]{1,128})$',
    examples: ['+15551230000', 'US.13491208655302741918'],
  }),
  v.check((text) => addressOf(text) !== undefined, `must be ${addressForm}`),
  v.transform((text) => addressOf(text) ?? text),
)

// valibot's record schema accepts a list as an object, and drops these names silently.
export const unsafeNames = ['__proto__', 'constructor', 'prototype']

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface MapLimits {
  readonly pairs: number
  readonly nameLength: number
  readonly valueLength: number
}

/** A map of strings by name. */
export const stringMap = ({ pairs, nameLength, valueLength }: MapLimits) =>
  v.pipe(
    v.custom<object>(isObject, 'must be an object'),
    shownAs({
      type: 'object',
      maxProperties: pairs,
      propertyNames: { type: 'string', minLength: 1, maxLength: nameLength },
      additionalProperties: { type: 'string', maxLength: valueLength },
    }),
    v.check(
      (value) => !unsafeNames.some((name) => Object.hasOwn(value, name)),
      `must not use the names ${unsafeNames.join(', ')}`,
    ),
    v.record(
      v.pipe(
        v.string(),
        v.minLength(1, 'must have names of at least one character'),
        maxCharacters(nameLength, `must have names of up to ${nameLength} characters`),
      ),
      v.pipe(v.string(), maxCharacters(valueLength, `must be at most ${valueLength} characters long`)),
    ),
    v.check((map) => Object.keys(map).length <= pairs, `must hold at most ${pairs} pairs`),
  )
