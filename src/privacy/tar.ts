// Writes the blocks of a tar archive (POSIX ustar). Sizes are known before their bytes, so nothing is kept in memory.

const blockBytes = 512
/** Two empty blocks. */
export const tarEnd = Buffer.alloc(2 * blockBytes)

/** `name`: at most 100 bytes of ASCII. `sizeBytes`: below 8 GiB. `modifiedAt`: milliseconds since the epoch. */
export function tarHeader(entry: {
  readonly name: string
  readonly sizeBytes: number
  readonly modifiedAt: number
}): Buffer {
  const { name, sizeBytes, modifiedAt } = entry
  if (!/^[\x21-\x7e]{1,100}$/.test(name) || sizeBytes >= 8 ** 11) throw new RangeError(`tar has no ${name}`)
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(sizeBytes, 11), 124)
  header.write(octal(Math.floor(modifiedAt / 1_000), 11), 136)
  // The checksum is computed as if its own field were spaces.
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** What fills the last block of an entry. */
export const tarPadding = (sizeBytes: number): Buffer =>
  Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes)
