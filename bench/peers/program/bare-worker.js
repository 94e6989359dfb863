// BullMQ alone, the worker process: a job is a POST or a frame.
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { deliver } from './deliver.js'
import { concurrency, retrySeconds, settings } from './settings.js'

const endpoint = { url: settings.receiverUrl, secret: settings.endpointSecret }
const worker = new Worker('events', ({ data }) => deliver(endpoint, data), {
  connection: new Redis(settings.redisUrl, { maxRetriesPerRequest: null }),
  prefix: settings.prefix,
  concurrency,
  settings: { backoffStrategy: (made) => retrySeconds[made - 1] * 1_000 },
})
worker.on('error', (error) => process.stderr.write(`${error}\n`))
await worker.waitUntilReady()
process.send({ ready: true })
process.once('disconnect', () => process.exit(0))
