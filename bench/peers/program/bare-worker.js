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
const onError = (error) => process.stderr.write(`${error}\n`)
worker.on('error', onError)
worker.on('failed', (_job, error) => onError(error))
await worker.waitUntilReady()
process.send({ ready: true })
process.once('disconnect', () => process.exit(0))
