// The customer's side of a call: session descriptions as text, and a real WebRTC peer.
import { randomBytes, randomInt } from 'node:crypto'
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift'

export interface Session {
  readonly sdpType: 'offer' | 'answer'
  readonly sdp: string
}

/** A valid session description with unique credentials. */
export function session(sdpType: 'offer' | 'answer'): Session {
  const fingerprint = randomBytes(32)
    .toString('hex')
    .toUpperCase()
    .replace(/..(?=.)/g, '$&:')
  const sdp = [
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
    `a=setup:${sdpType === 'offer' ? 'actpass' : 'active'}`,
    'a=sendrecv',
    'a=rtcp-mux',
    'a=rtpmap:111 opus/48000/2',
    '',
  ].join('\r\n')
  return { sdpType, sdp }
}

export interface Peer {
  answer(offer: string): Promise<Session>
  /**
   * Sends audio until it comes back; returns what was heard. Empty: the peers have not found each other. A process that
   * stands still for seconds misses the few checks that werift makes.
   */
  hearEcho(): Promise<string>
  close(): Promise<void>
}

/** A peer on loopback with one audio track. */
export function startPeer(): Peer {
  const codec = { mimeType: 'audio/opus', clockRate: 48_000, channels: 2, payloadType: 111 }
  const pc = new RTCPeerConnection({
    iceServers: [],
    iceUseIpv6: false,
    iceInterfaceAddresses: { udp4: '127.0.0.1' },
    iceAdditionalHostAddresses: ['127.0.0.1'],
    codecs: { audio: [new RTCRtpCodecParameters(codec)], video: [] },
  })
  const track = new MediaStreamTrack({ kind: 'audio' })
  let heard: string | undefined
  pc.onTrack.subscribe((remote) => {
    remote.onReceiveRtp.subscribe(({ payload }) => {
      heard = payload.toString()
    })
  })
  return {
    async answer(offer) {
      await pc.setRemoteDescription({ type: 'offer', sdp: offer })
      const [transceiver] = pc.getTransceivers()
      transceiver?.setDirection('sendrecv')
      await transceiver?.sender.replaceTrack(track)
      await pc.setLocalDescription(await pc.createAnswer())
      return { sdpType: 'answer', sdp: pc.localDescription?.sdp ?? '' }
    },
    hearEcho: () => speakUntil(track, () => heard ?? (pc.connectionState === 'failed' ? '' : undefined)),
    close: () => pc.close(),
  }
}

const ECHO_MS = 20_000

/** Sends a packet every 20 ms, as phones do, until something is heard. */
function speakUntil(track: MediaStreamTrack, heard: () => string | undefined): Promise<string> {
  const startedAt = performance.now()
  let sequenceNumber = 0
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      sequenceNumber += 1
      const header = new RtpHeader({ sequenceNumber, timestamp: sequenceNumber * 960, payloadType: 111 })
      track.writeRtp(new RtpPacket(header, Buffer.from(`frame ${sequenceNumber}`)))
      const echo = heard()
      if (echo === undefined && performance.now() - startedAt < ECHO_MS) return
      clearInterval(timer)
      resolve(echo ?? '')
    }, 20)
  })
}
