// Hashes operator passwords with scrypt, off the event loop and with limited concurrency. Stores nothing.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { AppError } from '../contract/errors.ts'
import { createTurns } from '../shared/turns.ts'

export interface PasswordHasher {
  /** `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`. Throws OVERLOADED where too many wait, as does `verify`. */
  hash(password: string): Promise<string>
  /** False without a stored hash, after the same time: the duration must not reveal which e-mails exist. */
  verify(password: string, stored: string | undefined, asker?: Asker): Promise<boolean>
}

/**
 * `known`: whoever is signed in, or was at this browser. They have a line of their own, which strangers cannot fill
 * however many networks they have.
 */
export type Asker = 'known' | 'stranger'

export interface PasswordOptions {
  /** log2 of scrypt's N. Only tests lower it. */
  readonly logN?: number
  /** Of each line. */
  readonly maxWaiting?: number
}

export const passwordLimits = { minLength: 12, maxLength: 256 } as const

interface Parameters {
  readonly logN: number
  readonly r: number
  readonly p: number
}

const SALT_BYTES = 16
const KEY_BYTES = 32
const shape = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/

export function createPasswordHasher(options: PasswordOptions = {}): PasswordHasher {
  const parameters: Parameters = { logN: options.logN ?? 17, r: 8, p: 1 }
  const maxWaiting = options.maxWaiting ?? 8
  // The process has four crypto threads: one for each line leaves two for the rest of the process.
  const line = () =>
    createTurns(1, (waiting) => {
      if (waiting >= maxWaiting)
        throw new AppError('OVERLOADED', 'Too many sign-ins at once; try again shortly.', {
          retryAfterSeconds: 2,
        })
    })
  const lines = { known: line(), stranger: line() }
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return format(parameters, salt, await lines.known(() => derive(password, salt, parameters)))
    },
    async verify(password, stored, asker = 'stranger') {
      const known = stored === undefined ? undefined : parse(stored)
      const salt = known?.salt ?? randomBytes(SALT_BYTES)
      const derived = await lines[asker](() => derive(password, salt, known?.parameters ?? parameters))
      return known !== undefined && timingSafeEqual(derived, known.key)
    },
  }
}

function derive(password: string, salt: Buffer, { logN, r, p }: Parameters): Promise<Buffer> {
  const N = 2 ** logN
  // Keyboards send an umlaut either as one character or as two, so normalise it.
  const text = password.normalize('NFKC')
  return new Promise((resolve, reject) => {
    scrypt(text, salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const format = ({ logN, r, p }: Parameters, salt: Buffer, key: Buffer): string =>
  `$scrypt$ln=${logN},r=${r},p=${p}$${unpadded(salt)}$${unpadded(key)}`

function parse(stored: string): { parameters: Parameters; salt: Buffer; key: Buffer } {
  const match = shape.exec(stored)
  const [, logN, r, p, salt = '', key = ''] = match ?? []
  const parsed = { salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
  if (!match || parsed.key.length !== KEY_BYTES) throw new TypeError('a stored password hash is malformed')
  return { parameters: { logN: Number(logN), r: Number(r), p: Number(p) }, ...parsed }
}
