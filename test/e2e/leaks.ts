// Searches for a text wherever a process may have left it: Postgres, Redis, logs.
import { readFileSync } from 'node:fs'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { connectRedis, type Redis } from '../../src/platform/redis/client.ts'

/** Names of the tables with a row that contains the text, in any column, as text or as bytes. */
export async function tablesWith(sql: Pool, text: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r'`
  const hex = Buffer.from(text).toString('hex')
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await sql`
      select 1
      from ${sql(name)} as whole
      where position(${text} in whole::text) > 0 or position(${hex} in whole::text) > 0
      limit 1`
    if (row) found.push(name)
  }
  return found
}

export const logsWith = (files: readonly string[], text: string): string[] =>
  files.filter((file) => readFileSync(file, 'utf8').includes(text))

/** Redis keys whose value contains the text. */
export async function keysWith(url: string, text: string): Promise<string[]> {
  const redis = await connectRedis({ url, role: 'commands', onError: () => {} })
  try {
    const found: string[] = []
    for await (const keys of redis.scanIterator({ COUNT: 500 }))
      for (const key of keys) if ((await contentOf(redis, key)).includes(text)) found.push(key)
    return found
  } finally {
    redis.destroy()
  }
}

async function contentOf(redis: Redis, key: string): Promise<string> {
  const read: Readonly<Record<string, () => Promise<unknown>>> = {
    string: () => redis.get(key),
    hash: () => redis.hGetAll(key),
    list: () => redis.lRange(key, 0, -1),
    set: () => redis.sMembers(key),
    zset: () => redis.zRange(key, 0, -1),
    stream: () => redis.xRange(key, '-', '+'),
  }
  // The result is JSON, where a line break is two characters: only search for text without line breaks.
  return JSON.stringify(await read[await redis.type(key)]?.()) ?? ''
}
