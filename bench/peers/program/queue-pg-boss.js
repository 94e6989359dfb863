// pg-boss: jobs in Postgres, written by the transaction that makes them due.
import PgBoss from 'pg-boss'
import { concurrency, retrySeconds } from './settings.js'

const names = ['deliver', 'ring', 'send']
const batchSize = concurrency
/** The least that it polls with. */
const pollingIntervalSeconds = 0.5
const retries = { retryLimit: retrySeconds.length, retryDelay: retrySeconds[0], retryBackoff: true }

async function start({ databaseUrl }, supervise) {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 8, supervise, schedule: false })
  boss.on('error', (error) => process.stderr.write(`${error}\n`))
  await boss.start()
  return boss
}

export async function open(settings) {
  const boss = await start(settings, false)
  for (const name of names) await boss.createQueue(name, { name, ...retries })
  return {
    async addWithin(client, jobs) {
      const db = { executeSql: (text, values) => client.query(text, values) }
      if (jobs.length === 1) await boss.send(jobs[0].name, jobs[0].data, { ...retries, db })
      else if (jobs.length > 1)
        await boss.insert(
          jobs.map((job) => ({ ...job, ...retries })),
          { db },
        )
    },
  }
}

export async function work(settings, handlers) {
  const boss = await start(settings, true)
  for (const name of names) {
    const id = await boss.work(name, { batchSize, pollingIntervalSeconds }, async (jobs) => {
      // A full batch: more may wait, and the next is asked for without a pause.
      if (jobs.length === batchSize) boss.notifyWorker(id)
      const failed = await failures(jobs, handlers[name])
      // What is left is completed by pg-boss when this returns.
      if (failed.length > 0) await boss.fail(name, failed)
    })
  }
}

/** Carries out a batch at once; the ids of the jobs that failed. */
async function failures(jobs, handle) {
  const outcomes = await Promise.allSettled(jobs.map(({ data }) => handle(data)))
  return outcomes.flatMap(({ status, reason }, index) => {
    if (status === 'fulfilled') return []
    process.stderr.write(`${reason}\n`)
    return [jobs[index].id]
  })
}
