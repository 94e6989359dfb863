// The queue of a peer, by name. A module of a queue has:
//   open(settings): where jobs are put. Either `addWithin(client, jobs)`, which writes them by the transaction of the
//     client, or `addAfter(jobs)`, which is called after the commit. A job is {name, data}.
//   work(settings, handlers): carries jobs out; a handler that throws has its job repeated.
const modules = {
  bullmq: () => import('./queue-bullmq.js'),
  'pg-boss': () => import('./queue-pg-boss.js'),
  'graphile-worker': () => import('./queue-graphile.js'),
}

export const openQueue = async (settings) => (await modules[settings.queue]()).open(settings)

export const work = async (settings, handlers) => (await modules[settings.queue]()).work(settings, handlers)
