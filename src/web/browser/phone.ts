// Phone numbers as people write them: +1 555 700 0101.

/** A business-scoped user id, which stands in place of a number: it is shown as it is. */
export const isUserId = (text: string): boolean => /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(text)

/** Country codes of one and two digits; every other has three. */
const short = new Set(
  (
    '1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 ' +
    '81 82 84 86 90 91 92 93 94 95 98'
  ).split(' '),
)

/** How mobile numbers of a country are grouped, as they are mostly written there. */
const groupings: Readonly<Record<string, readonly number[]>> = {
  1: [3, 3, 4],
  7: [3, 3, 2, 2],
  20: [3, 3, 4],
  27: [2, 3, 4],
  30: [3, 3, 4],
  31: [1, 8],
  32: [3, 2, 2, 2],
  33: [1, 2, 2, 2, 2],
  34: [3, 3, 3],
  39: [3, 3, 4],
  41: [2, 3, 2, 2],
  44: [4, 6],
  45: [2, 2, 2, 2],
  46: [2, 3, 2, 2],
  47: [3, 2, 3],
  48: [3, 3, 3],
  49: [4, 7],
  51: [3, 3, 3],
  52: [2, 4, 4],
  54: [1, 2, 4, 4],
  55: [2, 5, 4],
  56: [1, 4, 4],
  57: [3, 3, 4],
  61: [3, 3, 3],
  62: [3, 4, 4],
  63: [3, 3, 4],
  65: [4, 4],
  81: [2, 4, 4],
  82: [2, 4, 4],
  86: [3, 4, 4],
  90: [3, 3, 2, 2],
  91: [5, 5],
  92: [3, 3, 4],
  234: [3, 3, 4],
  254: [3, 3, 3],
  351: [3, 3, 3],
  353: [2, 3, 4],
  966: [2, 3, 4],
  971: [2, 3, 4],
  972: [2, 3, 4],
}

const countryCodeOf = (digits: string): string => {
  const length = [1, 2].find((some) => short.has(digits.slice(0, some))) ?? 3
  return digits.slice(0, length)
}

/** 15557000101 and +15557000101 become +1 555 700 0101. What is no number stays as it is. */
export function phone(text: string): string {
  const digits = /^\+?(\d{7,15})$/.exec(text)?.[1]
  if (digits === undefined) return text
  const code = countryCodeOf(digits)
  const length = digits.length - code.length
  const usual = groupings[code]
  const sizes = usual && sum(usual) === length ? usual : threes(length)
  let at = code.length
  const groups = sizes.map((size) => {
    at += size
    return digits.slice(at - size, at)
  })
  return `+${[code, ...groups].join(' ')}`
}

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0)

/** Groups of three; the last has two to four digits. */
function threes(length: number): number[] {
  if (length <= 4) return [length]
  return length === 5 ? [3, 2] : [3, ...threes(length - 3)]
}
