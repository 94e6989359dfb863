// The WebRTC peer of one call, with one Opus track in each direction.
import { MediaStreamTrack, type RTCIceServer, RTCPeerConnection, RTCRtpCodecParameters } from 'werift'
import type { Voice } from './voices.ts'

const OPUS = { mimeType: 'audio/opus', clockRate: 48_000, channels: 2, payloadType: 111 }
const CONNECT_MS = 20_000
const GATHER_SECONDS = 2

export interface Peer {
  offer(): Promise<string>
  answer(offer: string): Promise<string>
  acceptAnswer(sdp: string): Promise<void>
  /** Rejects when the connection to the remote peer fails. */
  untilConnected(): Promise<void>
  /** Resolves when either side has ended the connection, or it is lost. */
  readonly gone: Promise<void>
  talk(voice: Voice): void
  readonly heard: number
  readonly said: number
  close(): void
}

/** `address`: local address of the media sockets. Default: every interface. */
export function createPeer(iceServers: RTCIceServer[], address?: string): Peer {
  const pc = new RTCPeerConnection({
    iceServers,
    iceStunGatherTimeout: GATHER_SECONDS,
    codecs: { audio: [new RTCRtpCodecParameters(OPUS)], video: [] },
    ...(address && {
      iceUseIpv6: false,
      iceInterfaceAddresses: { udp4: address },
      iceAdditionalHostAddresses: [address],
    }),
  })
  const track = new MediaStreamTrack({ kind: 'audio' })
  const counts = { heard: 0, said: 0 }
  let talking: ReturnType<Voice> | undefined
  pc.onTrack.subscribe((remote) => {
    remote.onReceiveRtp.subscribe((packet) => {
      counts.heard += 1
      talking?.hear(packet)
    })
  })
  const close = () => {
    talking?.stop()
    talking = undefined
    track.stop()
    pc.close().catch(() => undefined)
  }
  return {
    ...lifetime(pc),
    async offer() {
      pc.addTransceiver(track, { direction: 'sendrecv' })
      await pc.setLocalDescription(await pc.createOffer())
      return pc.localDescription?.sdp ?? ''
    },
    async answer(offer) {
      await pc.setRemoteDescription({ type: 'offer', sdp: offer })
      const [transceiver] = pc.getTransceivers()
      transceiver?.setDirection('sendrecv')
      await transceiver?.sender.replaceTrack(track)
      await pc.setLocalDescription(await pc.createAnswer())
      return pc.localDescription?.sdp ?? ''
    },
    acceptAnswer: (sdp) => pc.setRemoteDescription({ type: 'answer', sdp }),
    talk(voice) {
      talking ??= voice((packet) => {
        counts.said += 1
        track.writeRtp(packet)
      })
    },
    get heard() {
      return counts.heard
    },
    get said() {
      return counts.said
    },
    close,
  }
}

function lifetime(pc: RTCPeerConnection): Pick<Peer, 'untilConnected' | 'gone'> {
  const reached = (...states: readonly string[]) =>
    new Promise<void>((resolve) => {
      pc.connectionStateChange.subscribe((state) => states.includes(state) && resolve())
    })
  const gone = reached('failed', 'disconnected', 'closed')
  const connected = reached('connected')
  return {
    gone,
    async untilConnected() {
      const timer = setTimeout(() => void pc.close(), CONNECT_MS)
      const lost = gone.then(() => Promise.reject(new Error('no connection to the other end')))
      await Promise.race([connected, lost]).finally(() => clearTimeout(timer))
    },
  }
}
