// The table of call statuses: the only definition of which status may follow. A call never moves backwards.
import type { CallStatus } from '../contract/records/call.ts'
import type { Direction } from '../contract/records/message.ts'
import { canMove, isTerminal, type Machine } from '../shared/machine.ts'

const ends = {
  COMPLETED: [],
  MISSED: [],
  DECLINED: [],
  REJECTED: [],
  NO_ANSWER: [],
  CANCELLED: [],
  FAILED: [],
} as const satisfies Partial<Machine<CallStatus>>

export const callMachines: Readonly<Record<Direction, Machine<CallStatus>>> = {
  INBOUND: {
    ...ends,
    // An inbound call begins as RINGING and is never INITIATED.
    INITIATED: [],
    RINGING: ['ACCEPTED', 'MISSED', 'DECLINED', 'FAILED'],
    ACCEPTED: ['COMPLETED', 'FAILED'],
  },
  OUTBOUND: {
    ...ends,
    INITIATED: ['RINGING', 'ACCEPTED', 'REJECTED', 'NO_ANSWER', 'CANCELLED', 'FAILED'],
    RINGING: ['ACCEPTED', 'REJECTED', 'NO_ANSWER', 'CANCELLED', 'FAILED'],
    ACCEPTED: ['COMPLETED', 'FAILED'],
  },
}

interface Standing {
  readonly direction: Direction
  readonly status: CallStatus
}

export const mayBecome = (call: Standing, to: CallStatus): boolean =>
  canMove(callMachines[call.direction], call.status, to)

export const hasEnded = (call: Standing): boolean => isTerminal(callMachines[call.direction], call.status)

/** Why a call ended, in addition to its status; shown as `endReason`. */
export type EndReason =
  | 'CALLER_GAVE_UP'
  | 'TIMEOUT'
  | 'FORWARD_FAILED'
  | 'DECLINED'
  | 'CUSTOMER_DECLINED'
  | 'RANG_OUT'
  | 'WORKSPACE_HUNG_UP'
  | 'HUNG_UP'
  | 'PROVIDER_ERROR'
  | 'OUTCOME_UNKNOWN'
