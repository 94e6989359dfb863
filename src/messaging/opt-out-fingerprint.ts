// The key under which opt-outs of erased contacts are kept, prepared for HMAC-SHA256 in SQL.

/** The two keyed blocks of HMAC (RFC 2104): sha256(outer, sha256(inner, text)). 64 bytes each. */
export interface FingerprintKey {
  readonly inner: Buffer
  readonly outer: Buffer
}

const blockBytes = 64

/** `key`: at most 64 bytes. */
export function fingerprintKeyOf(key: Uint8Array): FingerprintKey {
  if (key.length > blockBytes) throw new TypeError('the key is longer than a block')
  const padded = Buffer.alloc(blockBytes)
  padded.set(key)
  const blended = (pad: number) => Buffer.from(padded.map((byte) => byte ^ pad))
  return { inner: blended(0x36), outer: blended(0x5c) }
}
