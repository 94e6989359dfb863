// BullMQ: jobs in Redis, added after the commit.
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { concurrency, retrySeconds } from './settings.js'

const name = 'jobs'
const options = {
  attempts: retrySeconds.length + 1,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: 1_000,
}
const connect = ({ redisUrl }) => new Redis(redisUrl, { maxRetriesPerRequest: null })
const onError = (error) => process.stderr.write(`${error}\n`)

export function open(settings) {
  const queue = new Queue(name, { connection: connect(settings), prefix: settings.prefix })
  queue.on('error', onError)
  return {
    async addAfter(jobs) {
      if (jobs.length === 1) await queue.add(jobs[0].name, jobs[0].data, options)
      else if (jobs.length > 1) await queue.addBulk(jobs.map((job) => ({ ...job, opts: options })))
    },
  }
}

export async function work(settings, handlers) {
  const worker = new Worker(name, (job) => handlers[job.name](job.data), {
    connection: connect(settings),
    prefix: settings.prefix,
    concurrency,
    settings: { backoffStrategy: (made) => retrySeconds[made - 1] * 1_000 },
  })
  worker.on('error', onError)
  worker.on('failed', (_job, error) => onError(error))
  await worker.waitUntilReady()
}
