import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters } from 'werift'
import { asProviderSdp, renameMid, withProviderDigits } from './sdp.ts'

/** One WebRTC peer on the provider's side of a call: ICE-lite, loopback only, echoing what it hears. */
export type RealPeer = {
  /** Our description, in the provider's shape. */
  readonly sdp: string
  readonly facts: () => Readonly<{ connection: string; packetsHeard: number; packetsEchoed: number }>
  /** Applies the answer to our offer. */
  acceptAnswer(sdp: string): Promise<void>
  /** Until the call is answered nothing is echoed. */
  startEcho(): void
  close(): void
}

const CODECS = () => [
  new RTCRtpCodecParameters({
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    payloadType: 111,
    parameters: 'minptime=10;useinbandfec=1',
  }),
  new RTCRtpCodecParameters({ mimeType: 'audio/telephone-event', clockRate: 8000, payloadType: 126 }),
]

// The sockets bind to 127.0.0.1; candidates of other interfaces are also gathered and then left out of the text.
const connection = (): RTCPeerConnection =>
  new RTCPeerConnection({
    iceLite: true,
    iceServers: [],
    iceUseIpv6: false,
    iceUseTcp: false,
    iceInterfaceAddresses: { udp4: '127.0.0.1' },
    iceAdditionalHostAddresses: ['127.0.0.1'],
    codecs: { audio: CODECS(), video: [] },
    headerExtensions: { audio: [], video: [] },
  })

function echoing(pc: RTCPeerConnection, track: MediaStreamTrack) {
  const counts = { heard: 0, echoed: 0 }
  let live = false
  pc.onTrack.subscribe((remote) => {
    remote.onReceiveRtp.subscribe((packet) => {
      counts.heard += 1
      if (!live) return
      counts.echoed += 1
      track.writeRtp(packet.clone())
    })
  })
  return {
    facts: () => ({
      connection: pc.connectionState,
      packetsHeard: counts.heard,
      packetsEchoed: counts.echoed,
    }),
    startEcho: () => {
      live = true
    },
    close: () => {
      track.stop()
      pc.close().catch(() => undefined)
    },
  }
}

/** A peer that offers, for a call from the handset. */
export async function offeringPeer(): Promise<RealPeer> {
  const pc = connection()
  const track = new MediaStreamTrack({ kind: 'audio' })
  pc.addTransceiver(track, { direction: 'sendrecv' })
  const peer = echoing(pc, track)
  await pc.setLocalDescription(await pc.createOffer())
  return {
    ...peer,
    sdp: renameMid(asProviderSdp(pc.localDescription?.sdp ?? ''), '0', 'audio'),
    acceptAnswer: (sdp) => pc.setRemoteDescription({ type: 'answer', sdp: renameMid(sdp, 'audio', '0') }),
  }
}

/** A peer that answers the business's offer, for a call to the handset. */
export async function answeringPeer(offer: string): Promise<RealPeer> {
  const pc = connection()
  const track = new MediaStreamTrack({ kind: 'audio' })
  const peer = echoing(pc, track)
  await pc.setRemoteDescription({ type: 'offer', sdp: withProviderDigits(offer) })
  const transceiver = pc.getTransceivers()[0]
  if (transceiver === undefined) throw new Error('the offer has no media')
  transceiver.setDirection('sendrecv')
  await transceiver.sender.replaceTrack(track)
  await pc.setLocalDescription(await pc.createAnswer())
  return {
    ...peer,
    sdp: asProviderSdp(pc.localDescription?.sdp ?? ''),
    acceptAnswer: () => Promise.reject(new Error('this peer has answered already')),
  }
}
