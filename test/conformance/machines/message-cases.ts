import { createReadMarkStore } from '../../../src/messaging/store/read-marks.store.ts'
import { type MessageId, newId } from '../../../src/shared/ids.ts'
import { startOf, testAccounts, testMessageStore } from '../../support/message-store.ts'
import {
  changeStatus,
  type Driven,
  error,
  finish,
  finishEach,
  lose,
  placeMessage,
  sending,
  statuses,
  verdicts,
} from './driven.ts'

const sends = 'messaging/store/sends.store.ts'
const updates = 'messaging/store/message-updates.store.ts'
const sendPlaces = placeMessage((sendState) => ({ ...sending, sendState }))

export const messageCases: Driven[] = [
  ...statuses.map(
    (status): Driven => ({
      ...{ file: updates, name: `changeStatuses to ${status}`, machine: 'outbound' },
      place: placeMessage((state) => ({ ...sending, status: state })),
      run: changeStatus(status),
    }),
  ),
  {
    ...{ file: updates, name: 'changeStatuses', machine: 'send', place: sendPlaces },
    run: changeStatus('SENT'),
  },
  {
    ...{ file: sends, name: 'a refusal', machine: 'outbound' },
    place: placeMessage((status) => ({ ...sending, status })),
    run: finish('single', { type: 'failed', error }),
  },
  {
    ...{ file: sends, name: 'startSending', machine: 'send', place: sendPlaces },
    run: (sql, { id }) => testMessageStore(sql).startSending(startOf(id as MessageId)),
  },
  ...verdicts.map(
    (verdict): Driven => ({
      ...{ file: sends, machine: 'send', place: sendPlaces },
      name: `finishSend ${JSON.stringify(verdict.type)} ${'held' in verdict && verdict.held ? 'held' : ''}`,
      run: finish('single', verdict),
    }),
  ),
  { ...{ file: sends, name: 'all outcomes', machine: 'send', place: sendPlaces }, run: finishEach('single') },
  { ...{ file: sends, name: 'lostSends', machine: 'send', place: sendPlaces }, run: lose },
  {
    ...{ file: 'messaging/store/read-marks.store.ts', name: 'markUpTo', machine: 'inbound' },
    place: placeMessage((status) => ({ direction: 'INBOUND', status, providerMessageId: newId('message') })),
    run: async (sql, { id, thread: own }) => {
      const target = {
        ...{
          id: id as MessageId,
          conversationId: own?.conversationId as never,
          direction: 'INBOUND' as const,
        },
        ...{ isUnread: true, providerMessageId: '', createdAt: new Date(Date.now() + 60_000), account: null },
      } as const
      await createReadMarkStore(sql, testAccounts).markUpTo(target)
    },
  },
]
