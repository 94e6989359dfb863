// Session descriptions as long as those of phones.
import { randomBytes, randomInt } from 'node:crypto'

/** A valid audio session with credentials of its own, filled up with candidates to about `bytes`. */
export function sessionText(type: 'offer' | 'answer', bytes: number): string {
  const fingerprint = (randomBytes(32).toString('hex').toUpperCase().match(/../g) ?? []).join(':')
  let sdp = [
    'v=0',
    `o=- ${randomInt(1, 2 ** 47)} 2 IN IP4 127.0.0.1`,
    's=-',
    't=0 0',
    'm=audio 40012 UDP/TLS/RTP/SAVPF 111',
    'c=IN IP4 127.0.0.1',
    'a=mid:0',
    `a=ice-ufrag:${randomBytes(6).toString('hex')}`,
    `a=ice-pwd:${randomBytes(18).toString('hex')}`,
    `a=fingerprint:sha-256 ${fingerprint}`,
    `a=setup:${type === 'offer' ? 'actpass' : 'active'}`,
    'a=sendrecv',
    'a=rtcp-mux',
    'a=rtpmap:111 opus/48000/2',
    '',
  ].join('\r\n')
  for (let index = 1; sdp.length < bytes; index += 1) sdp += candidate(index)
  return sdp
}

const candidate = (index: number): string =>
  `a=candidate:${3_388_485_749 + index} 1 udp ${2_122_063_615 - index} 203.0.113.${index % 250} ${40_000 + index} typ relay raddr 10.0.0.${index % 250} rport ${50_000 + index} generation 0 network-cost 50\r\n`
