// graphile-worker: jobs in Postgres, written by the transaction that makes them due, announced by NOTIFY.
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { concurrency, retrySeconds } from './settings.js'

const logger = new Logger(() => (level, message) => {
  if (level === 'error') process.stderr.write(`${message}\n`)
})
const maxAttempts = retrySeconds.length + 1

export async function open({ databaseUrl }) {
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, maxPoolSize: 2, logger })
  await utils.migrate()
  await utils.release()
  return {
    async addWithin(client, jobs) {
      for (const { name, data } of jobs) {
        await client.query({
          name: 'add_job',
          text: 'select graphile_worker.add_job($1, $2::json, max_attempts => $3)',
          values: [name, JSON.stringify(data), maxAttempts],
        })
      }
    },
  }
}

export async function work({ databaseUrl }, handlers) {
  await run({
    connectionString: databaseUrl,
    maxPoolSize: 12,
    taskList: Object.fromEntries(
      Object.entries(handlers).map(([name, handle]) => [name, (data) => handle(data)]),
    ),
    noHandleSignals: true,
    logger,
    preset: {
      worker: {
        concurrentJobs: concurrency,
        // Its means for a high throughput: jobs are taken and completed in batches.
        localQueue: { size: concurrency + 1 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  })
}
