// Lua scripts by their digest; a server that has forgotten one is given the text again.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { bounded, type Redis } from './client.ts'

export interface Script {
  readonly text: string
  readonly sha: string
}

const load = (name: string): Script => {
  const text = readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** What each does, takes and returns stands at the head of its file. */
export const scripts = {
  claim: load('claim'),
  locate: load('locate'),
  setEpoch: load('set-epoch'),
  release: load('release'),
  declareDead: load('declare-dead'),
  register: load('register'),
  renew: load('renew'),
  dialTime: load('dial-time'),
  takeToken: load('take-token'),
  paceTake: load('pace-take'),
  paceSpend: load('pace-spend'),
  paceSlow: load('pace-slow'),
  fenceCampaign: load('fence-campaign'),
} as const

export interface ScriptCall {
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
  readonly limitMs?: number
}

/** All scripts may safely run twice: a call whose reply was lost is simply made again. */
export async function runScript<Result>(redis: Redis, script: Script, call: ScriptCall): Promise<Result> {
  const input = { keys: [...call.keys], arguments: call.args.map(String) }
  const run = async () => {
    try {
      return await redis.evalSha(script.sha, input)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return redis.eval(script.text, input)
    }
  }
  return (await bounded(run(), call.limitMs)) as Result
}
