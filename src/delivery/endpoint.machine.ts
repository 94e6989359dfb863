// The state machine of endpoints: on, off (by an operator or after failures), or deleted.
import type { Machine } from '../shared/machine.ts'

export type EndpointStanding = 'ON' | 'OFF' | 'DELETED'

export const endpointMachine: Machine<EndpointStanding> = {
  ON: ['OFF', 'DELETED'],
  OFF: ['ON', 'DELETED'],
  DELETED: [],
}
