// Runs Lua scripts by digest, and sends the text when the server does not have the script.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { bounded, type Redis } from './client.ts'

export interface Script {
  readonly text: string
  readonly sha: string
}

/**
 * Reads a script in the folder of a module: `loadScript(import.meta.url, 'claim')` reads claim.lua. The head
 * of each script describes its arguments and result.
 */
export function loadScript(moduleUrl: string, name: string): Script {
  const text = readFileSync(new URL(`./${name}.lua`, moduleUrl), 'utf8')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

export interface ScriptCall {
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
  readonly limitMs?: number
}

/** Every script must be safe to run twice, because a caller repeats a call whose reply was lost. */
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
