import assert from 'node:assert/strict'
import { createEar, toneFrames } from '../../../src/simulator/sound.ts'
import { describe, test } from '../../support/harness.ts'

describe('what a handset hears', () => {
  test('is the pitch of a tone, to a few hertz', () => {
    for (const hertz of [100, 440, 1000, 3000]) {
      const [ear, next] = [createEar(), toneFrames(hertz)]
      for (let frame = 0; frame < 30; frame += 1) ear.hear(next())
      assert.ok(Math.abs((ear.hertz() ?? 0) - hertz) <= 6, `${ear.hertz()} for ${hertz}`)
    }
  })

  test('is the new tone half a second after the old one', () => {
    const [ear, low, high] = [createEar(), toneFrames(300), toneFrames(900)]
    for (let frame = 0; frame < 30; frame += 1) ear.hear(low())
    for (let frame = 0; frame < 30; frame += 1) ear.hear(high())
    assert.ok(Math.abs((ear.hertz() ?? 0) - 900) <= 6)
  })

  test('is nothing before half a second, and nothing where the packets are no audio', () => {
    const [early, deaf, next] = [createEar(), createEar(), toneFrames(440)]
    for (let frame = 0; frame < 10; frame += 1) early.hear(next())
    for (let frame = 0; frame < 30; frame += 1) deaf.hear(Buffer.from(`frame ${frame}`))
    assert.deepEqual([early.hertz(), deaf.hertz()], [null, null])
  })
})
