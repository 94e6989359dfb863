// The keys of a process, derived or stored: for sealing secrets, and for requests between nodes.
import { createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../platform/config/config.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { createSecretBox, type SecretBox, SecretBoxError, type SecretFault } from '../secret-box.ts'

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
  /**
   * Every secret that this process has in common with others: CLUSTER_SECRET if it is set, and one from each key.
   * So setting it, and rotating either, leaves two processes that share a key with a common secret.
   */
  readonly cluster: readonly string[]
  /** Sign the cookies of known devices; one for each key of SECRETS_KEY, in their order. */
  readonly devices: readonly Buffer[]
}

export function processSecrets(settings: Settings): ProcessSecrets {
  const keys = settings.SECRETS_KEY ?? [
    { id: '1', bytes: Buffer.from(developmentSecretsKey(settings.DATA_DIR), 'hex') },
  ]
  if (keys.length === 0) throw new ConfigError('SECRETS_KEY holds no key')
  const derived = keys.map(({ bytes }) => createHmac('sha256', bytes).update('cluster').digest('hex'))
  return {
    box: createSecretBox(keys),
    cluster: [...(settings.CLUSTER_SECRET ?? []), ...derived],
    devices: keys.map(({ bytes }) => createHmac('sha256', bytes).update('devices').digest()),
  }
}

export interface SecretFailure {
  readonly operation: 'open' | 'seal'
  readonly fault: SecretFault | 'failed'
  /** The id of the key that sealed it. */
  readonly keyId: string | undefined
}

/** Reports each failure of the box, and throws it on: a process with the wrong keys must not fail in silence. */
export function reportFailures(box: SecretBox, report: (failure: SecretFailure) => void): SecretBox {
  const watched = <T>(operation: SecretFailure['operation'], work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const known = error instanceof SecretBoxError ? error : undefined
      report({ operation, fault: known?.fault ?? 'failed', keyId: known?.keyId })
      throw error
    }
  }
  return {
    seal: (text) => watched('seal', () => box.seal(text)),
    open: (sealed) => watched('open', () => box.open(sealed)),
    reseal: (sealed) => watched('open', () => box.reseal(sealed)),
  }
}
