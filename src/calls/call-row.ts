// Copies of the row of a call.
import type { CallStatus } from '../contract/records/call.ts'
import type { CallProgress, CallRow } from './call.ts'

/** The row with these fields in place of its own. */
export const changedRow = (row: CallRow, change: Partial<CallProgress>): CallRow =>
  copied(row, change, { status: or(change.status, row.status), version: or(change.version, row.version) })

/** The same after a transition, which is the next version. */
export const movedRow = (row: CallRow, status: CallStatus, change: Partial<CallProgress>): CallRow =>
  copied(row, change, { status, version: row.version + 1 })

/**
 * By name, in the order of a new row: a spread of so many fields takes twenty times as long, and a call is copied several
 * times.
 */
const copied = (
  row: CallRow,
  change: Partial<CallProgress>,
  { status, version }: Pick<CallRow, 'status' | 'version'>,
): CallRow => ({
  id: row.id,
  workspaceId: row.workspaceId,
  conversationId: row.conversationId,
  numberId: row.numberId,
  contactId: row.contactId,
  number: row.number,
  phoneNumberId: row.phoneNumberId,
  contactAddress: row.contactAddress,
  userId: row.userId,
  username: row.username,
  createdAt: row.createdAt,
  direction: row.direction,
  fromName: row.fromName,
  status,
  wacid: or(change.wacid, row.wacid),
  version,
  forwardState: or(change.forwardState, row.forwardState),
  forwardStartedAt: or(change.forwardStartedAt, row.forwardStartedAt),
  lastForwardError: or(change.lastForwardError, row.lastForwardError),
  pendingAction: or(change.pendingAction, row.pendingAction),
  actionId: or(change.actionId, row.actionId),
  actionAt: or(change.actionAt, row.actionAt),
  answerHash: or(change.answerHash, row.answerHash),
  doubtHash: or(change.doubtHash, row.doubtHash),
  endReason: or(change.endReason, row.endReason),
  error: or(change.error, row.error),
  ringingAt: or(change.ringingAt, row.ringingAt),
  acceptedAt: or(change.acceptedAt, row.acceptedAt),
  endedAt: or(change.endedAt, row.endedAt),
  durationSeconds: or(change.durationSeconds, row.durationSeconds),
  heardAt: or(change.heardAt, row.heardAt),
  wakeAt: or(change.wakeAt, row.wakeAt),
})

const or = <Value>(value: Value | undefined, otherwise: Value): Value =>
  value === undefined ? otherwise : value
