// The settings of web and worker, from the environment.
const needed = (name) => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

export const settings = {
  /** bullmq, pg-boss or graphile-worker. */
  queue: needed('QUEUE'),
  /** Prefix of the keys in Redis. */
  prefix: needed('QUEUE_PREFIX'),
  databaseUrl: needed('DATABASE_URL'),
  redisUrl: needed('REDIS_URL'),
  receiverUrl: needed('RECEIVER_URL'),
  endpointSecret: needed('ENDPOINT_SECRET'),
  appSecret: needed('APP_SECRET'),
  providerUrl: needed('PROVIDER_URL'),
  accessToken: needed('ACCESS_TOKEN'),
}

/** Jobs that a worker runs at once. */
export const concurrency = 64
/** The schedule of the gateway: seconds before each repetition. */
export const retrySeconds = [10, 60, 300, 1_800, 7_200]
export const attemptTimeoutMs = 10_000
