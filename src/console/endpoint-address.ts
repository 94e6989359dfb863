// Checks the address of an endpoint when an operator enters it. Every dial checks it again.
import { AppError } from '../contract/errors.ts'
import { judgeUrl, urlRefusals } from '../delivery/address-rule.ts'
import type { ConsoleServices } from './services.ts'

export interface AllowedAddress {
  /** The form that is stored and shown. */
  readonly url: string
  /** For the operator: why the accepted address could not be checked completely. */
  readonly warning: string | undefined
}

const UNRESOLVABLE = 'The resolver does not answer, so nobody checked where the name leads'

/** Throws ADDRESS_NOT_ALLOWED with the reason. */
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
  new AppError('ADDRESS_NOT_ALLOWED', message, {
    details: [{ path: 'url', message }],
  })
