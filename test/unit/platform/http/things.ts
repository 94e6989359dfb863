// A small edge with every kind of route and answer.
import * as v from 'valibot'
import { AppError } from '../../../../src/contract/errors.ts'
import { stringMap } from '../../../../src/platform/http/fields.ts'
import { createPipeline, type Served } from '../../../../src/platform/http/pipeline.ts'
import type { BucketState } from '../../../../src/platform/http/rate-limit.ts'
import { Answer, LinesAnswer, RawAnswer, type Route } from '../../../../src/platform/http/route.ts'
import { dispatch, type RequestParts } from './requests.ts'

export const route = (row: Partial<Route<string>> & Pick<Route<string>, 'path'>): Route<string> => ({
  method: 'GET',
  summary: '',
  success: 200,
  errors: [],
  handle: () => ({ ok: true }),
  ...row,
})

const things = [
  route({
    path: '/things',
    query: v.strictObject({
      size: v.optional(v.string()),
      labels: v.optional(stringMap({ pairs: 2, nameLength: 5, valueLength: 5 })),
    }),
    handle: ({ query }) => query,
  }),
  route({
    path: '/things',
    method: 'POST',
    success: 201,
    body: v.strictObject({ name: v.string(), tags: v.optional(v.array(v.string())) }),
    handle: ({ body, context }) => ({ body, context }),
  }),
  route({
    path: '/things/:id',
    params: v.strictObject({ id: v.pipe(v.string(), v.regex(/^\d+$/)) }),
    handle: ({ params }) => params,
  }),
  route({ path: '/things/special', handle: () => ({ special: true }) }),
  route({
    path: '/lines',
    method: 'POST',
    body: v.strictObject({ lines: v.array(v.string()) }),
    handle: ({ body }) => body,
    upload: {
      types: ['text/plain'],
      limitBytes: 1_000,
      async handle({ query, upload: { type, pieces } }) {
        let bytes = 0
        for await (const piece of pieces) bytes += piece.byteLength
        return { type, bytes, query }
      },
    },
  }),
  route({
    path: '/values',
    handle: () =>
      new LinesAnswer(
        (async function* () {
          yield [{ a: 1 }, 'b']
          throw new AppError('INVALID_STATE', 'no more')
        })(),
      ),
  }),
  route({ path: '/answer', handle: () => new Answer({ a: 1 }, { status: 202, headers: { 'x-a': 'b' } }) }),
  route({ path: '/raw', handle: () => new RawAnswer('a,b', { 'content-type': 'text/csv' }) }),
  route({ path: '/nothing', success: 204, handle: () => undefined }),
]

interface Setup {
  readonly bucket?: BucketState
  readonly fail?: unknown
  readonly admitFail?: AppError
  /** Postgres is away. */
  readonly isAway?: boolean
  /** Paths that an overloaded process refuses. */
  readonly shed?: readonly string[]
}

export function pipeline(setup: Setup = {}) {
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const served: Served[] = []
  const write = (level: string) => (fields: unknown, message: unknown) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message: String(message) })
  }
  const failing = route({
    path: '/fail',
    handle: () => {
      throw setup.fail
    },
  })
  const failingLines = route({
    path: '/failing-lines',
    handle: () =>
      new LinesAnswer(
        // biome-ignore lint/correctness/useYield: it fails before its first line.
        (async function* (): AsyncGenerator<readonly unknown[]> {
          throw setup.fail
        })(),
      ),
  })
  const handler = createPipeline({
    prefix: '/api',
    routes: [...things, failing, failingLines],
    isAvailable: () => !setup.isAway,
    ...(setup.shed ? { admits: ({ path }) => !setup.shed?.includes(path) } : {}),
    guard: async () => {
      if (setup.admitFail) throw setup.admitFail
      return {
        context: 'me',
        subject: { workspaceId: 'wsp_1', keyId: 'key_1' },
        ...(setup.bucket ? { bucket: { key: 'k', ratePerSecond: 100, burst: 200 } } : {}),
      }
    },
    ...(setup.bucket ? { limiter: { take: async () => setup.bucket as BucketState } } : {}),
    log: { info: write('info'), warn: write('warn'), error: write('error') } as never,
    onServed: (record) => served.push(record),
  })
  const send = (parts: RequestParts) => dispatch(handler, parts)
  return { handler, send, lines, served }
}
