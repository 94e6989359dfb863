// Call signalling: five actions on one path.
import * as v from 'valibot'
import type { Provider, ProviderAccount } from '../../contract/provider.ts'
import type { ProviderErrorClass } from '../../contract/provider-errors.ts'
import type { Judge } from './answer.ts'
import type { Ask } from './ask.ts'
import { Done, toPerson } from './messages.ts'

type CallOperations = Pick<Provider, 'placeCall' | 'preAccept' | 'accept' | 'reject' | 'terminate'>

const Placed = v.pipe(
  v.object({ calls: v.looseTuple([v.object({ id: v.pipe(v.string(), v.nonEmpty()) })]) }),
  v.transform(({ calls: [call] }) => ({ wacid: call.id })),
)

export function callOperations(ask: Ask): CallOperations {
  const act = <T>(
    account: ProviderAccount,
    body: Readonly<Record<string, unknown>> & { readonly action: string },
    rules: { readonly schema: v.GenericSchema<unknown, T>; readonly judge: Judge },
  ) =>
    ask(account, {
      operation: `call.${body.action}`,
      pool: 'calls',
      method: 'POST',
      path: [account.phoneNumberId, 'calls'],
      body: { messaging_product: 'whatsapp', ...body },
      ...rules,
    })

  return {
    placeCall: (account, { to, sdp, opaque }) =>
      act(
        account,
        {
          action: 'connect',
          ...toPerson(to),
          session: session('offer', sdp),
          biz_opaque_callback_data: opaque,
        },
        { schema: Placed, judge: judgeSession },
      ),

    preAccept: (account, wacid, sdp) =>
      act(
        account,
        { action: 'pre_accept', call_id: wacid, session: session('answer', sdp) },
        { schema: Done, judge: judgeAnswer },
      ),

    accept: (account, wacid, sdp, opaque) =>
      act(
        account,
        {
          action: 'accept',
          call_id: wacid,
          session: session('answer', sdp),
          ...(opaque !== undefined && { biz_opaque_callback_data: opaque }),
        },
        { schema: Done, judge: judgeAnswer },
      ),

    reject: (account, wacid) =>
      act(account, { action: 'reject', call_id: wacid }, { schema: Done, judge: judgeCall }),

    terminate: (account, wacid) =>
      act(account, { action: 'terminate', call_id: wacid }, { schema: Done, judge: judgeCall }),
  }
}

const session = (type: 'offer' | 'answer', sdp: string) => ({ sdp_type: type, sdp })

// "Invalid parameter": the provider uses these codes for a bad SDP, for a call that is over and for any other bad
// parameter. Only the explanation differs.
const AMBIGUOUS = [100, 131009]
const IN_PROGRESS = /in progress|already (been )?(accepted|answered)/i
const OVER =
  /\bcall\b[^.]*\b(ended|is over|terminated|hung up|no longer)\b|\bcall(_id| id)?\b[^.]*\bnot (found|exist|active)\b|\b(invalid|unknown) call(_id| id)\b/i

const judgeSession: Judge = (code, explanation) =>
  AMBIGUOUS.includes(code) && /sdp|fingerprint|\bice\b|ice-|dtls|codec/i.test(explanation)
    ? 'invalidSdp'
    : undefined

function judgeCall(code: number, explanation: string): ProviderErrorClass | undefined {
  if (!AMBIGUOUS.includes(code)) return undefined
  if (IN_PROGRESS.test(explanation)) return 'callAnswered'
  // What says nothing of an ended call is an ordinary refusal: the call may well be live.
  return OVER.test(explanation) ? 'callGone' : undefined
}

const judgeAnswer: Judge = (code, explanation) =>
  judgeSession(code, explanation) ?? judgeCall(code, explanation)
