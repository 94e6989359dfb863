// Which updates of the provider keep their order.
import { addressesOf, type Person } from './person.ts'
import type { ProviderUpdate } from './provider-updates.ts'

/** Updates of one key concern one conversation, call, template or account: they are applied in the order of their times. */
export function orderKey(update: ProviderUpdate): string {
  switch (update.type) {
    case 'inboundMessage':
      return `${update.phoneNumberId} ${nameOf(update.from)}`
    case 'messageStatus':
      return `${update.phoneNumberId} ${update.recipient ? nameOf(update.recipient) : update.providerMessageId}`
    case 'userPreference':
    case 'identityChange':
      return `${update.phoneNumberId} ${nameOf(update.person)}`
    case 'callConnect':
    case 'callStatus':
    case 'callTerminate':
      return update.wacid
    case 'templateStatus':
    case 'templateCategory':
    case 'templateContent':
      return `${update.wabaId} ${update.name}`
    case 'accountUpdate':
      return update.wabaId
  }
}

const nameOf = (person: Person): string => addressesOf(person)[0] ?? ''
