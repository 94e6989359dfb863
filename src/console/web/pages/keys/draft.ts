// What the form of an API key sends.
import type { KeyRecord } from '../../../../contract/records/console.ts'
import type { Scope } from '../../../../contract/scopes.ts'

interface Draft {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly rate: string
  readonly ips: string
}

type Fields = Pick<KeyRecord, 'name' | 'scopes' | 'requestsPerSecond' | 'allowedIps'>

/** An empty rate is refused by the server: it is neither the default nor 0, which would set no limit. */
export const bodyOf = ({ name, scopes, rate, ips }: Draft) => ({
  name,
  scopes,
  requestsPerSecond: rate.trim() === '' ? null : Number(rate),
  allowedIps: ips.split(/[\s,]+/).filter((one) => one !== ''),
})

/** Only what changed, except the name: the server asks for the password before it changes the rest. */
export const changesOf = (
  record: Fields,
  { name, scopes, requestsPerSecond, allowedIps }: ReturnType<typeof bodyOf>,
) => ({
  name,
  ...(scopes.join() !== record.scopes.join() && { scopes }),
  ...(requestsPerSecond !== record.requestsPerSecond && { requestsPerSecond }),
  ...(allowedIps.join() !== record.allowedIps.join() && { allowedIps }),
})
