// A customer calls: the provider's connect webhook comes in, call.ringing goes out. A call ends 300 ms later.
import { newWacid, unixSeconds } from '../../src/simulator/ids.ts'
import { offeringPeer } from '../../src/simulator/real-peer.ts'
import { stampSdp } from '../../src/simulator/sdp.ts'
import { callUpdate } from '../../src/simulator/webhook-payloads.ts'
import { businessNumber, contactOf, numberOf, type Scenario, shot, slots } from './scenario.ts'

const endsAfterMs = 300
const offerBytes = 2_500

export const ringing: Scenario = {
  name: 'ringing',
  event: 'call.ringing',
  // call.status with RINGING and with MISSED.
  furtherFrames: 2,
  async plan(options) {
    const offer = await offerText()
    const shots = slots(options).flatMap(({ atMs, role }, index) => {
      const number = businessNumber(numberOf(options, index))
      const contact = contactOf(index % options.contacts)
      const id = newWacid()
      const shared = { id, from: contact.waId, to: number.digits, direction: 'USER_INITIATED' }
      const connect = callUpdate(number, contact, {
        ...shared,
        event: 'connect',
        timestamp: unixSeconds(Date.now() + atMs),
        session: { sdp_type: 'offer', sdp: stampSdp(offer) },
      })
      const endsAtMs = atMs + endsAfterMs
      const terminate = callUpdate(number, contact, {
        ...shared,
        event: 'terminate',
        timestamp: unixSeconds(Date.now() + endsAtMs),
        status: 'COMPLETED',
      })
      return [
        shot(options, connect, { id, atMs, role }),
        shot(options, terminate, { id, atMs: endsAtMs, role: 'follow' }),
      ]
    })
    return shots.sort((a, b) => a.atMs - b.atMs)
  },
}

/** The simulator's offer with added candidates: as long as the offer of a phone with several networks. */
async function offerText(): Promise<string> {
  const peer = await offeringPeer()
  peer.close()
  const candidate = (index: number) =>
    `a=candidate:${3_388_485_749 + index} 1 udp ${2_122_063_615 - index} 203.0.113.${index} ${40_000 + index} typ relay raddr 10.0.0.${index} rport ${50_000 + index} generation 0 network-cost 50\r\n`
  let sdp = peer.sdp
  for (let index = 1; sdp.length < offerBytes; index += 1) sdp += candidate(index)
  return sdp
}
