// The Lua scripts of sessions and ownership. The head of each file describes its arguments and result.
import { loadScript } from '../redis/run-script.ts'

export const scripts = {
  claim: loadScript(import.meta.url, 'claim'),
  locate: loadScript(import.meta.url, 'locate'),
  setEpoch: loadScript(import.meta.url, 'set-epoch'),
  release: loadScript(import.meta.url, 'release'),
  declareDead: loadScript(import.meta.url, 'declare-dead'),
  register: loadScript(import.meta.url, 'register'),
  renew: loadScript(import.meta.url, 'renew'),
} as const
