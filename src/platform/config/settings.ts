// Every setting: name, schema, default and meaning. The table in src/platform/README.md is generated from it.
import * as v from 'valibot'
import { failpoints } from '../../shared/failpoint.ts'
import {
  clusterSecrets,
  duration,
  durationFrom,
  durations,
  flag,
  iceUrls,
  integer,
  list,
  origin,
  resolvers,
  secretsKey,
  targets,
  timeSpan,
  url,
  visible,
} from './setting-forms.ts'

interface Setting {
  // biome-ignore lint/suspicious/noExplicitAny: the input of every setting is text; the output differs.
  readonly schema: v.GenericSchema<any, any>
  /** The text used when the variable is unset or empty; undefined: the setting may be absent. */
  readonly default?: string
  readonly meaning: string
  readonly secret?: true
}

const setting = <Schema extends v.GenericSchema<string, unknown>, const Rest extends Omit<Setting, 'schema'>>(
  schema: Schema,
  rest: Rest,
) => ({ schema, ...rest })

export const settingsSchema = {
  APP_ENV: setting(v.picklist(['development', 'test', 'production']), {
    default: 'development',
    meaning:
      'development, test or production; NODE_ENV decides nothing. Production refuses weak and plain settings: see Production.',
  }),
  HOST: setting(v.string(), { default: '0.0.0.0', meaning: 'Address the public port listens on.' }),
  PORT: setting(integer(0, 65_535), {
    default: '8080',
    meaning: 'Public port: API, provider webhooks, console.',
  }),
  WORKER_PORT: setting(integer(0, 65_535), {
    meaning: 'Where a worker answers /metrics, on INTERNAL_HOST; 0 takes a free port. Unset: nowhere.',
  }),
  INTERNAL_HOST: setting(v.string(), {
    default: '127.0.0.1',
    meaning:
      'Address the internal port listens on, reachable by the other gateways, the workers and Prometheus only.',
  }),
  INTERNAL_PORT: setting(integer(0, 65_535), {
    default: '0',
    meaning: 'Internal port of a gateway: messages from other processes, and /metrics; 0 takes a free one.',
  }),
  INTERNAL_ADDRESS: setting(origin('http'), {
    meaning:
      'How the other gateways reach this one; default http://INTERNAL_HOST:INTERNAL_PORT. Set it where INTERNAL_HOST is 0.0.0.0 or ::.',
  }),
  CLUSTER_SECRET: setting(clusterSecrets, {
    meaning:
      'Signs messages to gateways, over HTTP and Redis; the same on every process. Several, comma separated, while it is rotated: all are accepted. Default: derived from SECRETS_KEY.',
    secret: true,
  }),
  PUBLIC_URL: setting(url('http', 'https'), {
    meaning:
      'How customers reach the gateway; default http://localhost:PORT. Required by a gateway in production, with https.',
  }),
  HANDSETS_URL: setting(url('http', 'https'), {
    meaning:
      "The page of the simulator's handsets, which console and documentation link to. npm start sets it; unset: no link.",
  }),
  TRUSTED_PROXIES: setting(integer(0, 10), {
    default: '0',
    meaning: 'How many proxies in front add to X-Forwarded-For; 0 takes the address of the connection.',
  }),
  DATABASE_URL: setting(url('postgres', 'postgresql'), {
    meaning: 'Postgres 15 or newer. Unset: npm start runs an embedded one.',
    secret: true,
  }),
  DATABASE_POOL: setting(integer(1, 100), {
    default: '8',
    meaning:
      'Postgres connections a process opens at most; it opens four more for deliveries and two for bulk work, and a gateway four more for calls.',
  }),
  REDIS_URL: setting(url('redis', 'rediss', 'unix'), {
    meaning:
      'A single-primary Redis 6.2 or newer with maxmemory-policy noeviction. Unset: npm start runs one.',
    secret: true,
  }),
  DATA_DIR: setting(v.string(), {
    default: '.data',
    meaning: 'Where embedded servers, media (on their way, with an object store) and dev.json live.',
  }),
  BLOBS_S3_ENDPOINT: setting(url('http', 'https'), {
    meaning:
      'An S3-compatible object store for what customers send, such as https://s3.eu-central-1.amazonaws.com. Unset: files under DATA_DIR.',
  }),
  BLOBS_S3_BUCKET: setting(
    v.pipe(v.string(), v.regex(/^\w[\w.-]{1,61}\w$/, 'must be the name of a bucket: 3 to 63 characters')),
    { meaning: 'The bucket, which is there already; addressed by path.' },
  ),
  BLOBS_S3_REGION: setting(v.pipe(v.string(), v.regex(/^[\w-]+$/, 'must be a region such as eu-central-1')), {
    meaning: 'The region that requests are signed for; default us-east-1.',
  }),
  BLOBS_S3_ACCESS_KEY_ID: setting(visible, {
    meaning: 'The access key, which may list the bucket and get, put and delete its objects.',
    secret: true,
  }),
  BLOBS_S3_SECRET_ACCESS_KEY: setting(visible, { meaning: 'Its secret.', secret: true }),
  REDIS_SERVER_BIN: setting(v.string(), { meaning: 'The redis-server that npm start shall run.' }),
  POSTGRES_BIN_DIR: setting(v.string(), {
    meaning: 'The folder of the postgres and initdb that npm start shall run.',
  }),
  SIM_PORT: setting(integer(0, 65_535), {
    default: '8090',
    meaning: 'Port of the simulator under npm start.',
  }),
  SECRETS_KEY: setting(secretsKey, {
    meaning:
      'Encrypts signing secrets, provider tokens and TOTP seeds: 32 bytes as hex or base64, optionally <key id>: in front; comma separated to rotate (the first encrypts). Required in production.',
    secret: true,
  }),
  PROVIDER_BASE_URL: setting(url('http', 'https'), {
    default: 'https://graph.facebook.com',
    meaning: 'Base address of the provider.',
  }),
  PROVIDER_VERSION: setting(v.pipe(v.string(), v.regex(/^v\d+\.\d+$/, 'must look like v24.0')), {
    default: 'v24.0',
    meaning: 'Version segment of the provider API.',
  }),
  PROVIDER_ACCESS_TOKEN: setting(v.string(), {
    meaning: 'Access token for workspaces that have none of their own.',
    secret: true,
  }),
  PROVIDER_APP_SECRET: setting(v.pipe(v.string(), v.minLength(1)), {
    meaning: 'App secret that signs the provider webhooks. Required by the gateway.',
    secret: true,
  }),
  PROVIDER_VERIFY_TOKEN: setting(v.pipe(v.string(), v.minLength(1)), {
    meaning: 'Token of the provider webhook verification. Required by the gateway.',
    secret: true,
  }),
  PROVIDER_APP_ID: setting(v.pipe(v.string(), v.regex(/^\d{1,32}$/, 'must be the number of the app')), {
    meaning:
      'App that the samples of templates are uploaded for; unset: the app of the access token, which the provider looks up itself.',
  }),
  PROVIDER_TIMEOUT: setting(timeSpan, {
    default: '10s',
    meaning: 'Deadline of one request to the provider.',
  }),
  WEBHOOK_TARGETS: setting(v.picklist(['public', 'any']), {
    default: 'public',
    meaning:
      'any lets endpoints use http, ws and private addresses, for tests and local work; refused in production.',
  }),
  WEBHOOK_ALLOW: setting(targets, {
    default: '',
    meaning:
      'What endpoints may reach besides public addresses, comma separated: ranges and addresses of your own network, and local names (where those lead must be listed too). Whoever may add endpoints can then send requests there.',
  }),
  WEBHOOK_NAT64: setting(flag, {
    default: 'false',
    meaning: 'For networks with NAT64: addresses in 64:ff9b::/96 are judged by the IPv4 address inside.',
  }),
  WEBHOOK_RETRY_DELAYS: setting(durations, {
    default: '10s,1m,5m,30m,2h',
    meaning: 'Delays after the failed attempts of a queued delivery.',
  }),
  WEBHOOK_FAILURE_PAUSE: setting(duration, {
    default: '2s',
    meaning: 'Pause before each of the last failures that switch an endpoint off.',
  }),
  WEBHOOK_TIMEOUT: setting(timeSpan, {
    default: '10s',
    meaning: 'Deadline of one attempt of a queued delivery.',
  }),
  DIRECT_TIMEOUT: setting(timeSpan, {
    default: '5s',
    meaning: 'Deadline of call.ringing and call.accepted.',
  }),
  WEBHOOK_IDLE_CLOSE: setting(timeSpan, {
    default: '3m',
    meaning: 'A webhook socket without events is closed after this.',
  }),
  WEBHOOK_KEEP_OPEN: setting(flag, { default: 'false', meaning: 'Sockets with Forward are kept open.' }),
  WEBHOOK_PING: setting(timeSpan, { default: '20s', meaning: 'Ping interval of an open webhook socket.' }),
  WEBHOOK_BACKLOG_BYTES: setting(integer(64 * 1024, 2 ** 40), {
    default: '67108864',
    meaning: 'Bytes of waiting events that a gateway keeps in memory; what is beyond waits in Postgres.',
  }),
  WEBHOOK_CA_FILE: setting(v.string(), { meaning: 'A further certificate authority (PEM) for endpoints.' }),
  DNS_SERVERS: setting(resolvers, {
    default: '',
    meaning: 'Resolvers for endpoint names; default: those of the system.',
  }),
  RING_TIMEOUT: setting(timeSpan, {
    default: '90s',
    meaning: 'A call that the provider leaves ringing in silence is ended after this.',
  }),
  CALL_TIMEOUT: setting(timeSpan, {
    default: '4h',
    meaning: 'An accepted call without any update from the provider is ended after this.',
  }),
  REFORWARD_ON_CRASH: setting(flag, {
    default: 'true',
    meaning: 'Forward call.ringing once more when the process that was forwarding it died.',
  }),
  SESSION_TTL: setting(timeSpan, {
    default: '5s',
    meaning: 'A gateway that has not renewed its session for this long is taken for dead.',
  }),
  SESSION_RENEW: setting(timeSpan, {
    default: '500ms',
    meaning:
      'How often a gateway renews its session; it confirms what it owns half as often. One that answers nobody and misses two renewals is taken for dead.',
  }),
  GUARD: setting(timeSpan, {
    default: '2500ms',
    meaning:
      'How long a confirmed ownership lets a gateway act; a successor stays silent for 3 s, so keep it below.',
  }),
  HANDOVER_SILENCE: setting(timeSpan, {
    default: '3s',
    meaning: 'How long a new owner stays silent after taking over; longer than GUARD.',
  }),
  FAST_DEATH: setting(flag, {
    default: 'true',
    meaning:
      'Declare a gateway dead within about a second when its internal port refuses connections, or answers nothing while it misses renewals; switch off behind firewalls that refuse for live hosts.',
  }),
  ICE_SERVERS: setting(iceUrls, {
    default: '',
    meaning: 'What GET /calls/ice lists: stun:, stuns:, turn: and turns: URLs, comma separated.',
  }),
  TURN_SECRET: setting(list, {
    meaning:
      'The static-auth-secret of the TURN servers (coturn, use-auth-secret). Several, comma separated: the first signs, so put a new one in front once every TURN server knows it.',
    secret: true,
  }),
  TURN_TTL: setting(durationFrom(60_000, 86_400_000, '1m to 24h'), {
    default: '1h',
    meaning: 'How long TURN credentials of GET /calls/ice are good for.',
  }),
  RETENTION_DAYS: setting(integer(1, 3_650), {
    default: '30',
    meaning: 'Days that events, deliveries, attempts, call timelines and elements of webhooks are kept.',
  }),
  UPLOAD_GRACE: setting(durationFrom(1_000, 3_600_000, '1s to 1h'), {
    default: '30s',
    meaning: 'How long a streamed upload may come slower than 4 KiB/s before it is refused.',
  }),
  MAX_REQUESTS: setting(integer(1, 100_000), {
    default: '2000',
    meaning: 'Requests in flight the public port takes before it answers OVERLOADED.',
  }),
  LOAD_SHEDDING: setting(flag, {
    default: 'true',
    meaning: 'Refuse lists, then other reads, then sends with OVERLOADED while a gateway is overloaded.',
  }),
  DRAIN_GRACE: setting(duration, {
    default: '3s',
    meaning: 'How long a draining gateway goes on serving, for load balancers to notice /readyz.',
  }),
  DRAIN_TIMEOUT: setting(duration, { default: '25s', meaning: 'How long SIGTERM lets work finish.' }),
  EXIT_WITH_PARENT: setting(flag, {
    default: 'false',
    meaning:
      'Drain and exit when standard input closes: for a process that must not outlive the one that started it.',
  }),
  FAILPOINT: setting(v.picklist(failpoints), {
    meaning: 'For tests (APP_ENV=test): the instant at which the process dies as by kill -9.',
  }),
  LOG_LEVEL: setting(v.picklist(['trace', 'debug', 'info', 'warn', 'error', 'silent']), {
    default: 'info',
    meaning: 'Least severity that is logged.',
  }),
} as const

export type SettingName = keyof typeof settingsSchema

type Row<Name extends SettingName> = (typeof settingsSchema)[Name]
type Output<Name extends SettingName> = v.InferOutput<Row<Name>['schema']>

/** The parsed settings; those without a default may be undefined. */
export type Settings = {
  readonly [Name in SettingName]: Row<Name> extends { default: string }
    ? Output<Name>
    : Output<Name> | undefined
}
