// Generates tones in Opus packets of 20 ms, and measures the frequency of received audio.
import { Decoder, Encoder } from '@evan/opus'

const SAMPLE_RATE = 48_000
export const FRAME_MS = 20
/** Samples per frame, which is also the step of the RTP timestamp. */
export const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1000
/** Half a second: enough to distinguish tones that differ by a few hertz. */
const FRAMES_REMEMBERED = 25
/** A peak sample (of at most 32,767) below this is silence. */
const AUDIBLE = 500

/** An endless tone: each call of the returned function gives the next frame. */
export function toneFrames(hertz: number): () => Buffer {
  const encoder = new Encoder({ channels: 1, sample_rate: SAMPLE_RATE, application: 'audio' })
  let sample = 0
  return () => {
    const pcm = Int16Array.from({ length: FRAME_SAMPLES }, (_, index) => {
      return 8000 * Math.sin((2 * Math.PI * hertz * (sample + index)) / SAMPLE_RATE)
    })
    sample = (sample + FRAME_SAMPLES) % SAMPLE_RATE
    return Buffer.from(encoder.encode(pcm))
  }
}

export interface Ear {
  /** Takes the payload of an RTP packet. Ignores payloads that are not Opus. */
  hear(payload: Buffer): void
  /** The frequency of the last half second. Null before half a second was received, and for silence. */
  hertz(): number | null
}

export function createEar(): Ear {
  const decoder = new Decoder({ channels: 1, sample_rate: SAMPLE_RATE })
  const frames: { readonly crossings: number; readonly loudest: number }[] = []
  let last = 0
  return {
    hear(payload) {
      const pcm = decoded(decoder, payload)
      if (pcm === undefined) return
      let crossings = 0
      let loudest = 0
      for (const value of pcm) {
        if (value < 0 !== last < 0) crossings += 1
        loudest = Math.max(loudest, Math.abs(value))
        last = value
      }
      frames.push({ crossings, loudest })
      if (frames.length > FRAMES_REMEMBERED) frames.shift()
    },
    hertz() {
      if (frames.length < FRAMES_REMEMBERED) return null
      if (frames.some(({ loudest }) => loudest < AUDIBLE)) return null
      const crossings = frames.reduce((sum, frame) => sum + frame.crossings, 0)
      return Math.round((crossings / 2) * (1000 / (FRAMES_REMEMBERED * FRAME_MS)))
    },
  }
}

function decoded(decoder: Decoder, payload: Buffer): Int16Array | undefined {
  try {
    const bytes = decoder.decode(payload)
    // Copy the bytes: their offset may not be aligned to 16-bit samples.
    return new Int16Array(new Uint8Array(bytes).buffer)
  } catch {
    return undefined
  }
}
