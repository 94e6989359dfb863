// Named instants at which a test wants the process to die as by kill -9. Armed by one setting, in APP_ENV=test only.

export const failpoints = [
  /** An inbound message or call is committed; the provider has no answer yet, nobody was told. */
  'after_commit_before_handoff',
  /** A frame or request has gone out; what came of it is not written. */
  'after_send_before_record',
  /** A failed attempt is written with its next time; its timer is not set. */
  'after_record_before_timer',
  /** An endpoint's last failure has switched it off; its owner does not know. */
  'after_switch_off_before_owner',
  /** A message is accepted; the provider was not asked. */
  'after_accept_before_send',
  /** The row says that a request may be on the wire; it is not. */
  'before_provider_request',
  /** The provider has answered; the row does not know. */
  'after_provider_answer',
  /** An answer to a call is claimed; the provider was not asked. */
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
