// Corrupts valid input: JSON values, JSON text, plain text and bytes.
import type { Dice } from './fuzz-dice.ts'

/** JSON texts that are inserted verbatim: JSON has more texts than JavaScript values can produce. */
const spellings: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '1.5',
    '200',
    '1e999',
    '-1e999',
    '1e-999',
    '9007199254740993',
  ],
  ...['123456789012345678901234567890', '2147483648', '""', '" "', '"\\u0000"', '"\\ud800"', '"\\udc00x"'],
  ...['"\\ufeff"', '"\\u202e"', '"__proto__"', '"true"', '"0"', '[]', '[[]]', '[null]', '{}', '{"":""}'],
  ...['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{}}}', '{"toString":1}', '{"length":1e9}'],
  ...[
    '"2026-11-20T14:21:03.127Z"',
    '"0000-01-01T00:00:00Z"',
    '"+15557000001"',
    '"%00"',
    '"\'; drop table x; --"',
  ],
]

const names: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON', ''],
  ...['\0', 'a.b', '0', '-1', 'id', 'to', 'workspaceId', '\u{1f980}', '\ufeffto'],
]

const insertions: readonly string[] = [
  ...[
    '\0',
    '\ud800',
    '\udfff',
    '\r\n',
    '\t',
    ' ',
    '\u2028',
    '\ufeff',
    '\u202e',
    '\u{1f980}',
    'e\u0301',
    '\u0661',
  ],
  ...[
    '"',
    "'",
    '\\',
    '%',
    '%00',
    '%zz',
    '&',
    '=',
    '+',
    '-',
    '_',
    '.',
    '..',
    '/',
    '{{1}}',
    '{{',
    '}}',
    '<b>',
    '$1',
  ],
]

export function mutatedText(dice: Dice, text: string): string {
  const at = dice.below(text.length + 1)
  const before = text.slice(0, at)
  const after = text.slice(at)
  switch (dice.below(7)) {
    case 0:
      return before
    case 1:
      return before + dice.of(insertions) + after
    case 2:
      return before + after.slice(1)
    case 3:
      return before + String.fromCharCode(dice.below(0x10000)) + after.slice(1)
    case 4:
      return text + text
    case 5:
      return dice.oneIn(8) ? text + dice.of(insertions).repeat(20_000) : text.toUpperCase()
    default:
      return before + String.fromCharCode(33 + dice.below(94)) + after.slice(1)
  }
}

export function mutatedBytes(dice: Dice, bytes: Buffer): Buffer {
  const at = dice.below(bytes.length + 1)
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at)
  const odd = Buffer.from([dice.below(256)])
  switch (dice.below(6)) {
    case 0:
      return before
    case 1:
      return Buffer.concat([before, odd, after])
    case 2:
      return Buffer.concat([before, odd, after.subarray(1)])
    case 3:
      return Buffer.concat([before, Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80]), after])
    case 4:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
    default:
      return Buffer.concat([bytes, Buffer.from(dice.of(['x', '{}', ',', '\0', '//', ']', '\n\n', 'NaN']))])
  }
}

/** Returns a valid value as JSON with one to four faults in its values, and sometimes one in its bytes. */
export function mutatedJson(dice: Dice, valid: unknown): Buffer {
  const document = new Loose(structuredClone(valid))
  for (let left = 1 + dice.below(4); left > 0; left -= 1) document.mutate(dice)
  const bytes = Buffer.from(document.text())
  return dice.oneIn(7) ? mutatedBytes(dice, bytes) : bytes
}

type Holder = Record<string, unknown>

/** A value of which some parts are given as raw JSON text. */
class Loose {
  readonly #root: Holder
  readonly #spelled: string[] = []

  constructor(value: unknown) {
    this.#root = { value }
  }

  mutate(dice: Dice): void {
    const [holder, key] = this.#anywhere(dice)
    const value = holder[key]
    if (typeof value === 'string' && dice.oneIn(2)) holder[key] = mutatedText(dice, value)
    else if (typeof value === 'object' && value !== null && dice.oneIn(2)) this.#inside(dice, value as Holder)
    else holder[key] = this.#spell(dice.oneIn(20) ? deep(dice) : dice.of(spellings))
  }

  text(): string {
    const written = JSON.stringify(this.#root['value']) ?? ''
    return written.replace(/"@(\d+)@"(:)?/g, (_, index: string, colon?: string) => {
      const spelled = this.#spelled[Number(index)] ?? ''
      return colon === undefined ? spelled : `"to":${spelled},"to":`
    })
  }

  #spell(text: string): string {
    return `@${this.#spelled.push(text) - 1}@`
  }

  #inside(dice: Dice, holder: Holder): void {
    const keys = Object.keys(holder)
    const key = keys.length > 0 ? dice.of(keys) : 'x'
    if (Array.isArray(holder)) {
      const copies = dice.oneIn(10) ? 300 : 1
      for (let left = copies; left > 0; left -= 1) holder.push(structuredClone(holder[0] ?? null))
    } else this.#inNames(dice, holder, key)
  }

  #inNames(dice: Dice, holder: Holder, key: string): void {
    switch (dice.below(4)) {
      case 0:
        delete holder[key]
        return
      case 1:
        return set(holder, dice.of(names), this.#spell(dice.of(spellings)))
      case 2:
        // text() writes this as a duplicate name with two values.
        return set(holder, this.#spell(dice.of(spellings)), holder[key])
      default:
        return set(holder, mutatedText(dice, key), holder[key])
    }
  }

  #anywhere(dice: Dice): [Holder, string] {
    let holder = this.#root
    let key = 'value'
    for (;;) {
      const inner = holder[key]
      const keys = typeof inner === 'object' && inner !== null ? Object.keys(inner) : []
      if (keys.length === 0 || dice.oneIn(4)) return [holder, key]
      holder = inner as Holder
      key = dice.of(keys)
    }
  }
}

/** Sets an own property, even if the name is `__proto__`. */
const set = (holder: Holder, name: string, value: unknown): void => {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
}

function deep(dice: Dice): string {
  const levels = dice.of([20, 500, 20_000])
  const [open, close] = dice.of([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const)
  return `${open.repeat(levels)}1${dice.oneIn(4) ? '' : close.repeat(levels)}`
}
