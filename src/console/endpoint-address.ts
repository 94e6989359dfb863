// Judges the address of an endpoint when an operator enters it; it is judged again at every dial.
import { AppError } from '../contract/errors.ts'
import { judgeUrl, urlRefusals } from '../webhooks/address-rule.ts'
import type { ConsoleServices } from './services.ts'

export interface AllowedAddress {
  /** As it is stored and shown. */
  readonly url: string
  /** What an operator should know though it was accepted. */
  readonly warning: string | undefined
}

const UNRESOLVABLE = 'the resolver does not answer, so nobody checked where the name leads'

/** Refuses with ADDRESS_NOT_ALLOWED and the reason. */
export async function allowedAddress(services: ConsoleServices, text: string): Promise<AllowedAddress> {
  const verdict = judgeUrl(text, services.settings.targets)
  if (verdict.type === 'refused') throw notAllowed(urlRefusals[verdict.reason])
  const { url, host, isLiteral } = verdict.target
  if (isLiteral) return { url, warning: undefined }
  const name = await services.names.judgeHost(host)
  if (name.type === 'refused') throw notAllowed(name.reason)
  if (name.type === 'ok') return { url, warning: undefined }
  if (services.settings.production) throw notAllowed(UNRESOLVABLE)
  return { url, warning: UNRESOLVABLE }
}

const notAllowed = (message: string): AppError =>
  new AppError('ADDRESS_NOT_ALLOWED', `the endpoint cannot be at this address: ${message}`, {
    details: [{ path: 'url', message }],
  })
