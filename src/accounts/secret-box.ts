// Encrypts secrets at rest with AES-256-GCM under keys that rotate. Never stores or logs anything.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export interface SecretBoxKey {
  readonly id: string
  /** 32 bytes. */
  readonly bytes: Uint8Array
}

export interface SecretBox {
  seal(text: string): Buffer
  /** Throws `SecretBoxError` where no key fits or the bytes were changed. */
  open(sealed: Uint8Array): string
  /** The same secret under the first key; undefined where that key sealed it. Throws as `open` does. */
  reseal(sealed: Uint8Array): Buffer | undefined
}

/** `unknownKey`: no key here has its id. `damaged`: a key has, but does not open it, or it was never sealed. */
export type SecretFault = 'unknownKey' | 'damaged'

export class SecretBoxError extends Error {
  readonly fault: SecretFault
  /** As written before the sealed bytes, readable without any key. Undefined where nothing like it is there. */
  readonly keyId: string | undefined

  constructor(message: string, fault: SecretFault, keyId?: string) {
    super(message)
    this.fault = fault
    this.keyId = keyId
  }
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * The first key seals, and every key opens: to rotate, put the new key first. Sealed bytes are version,
 * length of the key id, key id, nonce, ciphertext, tag; everything before the nonce is authenticated too.
 */
export function createSecretBox(keys: readonly SecretBoxKey[]): SecretBox {
  const [sealing] = keys
  if (!sealing) throw new TypeError('a secret box needs a key')
  for (const key of keys) checkKey(key)
  return {
    seal: (text) => sealWith(sealing, text),
    open: (sealed) => openWithAny(keys, sealed).text,
    reseal(sealed) {
      const { key, text } = openWithAny(keys, sealed)
      return key === sealing ? undefined : sealWith(sealing, text)
    },
  }
}

function sealWith(key: SecretBoxKey, text: string): Buffer {
  const header = headerOf(key.id)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(header)
  const sealed = [cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([header, nonce, ...sealed, cipher.getAuthTag()])
}

function openWithAny(keys: readonly SecretBoxKey[], sealed: Uint8Array): { key: SecretBoxKey; text: string } {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  const id = keyIdOf(bytes)
  // Keys that are configured without an id share one id, so try each of them.
  const named = keys.filter((key) => key.id === id)
  for (const key of named) {
    const text = openWith(key, bytes)
    if (text !== undefined) return { key, text }
  }
  const fault = named.length === 0 ? 'unknownKey' : 'damaged'
  throw new SecretBoxError(`no key opens what was sealed under key id "${id}"`, fault, id)
}

function checkKey(key: SecretBoxKey): void {
  if (key.bytes.length !== 32) throw new TypeError(`key ${key.id} is not 32 bytes long`)
  if (!/^[\w-]{1,16}$/.test(key.id)) throw new TypeError('a key id is 1 to 16 letters, digits, _ or -')
}

const headerOf = (id: string): Buffer => Buffer.from([VERSION, id.length, ...Buffer.from(id, 'ascii')])

function keyIdOf(bytes: Buffer): string {
  const idEnd = 2 + (bytes[1] ?? 0)
  if (bytes[0] !== VERSION || bytes.length < idEnd + NONCE_BYTES + TAG_BYTES)
    throw new SecretBoxError('these bytes were not sealed here', 'damaged')
  return bytes.toString('ascii', 2, idEnd)
}

function openWith(key: SecretBoxKey, bytes: Buffer): string | undefined {
  const header = headerOf(key.id)
  const nonceEnd = header.length + NONCE_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(header.length, nonceEnd), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(header).setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const opened = decipher.update(bytes.subarray(nonceEnd, -TAG_BYTES))
    return Buffer.concat([opened, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
