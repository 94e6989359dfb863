// The keys of a process, derived or stored: for sealing secrets, and for requests between nodes.
import { createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../platform/config/config.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { createSecretBox, type SecretBox } from '../secret-box.ts'

/**
 * The key of a development start, created once and stored beside the data that it seals. `wx`: when two
 * processes start at once, one writes the key and both read it.
 */
export function developmentSecretsKey(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'secrets.key')
  try {
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(path, 'utf8').trim()
}

export interface ProcessSecrets {
  readonly box: SecretBox
  /** The same on every process with the same SECRETS_KEY. */
  readonly cluster: string
  /** Sign the cookies of known devices; one for each key of SECRETS_KEY, in their order. */
  readonly devices: readonly Buffer[]
}

export function processSecrets(settings: Settings): ProcessSecrets {
  const keys = settings.SECRETS_KEY ?? [
    { id: '1', bytes: Buffer.from(developmentSecretsKey(settings.DATA_DIR), 'hex') },
  ]
  const [first] = keys
  if (!first) throw new ConfigError('SECRETS_KEY holds no key')
  return {
    box: createSecretBox(keys),
    cluster: settings.CLUSTER_SECRET ?? createHmac('sha256', first.bytes).update('cluster').digest('hex'),
    devices: keys.map(({ bytes }) => createHmac('sha256', bytes).update('devices').digest()),
  }
}
