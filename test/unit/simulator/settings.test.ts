import assert from 'node:assert/strict'
import { simulatorSettings } from '../../../src/simulator/settings.ts'
import { describe, test } from '../../support/harness.ts'

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  return ''
}

describe('settings of the simulator', () => {
  test('an empty environment gives a simulator of the demo account', () => {
    const settings = simulatorSettings({})
    assert.deepEqual([settings.port, settings.host, settings.webhookUrls], [8090, '127.0.0.1', []])
    assert.ok(settings.numbers.length > 0)
  })

  test('several webhook URLs are separated by commas', () => {
    const { webhookUrls } = simulatorSettings({
      SIM_WEBHOOK_URL: 'http://127.0.0.1:1/a, http://127.0.0.1:2/b',
    })
    assert.deepEqual(webhookUrls, ['http://127.0.0.1:1/a', 'http://127.0.0.1:2/b'])
  })

  test('wrong settings are all named in one message', () => {
    const wrong = { SIM_PORT: 'many', SIM_NUMBERS: '{', SIM_WEBHOOK_URL: 'nowhere' }
    const message = messageOf(() => simulatorSettings(wrong))
    for (const name of Object.keys(wrong)) assert.ok(message.includes(name), `${name} is not in: ${message}`)
    assert.throws(() => simulatorSettings({ SIM_NUMBERS: '{' }), /SIM_NUMBERS: must be JSON/)
    assert.throws(() => simulatorSettings({ SIM_PORT: 'many' }), /SIM_PORT: must be a whole number/)
  })
})
