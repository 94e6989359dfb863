// Ids that webhooks, requests, frames and marks of one unit share. They are found in the bytes without parsing.
import { randomBytes } from 'node:crypto'

const pattern = /bench\.[0-9a-z]{8}-[0-9a-z]+/
let count = 0
const run = BigInt(`0x${randomBytes(6).toString('hex')}`)
  .toString(36)
  .padStart(8, '0')
  .slice(-8)

/** Such as `bench.4k2j9x0a-7f`: unique, and the form says where it begins. */
export function newToken(): string {
  count += 1
  return `bench.${run}-${count.toString(36)}`
}

/** To whom the provider is asked to send; empty where there is nobody. */
export const recipientIn = (text: string): string => /"to":"\+?(\d+)"/.exec(text)?.[1] ?? ''

/** The first id in this text; empty where there is none. */
export const tokenIn = (text: string): string => pattern.exec(text)?.[0] ?? ''
