// Runs the code that the reference shows to receivers on requests that the gateway signs.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recipeFiles } from '../../src/api/docs/page.ts'
import { createSecret, createSigner } from '../../src/delivery/signature.ts'
import { after, describe, test } from '../support/harness.ts'

const recipes = fileURLToPath(new URL('../../src/api/docs/recipes/', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'switchboard-recipes-'))
after(() => rmSync(dir, { recursive: true, force: true }))

const secret = createSecret()
const signer = createSigner({ current: secret })
const body = Buffer.from('{"text":"Olá, \\u00e9 \\/ \ud83d\ude00"}')
const nonce = '7f1a2b3c-0000-4000-8000-000000000001'
const wrong = { 'x-communication-signature-256': `sha256=${'0'.repeat(64)}` }

interface Case {
  readonly kind: 'body' | 'upgrade'
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly secret: string
  readonly isGenuine: boolean
}

/** Handshakes are fresh for five minutes, so the cases are made as their program starts. */
function makeCases(): readonly Case[] {
  const posted = signer.attemptHeaders({
    event: 'message.received',
    deliveryId: 'dlv_01m7x2pa0cf3r8k5s2t9w4y6zb',
    attemptNumber: 1,
    body,
    at: new Date(),
  })
  const dialled = (agoMs: number) => signer.handshakeHeaders(Date.now() - agoMs, nonce)
  const sent = { body: body.toString('base64'), secret, isGenuine: true }
  const good = { ...sent, kind: 'body', headers: posted } as const
  const fresh = { ...sent, kind: 'upgrade', headers: dialled(0) } as const
  return [
    good,
    { ...good, body: Buffer.from(`${body} `).toString('base64'), isGenuine: false },
    { ...good, secret: createSecret(), isGenuine: false },
    { ...good, headers: { ...posted, ...wrong }, isGenuine: false },
    { ...good, headers: {}, isGenuine: false },
    fresh,
    { ...fresh, headers: dialled(4 * 60_000) },
    { ...fresh, headers: dialled(6 * 60_000), isGenuine: false },
    { ...fresh, headers: dialled(-6 * 60_000), isGenuine: false },
    { ...fresh, headers: { ...fresh.headers, 'x-communication-nonce': 'another' }, isGenuine: false },
    { ...fresh, secret: createSecret(), isGenuine: false },
    { ...fresh, headers: {}, isGenuine: false },
  ]
}

/** Each program reads the cases and prints its results as a JSON list. One that takes long to build is built first. */
const programs = {
  Node: {
    command: [process.execPath, 'main.mjs'],
    file: 'main.mjs',
    source: `import { readFileSync } from 'node:fs'
import { isGenuine, isGenuineUpgrade } from './verify.mjs'
const cases = JSON.parse(readFileSync('cases.json', 'utf8'))
console.log(JSON.stringify(cases.map(({ kind, body, headers, secret }) =>
  kind === 'body' ? isGenuine(Buffer.from(body, 'base64'), headers, secret) : isGenuineUpgrade(headers, secret))))`,
  },
  Python: {
    command: ['python3', 'main.py'],
    file: 'main.py',
    source: `import base64, json
from verify import is_genuine, is_genuine_upgrade
print(json.dumps([
    is_genuine(base64.b64decode(c["body"]), c["headers"], c["secret"]) if c["kind"] == "body"
    else is_genuine_upgrade(c["headers"], c["secret"]) for c in json.load(open("cases.json"))]))`,
  },
  PHP: {
    command: ['php', 'main.php'],
    file: 'main.php',
    source: `<?php require 'verify.php';
echo json_encode(array_map(fn ($c) => $c['kind'] === 'body'
  ? isGenuine(base64_decode($c['body']), $c['headers'], $c['secret'])
  : isGenuineUpgrade($c['headers'], $c['secret']), json_decode(file_get_contents('cases.json'), true)));`,
  },
  Go: {
    build: ['go', 'test', '-c', '-o', 'cases', '.'],
    command: ['./cases', '-test.v'],
    file: 'verify_test.go',
    source: `package webhooks

import ("encoding/base64"; "encoding/json"; "fmt"; "net/http"; "os"; "testing")

func TestCases(t *testing.T) {
	var cases []struct{ Kind, Body, Secret string; Headers map[string]string }
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &cases); err != nil { t.Fatal(err) }
	found := []bool{}
	for _, c := range cases {
		header := http.Header{}
		for name, value := range c.Headers { header.Set(name, value) }
		body, _ := base64.StdEncoding.DecodeString(c.Body)
		if c.Kind == "body" { found = append(found, IsGenuine(body, header, c.Secret)) } else { found = append(found, IsGenuineUpgrade(header, c.Secret)) }
	}
	line, _ := json.Marshal(found)
	fmt.Println(string(line))
}`,
  },
} as const

const isHere = (program: string): boolean =>
  spawnSync(program, [program === 'go' ? 'version' : '--version'], { stdio: 'ignore' }).status === 0

/** Returns what the program finds, and what it should find. */
function run(language: keyof typeof programs): { found: unknown; expected: readonly boolean[] } {
  const { command, file, source, ...rest } = programs[language]
  const place = mkdtempSync(join(dir, 'run-'))
  cpSync(join(recipes, recipeFiles[language]), join(place, recipeFiles[language]))
  writeFileSync(join(place, 'go.mod'), 'module webhooks\n\ngo 1.19\n')
  writeFileSync(join(place, file), source)
  const env = { ...process.env, GOCACHE: join(dir, 'go-cache'), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' }
  const call = ([program, ...args]: readonly string[]) =>
    execFileSync(program ?? '', args, { cwd: place, env, encoding: 'utf8', timeout: 90_000 })
  if ('build' in rest) call(rest.build)
  const cases = makeCases()
  writeFileSync(join(place, 'cases.json'), JSON.stringify(cases))
  const found = JSON.parse(/\[.*\]/.exec(call(command))?.[0] ?? '')
  return { found, expected: cases.map(({ isGenuine }) => isGenuine) }
}

describe('the recipes of the reference', () => {
  for (const language of ['Node', 'Python', 'PHP', 'Go'] as const) {
    // Node is always available; the other languages are tested where they are installed.
    if (language !== 'Node' && !isHere(language === 'Go' ? 'go' : programs[language].command[0])) continue
    test(`${language} takes what is genuine and nothing else`, () => {
      const { found, expected } = run(language)
      assert.deepEqual(found, expected)
    })
  }
})
