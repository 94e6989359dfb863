// Maps replies of a call's owner to errors of the API.
import { AppError, type AppErrorOptions } from '../contract/errors.ts'
import { providerDetails, providerError } from '../contract/provider-refusal.ts'
import type { CallReply, ProviderRefusal } from './call.messages.ts'

export function refuse(reply: CallReply): AppError {
  switch (reply.type) {
    case 'ended':
      return new AppError('CALL_ENDED', 'the call has ended; nothing can be done with it any more')
    case 'notRinging':
      return new AppError(
        'CALL_NOT_RINGING',
        `the call is not a ringing inbound call${toEnd(reply) || '; read the call to see its status'}`,
      )
    case 'alreadyAnswered':
      return new AppError(
        'CALL_ALREADY_ANSWERED',
        'another answer to this call came first; do not answer it again',
      )
    case 'offerUnavailable':
      return new AppError(
        'OFFER_UNAVAILABLE',
        'only a ringing inbound call has an SDP offer to give; read the call to see its status',
      )
    case 'wrongState':
      return new AppError('INVALID_STATE', wrongState(reply))
    case 'refused':
      return providerRefused(reply.error)
    case 'done':
    case 'offer':
      return new AppError('INTERNAL', 'the owner of the call gave an unexpected answer')
  }
}

function wrongState(reply: Extract<CallReply, { type: 'wrongState' }>): string {
  const { status, pending } = reply
  return pending === null
    ? `the call is ${status}, which does not allow this${toEnd(reply)}`
    : `the call is ${status} and ${pending} is still under way; try again when it is over`
}

const toEnd = ({ instead }: { readonly instead?: string }): string =>
  instead === undefined ? '' : `; use ${instead} to end it`

function providerRefused(error: ProviderRefusal): AppError {
  const details = providerDetails(error)
  if (error.class === 'callPermission') return noCallPermission({ details })
  if (error.class === 'invalidSdp')
    return new AppError('INVALID_SDP', 'the provider cannot use this SDP; make a new one and send that', {
      details: [...details, ...(error.details ? [{ path: 'session.sdp', message: error.details }] : [])],
    })
  return providerError('the provider refused', error)
}

export const noCallPermission = (options?: AppErrorOptions): AppError =>
  new AppError(
    'CALL_PERMISSION_REQUIRED',
    'this contact has not granted permission to be called; ask for it first',
    options,
  )
