// Reads and validates all settings from the environment. The only reader of process.env.
import * as v from 'valibot'
import { weaknesses } from './production.ts'
import { type SettingName, type Settings, settingsSchema } from './settings.ts'

/** A wrong setting stops the start. The message names it. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

export function loadSettings(environment: Environment = process.env): Settings {
  if (environment['NODE_ENV'] === 'production' && !environment['APP_ENV'])
    throw new ConfigError('NODE_ENV=production does not decide: set APP_ENV to production, or to development')
  const problems: string[] = []
  const entries = Object.entries(settingsSchema).map(([name, row]) => {
    const text = environment[name] || ('default' in row ? row.default : undefined)
    if (text === undefined) return [name, undefined]
    const parsed = v.safeParse(row.schema, text)
    if (parsed.success) return [name, parsed.output]
    problems.push(
      `${name} ${parsed.issues[0].message}${'secret' in row ? '' : ` (it is ${JSON.stringify(text)})`}`,
    )
    return [name, undefined]
  })
  if (problems.length > 0) throw new ConfigError(`wrong settings: ${problems.join('; ')}`)
  const settings = Object.freeze(Object.fromEntries(entries)) as Settings
  checkTogether(settings)
  return settings
}

/** Throws a ConfigError if one of these settings is missing, such as the app secret for a gateway. */
export function requireSettings<Name extends SettingName>(
  settings: Settings,
  names: readonly Name[],
): { [Key in Name]: NonNullable<Settings[Key]> } {
  const missing = names.filter((name) => settings[name] === undefined)
  if (missing.length > 0) throw new ConfigError(`missing settings: set ${missing.join(', ')}`)
  return settings as { [Key in Name]: NonNullable<Settings[Key]> }
}

/** Every setting, with secrets hidden, for the log at startup. */
export function describeSettings(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settingsSchema)
      .filter(([name]) => settings[name as SettingName] !== undefined)
      .map(([name, row]) => [name, 'secret' in row ? '(hidden)' : settings[name as SettingName]]),
  )
}

/** Set all of them or none: without them, blobs are files. The region has a default. */
export const s3Settings = [
  'BLOBS_S3_ENDPOINT',
  'BLOBS_S3_BUCKET',
  'BLOBS_S3_ACCESS_KEY_ID',
  'BLOBS_S3_SECRET_ACCESS_KEY',
] as const

function checkObjectStore(settings: Settings): void {
  const given = [...s3Settings, 'BLOBS_S3_REGION' as const].filter((name) => settings[name] !== undefined)
  if (given.length === 0) return
  const { BLOBS_S3_ENDPOINT } = requireSettings(settings, s3Settings)
  const { username, password, search, hash } = new URL(BLOBS_S3_ENDPOINT)
  // The endpoint is logged at startup, so it must not contain secrets.
  if (username || password || search || hash)
    throw new ConfigError('BLOBS_S3_ENDPOINT must have no credentials, query or fragment')
}

function checkTogether(settings: Settings): void {
  checkObjectStore(settings)
  const weak = settings.APP_ENV === 'production' ? weaknesses(settings) : []
  if (weak.length > 0) throw new ConfigError(`with APP_ENV=production: ${weak.join('; ')}`)
  if (settings.FAILPOINT !== undefined && settings.APP_ENV !== 'test')
    throw new ConfigError('FAILPOINT is for APP_ENV=test: unset it')
  if (settings.ICE_SERVERS.some((url) => url.startsWith('turn')) && !settings.TURN_SECRET?.length)
    throw new ConfigError('TURN_SECRET is required where ICE_SERVERS lists a turn: or turns: URL')
  checkTimes(settings)
}

function checkTimes(settings: Settings): void {
  if (settings.GUARD >= settings.HANDOVER_SILENCE)
    throw new ConfigError(
      'GUARD must be shorter than HANDOVER_SILENCE, or two gateways could act for one endpoint',
    )
  if (2 * settings.SESSION_RENEW > settings.SESSION_TTL)
    throw new ConfigError(
      'SESSION_RENEW must be at most half of SESSION_TTL, or one late renewal ends the session',
    )
  if (2 * settings.DRAIN_GRACE > settings.DRAIN_TIMEOUT)
    throw new ConfigError(
      'DRAIN_GRACE must be at most half of DRAIN_TIMEOUT, or the process ends before its work has',
    )
}
