import type { UnappliedReason } from '../../../../contract/inbound-elements.ts'

/** Each reason in the words of the page: short for the list, and what it means. */
export const reasons: Readonly<Record<UnappliedReason, readonly [short: string, long: string]>> = {
  unreadable: ['Not JSON', 'The body of the webhook could not be read.'],
  malformed: ['Incomplete', 'It lacks something that its kind always has.'],
  unknown: ['Unknown kind', 'This version of Switchboard does not know it.'],
  noSender: ['No sender', 'Nothing in it says who sent it.'],
  accountError: ['Account error', 'An error that belongs to no message and no call.'],
  unknownNumber: ['Unknown number', 'The number that it names is not connected.'],
  unknownMessage: ['Unknown message', 'It tells of a message that was not sent from here.'],
  unknownCall: ['Unknown call', 'It tells of a call that is not known here.'],
  unknownAccount: ['Unknown account', 'No workspace has this business account.'],
  unknownTemplate: ['Unknown template', 'The template is not known here, or it told nothing new.'],
  irrelevant: ['Not needed', 'It was understood, and nothing depends on it.'],
}
