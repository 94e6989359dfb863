// The shell blocks of the pages, run as a reader pastes them: those marked `sh runnable`, and the first send and the first
// event of README.md with its receiver.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ownFolder } from '../support/embedded.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { type Page, readPages } from '../support/pages.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { lastingPort } from './processes.ts'
import { eventually } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

const pages = readPages()
const cwd = mkdtempSync(join(ownFolder(), 'reader-'))
let stack: Stack
before(async () => {
  stack = await startStack()
})
after(() => stack?.stop())

const blocksOf = ({ text }: Page, info: string): string[] =>
  [...text.matchAll(/^```(.*?)\n(.*?)^```$/gms)]
    .filter(([, language]) => language === info)
    .map(([, , block = '']) => block)

/** What the block prints. Rejects when it fails. */
async function run(block: string): Promise<string> {
  const env = { ...process.env, KEY: stack.key, API: `${stack.gateway(0).origin}/api/v1` }
  const script = `jq() { return 127; }\n${block}`
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], {
    cwd,
    env,
    timeout: PATIENCE_MS,
  })
  assert.doesNotMatch(stdout, /"error": ?\{/, stdout)
  return stdout
}

describe('the runnable blocks of a page pass', () => {
  const runnable = pages.flatMap((page) =>
    blocksOf(page, 'sh runnable').map((block, index) => ({
      name: `${page.path}, block ${index + 1}`,
      block,
    })),
  )
  test('and there are some', () => assert.ok(runnable.length >= 6))
  for (const { name, block } of runnable)
    test(name, async () => assert.notEqual((await run(block)).trim(), ''))
})

test('the first send and the first event of README.md', async () => {
  const readme = pages.find(({ path }) => path === 'README.md') ?? assert.fail()
  const [, send = '', makeEndpoint = '', ...rest] = blocksOf(readme, 'sh')
  const [receiver = ''] = blocksOf(readme, 'js')
  assert.deepEqual(rest, [])
  const port = String(await lastingPort())
  const here = (text: string): string =>
    text.replaceAll('localhost:8080', new URL(stack.gateway(0).origin).host).replaceAll('9000', port)
  const { key: apiKey, operator, workspaceId } = stack
  mkdirSync(join(cwd, '.data'))
  writeFileSync(join(cwd, '.data', 'dev.json'), JSON.stringify({ apiKey, operator, workspaceId }))
  writeFileSync(join(cwd, 'receiver.mjs'), here(receiver))
  const { secret } = JSON.parse(await run(here(makeEndpoint)))
  const child = spawn(process.execPath, ['receiver.mjs', secret], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    const isListening = () =>
      fetch(`http://127.0.0.1:${port}`).then(
        ({ status }) => status === 401,
        () => false,
      )
    await eventually('the receiver listens and refuses what is not signed', isListening)
    assert.match(await run(here(send)), /"status":"QUEUED"/)
    await eventually('every status at the receiver', async () =>
      ['SENT', 'DELIVERED', 'READ'].every((status) => printed.includes(`"status":"${status}"`)),
    )
    const events = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event)
    assert.deepEqual([...new Set(events)], ['message.status'])
  } finally {
    child.kill('SIGKILL')
  }
})
