// What a call asks of the provider and sends to endpoints, and the answers in the words of calls.
import type { CallEffect, ForwardOutcome, ProviderOutcome } from '../calls/call.messages.ts'
import type { DirectSender } from '../calls/ports.ts'
import type { Provider, ProviderAccount, ProviderResult } from '../contract/provider.ts'
import { encodeId, type WorkspaceId } from '../shared/ids.ts'

export interface CallRequestsOptions {
  readonly provider: Provider
  readonly accounts: (workspaceId: WorkspaceId, phoneNumberId: string) => Promise<ProviderAccount | null>
}

type Asking = Extract<CallEffect, { type: 'askProvider' }>

/** Rejects where the account cannot be read: nothing was asked then. */
export function createCallRequests({ provider, accounts }: CallRequestsOptions) {
  return async (effect: Asking): Promise<ProviderOutcome> => {
    const { call } = effect
    const account = await accounts(call.workspaceId, call.phoneNumberId)
    return account === null
      ? { type: 'notSent', error: noToken }
      : outcomeOf(await send(provider, account, effect))
  }
}

/** A direct event, to one endpoint or several; any failure is worth seeing beside the call. */
export async function forwardTo(
  direct: DirectSender,
  effect: Extract<CallEffect, { type: 'forward' }>,
): Promise<ForwardOutcome> {
  const { event: kind, workspaceId } = effect
  const body = Buffer.from(effect.body)
  const headers = effect.answerBy === null ? {} : { 'x-communication-answer-by': effect.answerBy }
  const outcomes = await Promise.all(
    effect.endpointIds.map(async (endpointId): Promise<ForwardOutcome> => {
      const sent = await direct
        .send({ endpointId, workspaceId, kind, body, headers })
        .catch((error: unknown) => ({ type: 'failed', code: 'INTERNAL', message: String(error) }) as const)
      return sent.type === 'delivered' ? sent : { ...sent, endpointId }
    }),
  )
  return outcomes.find((one) => one.type === 'failed') ?? { type: 'delivered' }
}

type Answer = Promise<ProviderResult<{ readonly wacid: string } | null>>

function send(provider: Provider, account: ProviderAccount, effect: Asking): Answer {
  // Ours, in the webhooks of the call: they find it before the provider's own id is known here.
  const opaque = encodeId('call', effect.call.id)
  switch (effect.request) {
    case 'place':
      return provider.placeCall(account, { to: effect.call.contactWaId, sdp: effect.sdp, opaque })
    case 'preAccept':
      return provider.preAccept(account, effect.wacid, effect.sdp)
    case 'accept':
      return provider.accept(account, effect.wacid, effect.sdp, opaque)
    case 'reject':
      return provider.reject(account, effect.wacid)
    case 'terminate':
      return provider.terminate(account, effect.wacid)
  }
}

function outcomeOf(result: ProviderResult<{ readonly wacid: string } | null>): ProviderOutcome {
  if (result.type !== 'ok') {
    const { code, title, details, class: kind } = result.error
    return { type: result.type, error: { code, title, details, class: kind } }
  }
  return result.value === null ? { type: 'ok' } : { type: 'ok', wacid: result.value.wacid }
}

const noToken = {
  code: 'NO_PROVIDER_TOKEN',
  title: 'the workspace has no access token of the provider',
  details: null,
  class: 'account',
} as const

export const notAsked = {
  code: 'UNAVAILABLE',
  title: 'the provider could not be asked',
  details: null,
  class: 'retry',
} as const
