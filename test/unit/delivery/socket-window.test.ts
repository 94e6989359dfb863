import assert from 'node:assert/strict'
import {
  adjustWindow,
  newWindow,
  type SocketWindow,
  windowBegun,
} from '../../../src/delivery/socket-window.ts'
import { describe, test } from '../../support/harness.ts'

/** Pongs that took so long, each a second after the one before it, or later. */
function after(
  pongs: readonly { readonly tookMs: number; readonly frames?: number; readonly laterMs?: number }[],
) {
  const window: SocketWindow = newWindow(0)
  let nowMs = 0
  const sizes = pongs.map(({ tookMs, frames = 16, laterMs = 1_000 }) => {
    nowMs += laterMs
    adjustWindow(window, { sentAtMs: nowMs - tookMs, unread: window.frames, frames, nowMs })
    return window.frames
  })
  return { sizes, window }
}

describe('the window of a socket', () => {
  test('grows by what was read in time, up to 256 frames, also where the way is long', () => {
    assert.deepEqual(
      after([{ tookMs: 300 }, { tookMs: 310, frames: 32 }, { tookMs: 325, frames: 400 }]).sizes,
      [...[32, 64, 256]],
    )
  })

  test('is halved by a pong that had to wait, down to 16', () => {
    const late = { tookMs: 76 }
    assert.deepEqual(
      after([{ tookMs: 50, frames: 100 }, late, late, late, late]).sizes,
      [116, 58, 29, 16, 16],
    )
  })

  test('is halved once for all that was sent before', () => {
    const { sizes } = after([
      { tookMs: 1, frames: 200 },
      { tookMs: 100 },
      { tookMs: 105, laterMs: 5 },
      { tookMs: 110, laterMs: 5 },
      { tookMs: 100, laterMs: 90 },
    ])
    assert.deepEqual(sizes, [216, 108, 108, 108, 54])
  })

  test('grows only while it is full', () => {
    const window = newWindow(0)
    for (let sentAtMs = 0; sentAtMs < 1_000; sentAtMs += 1)
      adjustWindow(window, { sentAtMs, nowMs: sentAtMs + 2, unread: 7, frames: 1 })
    assert.equal(window.frames, 16)
    adjustWindow(window, { sentAtMs: 1_000, nowMs: 1_002, unread: 8, frames: 8 })
    assert.equal(window.frames, 24)
  })

  test('is small again after a second without a pong', () => {
    const { window } = after([{ tookMs: 1, frames: 100 }])
    windowBegun(window, 1_900)
    assert.equal(window.frames, 116)
    windowBegun(window, 2_001)
    assert.equal(window.frames, 16)
  })

  test('is measured anew with few frames, which do not wait for each other', () => {
    const window = newWindow(0)
    for (let nowMs = 0; nowMs < 300_000; nowMs += 100)
      adjustWindow(window, {
        sentAtMs: nowMs - window.frames,
        nowMs,
        unread: window.frames,
        frames: window.frames,
      })
    assert.ok(window.frames <= 64, `${window.frames}`)
  })

  test('takes a way that has become longer for the usual one after a minute', () => {
    const sizes = after([
      { tookMs: 10 },
      { tookMs: 80 },
      { tookMs: 80, laterMs: 59_001 },
      { tookMs: 90 },
    ]).sizes
    assert.deepEqual(sizes, [32, 16, 16, 32])
  })
})
