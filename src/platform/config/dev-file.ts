// Reads and writes dev.json, the state that development starts keep. Only the owner can read the file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Written for programs that control a development start from outside. */
export interface DevFile {
  readonly apiUrl: string
  readonly consoleUrl: string
  readonly simulatorUrl: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly workspaceId: string
  readonly apiKey: string
  readonly operator: { readonly email: string; readonly password: string }
  readonly numbers: readonly {
    readonly id: string
    readonly number: string
    readonly phoneNumberId: string
  }[]
  readonly provider: { readonly webhookUrl: string; readonly appSecret: string; readonly verifyToken: string }
}

const privateFile = { mode: 0o600 } as const

export function readDevFile(dataDir: string): DevFile | undefined {
  const path = join(dataDir, 'dev.json')
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as DevFile
  } catch {
    // A start was killed while it wrote the file. The caller creates a new demo workspace.
    return undefined
  }
}

export const writeDevFile = (dataDir: string, dev: DevFile): void =>
  writeFileSync(join(dataDir, 'dev.json'), `${JSON.stringify(dev, null, 2)}\n`, privateFile)
