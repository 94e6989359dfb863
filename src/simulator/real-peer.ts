import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift'
import { asProviderSdp, renameMid, withProviderDigits } from './sdp.ts'
import { createEar, FRAME_MS, FRAME_SAMPLES, toneFrames } from './sound.ts'

/** The audio that a handset sends: a tone, or an echo of the received audio. */
export type Saying = Readonly<{ toneHz?: number | undefined }>

/** One WebRTC peer on the provider's side of a call: ICE-lite, loopback only. */
export type RealPeer = {
  /** The local SDP, in the provider's format. */
  readonly sdp: string
  readonly facts: () => Readonly<{
    connection: string
    packetsHeard: number
    packetsEchoed: number
    packetsPlayed: number
    /** The frequency that a handset with a tone currently receives. */
    heardHz: number | null
  }>
  /** Applies the answer to our offer. */
  acceptAnswer(sdp: string): Promise<void>
  /** Starts to send audio. A peer sends nothing before the call is answered. */
  startTalking(): void
  close(): void
}

const OPUS = 111

const CODECS = () => [
  new RTCRtpCodecParameters({
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    payloadType: OPUS,
    parameters: 'minptime=10;useinbandfec=1',
  }),
  new RTCRtpCodecParameters({ mimeType: 'audio/telephone-event', clockRate: 8000, payloadType: 126 }),
]

// The sockets bind to 127.0.0.1. werift also gathers candidates of other interfaces; the SDP text omits them.
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

function talking(pc: RTCPeerConnection, track: MediaStreamTrack, { toneHz }: Saying) {
  const counts = { heard: 0, echoed: 0, played: 0 }
  const ear = toneHz === undefined ? undefined : createEar()
  let live = false
  let timer: NodeJS.Timeout | undefined
  pc.onTrack.subscribe((remote) => {
    remote.onReceiveRtp.subscribe((packet) => {
      counts.heard += 1
      ear?.hear(packet.payload)
      if (!live || ear !== undefined) return
      counts.echoed += 1
      track.writeRtp(packet.clone())
    })
  })
  return {
    facts: () => ({
      connection: pc.connectionState,
      packetsHeard: counts.heard,
      packetsEchoed: counts.echoed,
      packetsPlayed: counts.played,
      heardHz: ear?.hertz() ?? null,
    }),
    startTalking: () => {
      live = true
      if (toneHz !== undefined) timer ??= playTone(track, toneHz, counts)
    },
    close: () => {
      clearInterval(timer)
      track.stop()
      pc.close().catch(() => undefined)
    },
  }
}

/** Sends a frame every 20 ms, even before the remote peer is connected. */
function playTone(track: MediaStreamTrack, toneHz: number, counts: { played: number }): NodeJS.Timeout {
  const nextFrame = toneFrames(toneHz)
  return setInterval(() => {
    const header = new RtpHeader({
      payloadType: OPUS,
      sequenceNumber: counts.played % 65_536,
      timestamp: (counts.played * FRAME_SAMPLES) % 2 ** 32,
    })
    counts.played += 1
    track.writeRtp(new RtpPacket(header, nextFrame()))
  }, FRAME_MS)
}

/** Creates a peer that offers, for a call from the handset. */
export async function offeringPeer(saying: Saying = {}): Promise<RealPeer> {
  const pc = connection()
  const track = new MediaStreamTrack({ kind: 'audio' })
  pc.addTransceiver(track, { direction: 'sendrecv' })
  const peer = talking(pc, track, saying)
  await pc.setLocalDescription(await pc.createOffer())
  return {
    ...peer,
    sdp: renameMid(asProviderSdp(pc.localDescription?.sdp ?? ''), '0', 'audio'),
    acceptAnswer: (sdp) => pc.setRemoteDescription({ type: 'answer', sdp: renameMid(sdp, 'audio', '0') }),
  }
}

/** Creates a peer that answers the business's offer, for a call to the handset. */
export async function answeringPeer(offer: string, saying: Saying = {}): Promise<RealPeer> {
  const pc = connection()
  const track = new MediaStreamTrack({ kind: 'audio' })
  const peer = talking(pc, track, saying)
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
