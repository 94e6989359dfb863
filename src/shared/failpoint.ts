// Named points at which a test kills the process with SIGKILL. The setting FAILPOINT arms one, in
// APP_ENV=test only.

export const failpoints = [
  /** An update is committed. The provider has no response, and the deliveries are not handed over. */
  'after_commit_before_handoff',
  /** A frame or request was sent to an endpoint. Its result is not recorded. */
  'after_send_before_record',
  /** A failed attempt and the time of the next one are recorded. The retry timer is not set. */
  'after_record_before_timer',
  /** The last failure of an endpoint has switched it off. Its owner does not know. */
  'after_switch_off_before_owner',
  /** A message is accepted. The request to the provider is not sent. */
  'after_accept_before_send',
  /** The row says that a request may have been sent. It is not sent. */
  'before_provider_request',
  /** The provider has responded. The row does not have the result. */
  'after_provider_answer',
  /** An answer to a call is claimed. The request to the provider is not sent. */
  'after_intent_before_provider',
] as const

export type Failpoint = (typeof failpoints)[number]

let armed: Failpoint | undefined

export function armFailpoint(name: Failpoint | undefined): void {
  armed = name
}

export function failpoint(name: Failpoint): void {
  if (armed === name) process.kill(process.pid, 'SIGKILL')
}
