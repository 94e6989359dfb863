// A customer writes: the provider's webhook comes in, message.received goes out.
import { newWamid, unixSeconds } from '../../src/simulator/ids.ts'
import { messageUpdate } from '../../src/simulator/webhook-payloads.ts'
import { businessNumber, contactOf, numberOf, type Scenario, shot, slots } from './scenario.ts'

export const event: Scenario = {
  name: 'event',
  event: 'message.received',
  furtherFrames: 0,
  plan(options) {
    const shots = slots(options).map(({ atMs, role }, index) => {
      const number = numberOf(options, index)
      const contact = contactOf(index % options.contacts)
      const id = newWamid()
      // message.received has our message id, not the provider's. The id in the text joins webhook and frame.
      const update = messageUpdate(businessNumber(number), contact, {
        from: contact.waId,
        id,
        timestamp: unixSeconds(Date.now() + atMs),
        type: 'text',
        text: { body: `Is my order ready? ${id}` },
      })
      return shot(options, update, { id, atMs, role: number.isBystander ? 'load' : role })
    })
    return Promise.resolve(shots)
  },
}
