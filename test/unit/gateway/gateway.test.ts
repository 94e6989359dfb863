import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { ConfigError, loadSettings } from '../../../src/platform/config/config.ts'
import { describe, test } from '../../support/harness.ts'

// Without DATABASE_URL nothing is opened: that setting is missed next, after those of the gateway.
const settings = {
  SECRETS_KEY: createHash('sha256').update('a key of these tests').digest('hex'),
  PROVIDER_APP_SECRET: 'x'.repeat(32),
  PROVIDER_VERIFY_TOKEN: 'x'.repeat(32),
}

const missing = (environment: Record<string, string>, name: string) =>
  assert.rejects(
    startGateway(loadSettings({ ...settings, ...environment })),
    (error: unknown) => error instanceof ConfigError && new RegExp(`set ${name}\\b`).test(error.message),
  )

describe('a gateway', () => {
  test('does not start in production without the URL by which browsers and customers reach it', async () => {
    await missing({ APP_ENV: 'production' }, 'PUBLIC_URL')
    await missing({ APP_ENV: 'production', PUBLIC_URL: 'https://gateway.example.com' }, 'DATABASE_URL')
    await missing({ APP_ENV: 'development' }, 'DATABASE_URL')
  })
})
