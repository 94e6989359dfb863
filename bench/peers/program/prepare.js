// Makes the tables, and empties the queue of an earlier run.
import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import pg from 'pg'
import { settings } from './settings.js'

const client = new pg.Client(settings.databaseUrl)
await client.connect()
await client.query(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'))
await client.query('drop schema if exists pgboss cascade')
await client.query('drop schema if exists graphile_worker cascade')
const endpoint = 'insert into peer.endpoints (url, secret) values ($1, $2) returning id'
const { rows } = await client.query(endpoint, [settings.receiverUrl, settings.endpointSecret])
await client.query('update peer.numbers set endpoint_id = $1', [rows[0].id])
await client.end()

const redis = new Redis(settings.redisUrl)
for await (const keys of redis.scanStream({ match: `${settings.prefix}:*`, count: 1_000 })) {
  if (keys.length > 0) await redis.unlink(keys)
}
redis.disconnect()
