// What APP_ENV=production refuses: settings that are good enough for a machine of one's own and for nothing else.
import type { Settings } from './settings.ts'

/** Characters of a secret that somebody chose. The provider's app secret has 32. */
const LEAST_SECRET = 16
const LEAST_CLUSTER_SECRET = 32
/** Random 32 bytes have far more different ones; keys that were typed, or filled up, have fewer. */
const LEAST_DIFFERENT_BYTES = 12

/** One sentence for each setting that is too weak. Only settings that are given are judged. */
export function weaknesses(settings: Settings): string[] {
  const secret = (name: SecretName, least: number) =>
    [settings[name] ?? []].flat().some((one) => one.length < least)
      ? [`${name} must have at least ${least} characters`]
      : []
  const https = (name: 'PROVIDER_BASE_URL' | 'PUBLIC_URL') =>
    settings[name]?.startsWith('http:') ? [`${name} must start with https://`] : []
  return [
    ...(settings.WEBHOOK_TARGETS === 'any' ? ['WEBHOOK_TARGETS=any is refused: unset it'] : []),
    ...(settings.SECRETS_KEY === undefined ? ['SECRETS_KEY is required: 32 random bytes as hex'] : []),
    ...(settings.SECRETS_KEY?.some(({ bytes }) => new Set(bytes).size < LEAST_DIFFERENT_BYTES)
      ? ['SECRETS_KEY must be random: take the output of openssl rand -hex 32']
      : []),
    ...secret('CLUSTER_SECRET', LEAST_CLUSTER_SECRET),
    ...secret('PROVIDER_APP_SECRET', LEAST_SECRET),
    ...secret('PROVIDER_VERIFY_TOKEN', LEAST_SECRET),
    ...secret('TURN_SECRET', LEAST_SECRET),
    ...https('PROVIDER_BASE_URL'),
    ...https('PUBLIC_URL'),
  ]
}

type SecretName = 'CLUSTER_SECRET' | 'PROVIDER_APP_SECRET' | 'PROVIDER_VERIFY_TOKEN' | 'TURN_SECRET'
