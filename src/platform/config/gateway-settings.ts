// What only a gateway asks of its settings, and the address under which it registers its internal port.
import { isIP } from 'node:net'
import { ConfigError, requireSettings } from './config.ts'
import type { Settings } from './settings.ts'

type AddressSettings = Pick<Settings, 'INTERNAL_HOST' | 'INTERNAL_ADDRESS'>

/** Around IPv6 an address has brackets: without them its colons would begin the port. */
export const internalAddress = (settings: AddressSettings, port: number): string =>
  settings.INTERNAL_ADDRESS ??
  `http://${isIP(settings.INTERNAL_HOST) === 6 ? `[${settings.INTERNAL_HOST}]` : settings.INTERNAL_HOST}:${port}`

/** Where one can listen, and where whoever asks reaches itself. */
const wildcards: ReadonlySet<string | undefined> = new Set(['0.0.0.0', '[::]'])

/** A worker may have the same settings without these: it takes no webhooks, and registers no address. */
export function checkGatewaySettings(settings: Settings): void {
  requireSettings(settings, ['PROVIDER_APP_SECRET', 'PROVIDER_VERIFY_TOKEN'])
  if (settings.APP_ENV === 'production') requireSettings(settings, ['PUBLIC_URL'])
  checkInternalAddress(settings)
}

function checkInternalAddress(settings: AddressSettings): void {
  const host = hostIn(internalAddress(settings, 1))
  if (host !== undefined && !wildcards.has(host)) return
  // On one host that is enough, and others reach it over Redis: the registry knows these two spellings.
  if (settings.INTERNAL_ADDRESS === undefined && ['0.0.0.0', '::'].includes(settings.INTERNAL_HOST)) return
  const name = settings.INTERNAL_ADDRESS === undefined ? 'INTERNAL_HOST' : 'INTERNAL_ADDRESS'
  throw new ConfigError(
    `${name}=${settings[name]} is nothing that another gateway could connect to: set INTERNAL_ADDRESS to how the others reach this one, such as http://10.0.0.5:9000`,
  )
}

/** As the parser of URLs writes it: 0 is 0.0.0.0. */
function hostIn(address: string): string | undefined {
  try {
    return new URL(address).hostname
  } catch {
    return undefined
  }
}
