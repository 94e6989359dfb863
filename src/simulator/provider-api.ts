import { setTimeout } from 'node:timers/promises'
import { postCall } from './call-actions.ts'
import type { ApiFault } from './faults.ts'
import { newTraceId } from './ids.ts'
import { deleteMedia, downloadMedia, mediaView, uploadMedia } from './media.ts'
import { postMessage } from './messages.ts'
import type { BusinessNumber } from './model.ts'
import { changeSettings, listNumbers, numberView, settingsView } from './numbers.ts'
import { permissionView } from './permission.ts'
import { ProviderError, unknownEdge, unknownNode, wrongParameter } from './provider-error.ts'
import { handsetWithId } from './recipient.ts'
import { listSubscriptions, subscribe, unsubscribe } from './subscriptions.ts'
import { createTemplate, deleteTemplates, listTemplates, templateView } from './templates.ts'
import { continueUpload, startUpload, uploadView } from './uploads.ts'
import { handsetOf, type World } from './world.ts'

/** One incoming request. `body` is the parsed JSON, or undefined. */
export type ApiRequest = Readonly<{
  method: string
  path: string
  query: URLSearchParams
  authorization: string | undefined
  contentType: string
  /** The header of a resumable upload. */
  fileOffset?: string | undefined
  raw: Buffer
  body: unknown
}>

export type ApiReply =
  | Readonly<{ type: 'json'; status: number; body: unknown; headers?: Readonly<Record<string, string>> }>
  | Readonly<{
      type: 'bytes'
      bytes: Buffer
      contentType: string
      headers?: Readonly<Record<string, string>>
    }>
  /** No answer: `cut` closes the connection, `hang` leaves it open. */
  | Readonly<{ type: 'cut' }>
  | Readonly<{ type: 'hang' }>

type Handler = (world: World, request: ApiRequest, node: string) => unknown

const onNumber =
  (handle: (world: World, number: BusinessNumber, request: ApiRequest) => unknown): Handler =>
  (world, request, node) => {
    const number = world.numbers.get(node)
    if (number === undefined) throw unknownNode(node, request.method)
    return handle(world, number, request)
  }

const onAccount =
  (handle: (world: World, request: ApiRequest) => unknown): Handler =>
  (world, request, node) => {
    if (node !== world.settings.wabaId) throw unknownNode(node, request.method)
    return handle(world, request)
  }

/** An app is addressed as `app`, or by any id that is nothing else. */
const onApp =
  (handle: (world: World, request: ApiRequest) => unknown): Handler =>
  (world, request, node) => {
    const isOther = world.numbers.has(node) || node === world.settings.wabaId
    if (isOther || !/^(app|\d+)$/.test(node)) throw unknownNode(node, request.method)
    return handle(world, request)
  }

const upload: Handler = async (world, request) => ({ id: (await uploadMedia(world, request)).id })

/** Every operation by its method and edge. An empty edge is the node itself. */
const ROUTES: Readonly<Record<string, Handler>> = {
  'POST messages': onNumber((world, number, { body }) => postMessage(world, number, body)),
  'POST calls': onNumber((world, number, { body }) => postCall(world, number, body)),
  'POST media': onNumber((world, _, request) => upload(world, request, '')),
  'GET settings': onNumber((_, number) => settingsView(number)),
  'POST settings': onNumber((world, number, { body }) => changeSettings(world, number, body)),
  'GET call_permissions': onNumber((world, number, { query }) => {
    const waId = query.get('user_wa_id')
    const recipient = query.get('recipient')
    if (waId !== null) return permissionView(world, number, handsetOf(world, waId))
    if (recipient !== null) return permissionView(world, number, handsetWithId(world, recipient))
    throw wrongParameter(100, 'The parameter user_wa_id is required.')
  }),
  'GET message_templates': onAccount((world, { query, path }) =>
    listTemplates(world, query, world.url + path),
  ),
  'POST message_templates': onAccount((world, { body }) => createTemplate(world, body)),
  'DELETE message_templates': onAccount((world, { query }) => deleteTemplates(world, query)),
  'GET phone_numbers': onAccount((world, { query, path }) => listNumbers(world, query, world.url + path)),
  'GET subscribed_apps': onAccount((world) => listSubscriptions(world)),
  'POST subscribed_apps': onAccount((world, { body }) => subscribe(world, body)),
  'DELETE subscribed_apps': onAccount((world) => unsubscribe(world)),
  'POST uploads': onApp((world, { query, body }) => startUpload(world, query, body)),
  'POST ': (world, { method, raw, fileOffset }, node) => {
    if (!node.startsWith('upload:')) throw unknownNode(node, method)
    return continueUpload(world, node, fileOffset, raw)
  },
  'GET ': getNode,
  'DELETE ': (world, _, node) => {
    deleteMedia(world, node)
    return { success: true }
  },
}

/** Numbers, templates and media files share one namespace of ids. */
function getNode(world: World, { query }: ApiRequest, node: string): unknown {
  if (node.startsWith('upload:')) return uploadView(world, node)
  const number = world.numbers.get(node)
  if (number !== undefined) return numberView(world, number, query)
  const template = world.templates.get(node)
  if (template !== undefined) return templateView(template, query)
  const file = world.media.get(node)
  if (file !== undefined) return mediaView(world, file)
  throw unknownNode(node)
}

/** Without a version, the provider takes the newest one. */
const PATH = /^(?:\/v\d+(?:\.\d+)?)?\/([^/]+)(?:\/([^/]+))?\/?$/

export const isProviderPath = (path: string): boolean =>
  /^\/(v\d+(\.\d+)?\/|media-files\/|\d{5,}(\/|$)|app\/|upload:)/.test(path)

/** Answers one request of the gateway. Faults apply before everything else. */
export async function answerProvider(world: World, request: ApiRequest): Promise<ApiReply> {
  const [, node = '', edge = ''] = PATH.exec(request.path) ?? []
  const fault = world.faults.take(factsOf(request, edge), Date.now())
  if (fault?.delayMs !== undefined) await setTimeout(fault.delayMs, undefined, { ref: false })
  if (fault?.hang === true) return { type: 'hang' }
  if (fault?.dropConnection === 'before') return { type: 'cut' }
  const reply = await guarded(() => perform(world, request, { node, edge, fault }))
  return fault?.dropConnection === 'after' ? { type: 'cut' } : reply
}

/** What fault rules match. Requests without an edge get `download` for a file's bytes, otherwise `node`. */
function factsOf({ path, body }: ApiRequest, edge: string) {
  const field = (name: string): string | undefined => {
    const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
    return typeof value === 'string' ? value : undefined
  }
  const bare = path.startsWith('/media-files/') ? 'download' : 'node'
  return { edge: edge === '' ? bare : edge, action: field('action'), to: field('to') ?? field('recipient') }
}

type Target = Readonly<{ node: string; edge: string; fault: ApiFault | undefined }>

async function perform(world: World, request: ApiRequest, { node, edge, fault }: Target): Promise<ApiReply> {
  checkToken(world, request.authorization)
  if (fault?.code !== undefined || fault?.status !== undefined) {
    throw new ProviderError(
      fault.code ?? 1,
      'Told to fail.',
      fault.status === undefined ? {} : { status: fault.status },
    )
  }
  if (request.path.startsWith('/media-files/')) {
    const file = downloadMedia(world, request.query)
    return { type: 'bytes', bytes: file.bytes, contentType: file.mimeType }
  }
  const handle = ROUTES[`${request.method} ${edge}`]
  if (handle === undefined && isKnown(world, node)) throw unknownEdge(edge)
  if (handle === undefined || node === '') throw unknownNode(node, request.method)
  return { type: 'json', status: 200, body: await handle(world, request, node) }
}

const isKnown = (world: World, node: string): boolean =>
  node === world.settings.wabaId || [world.numbers, world.templates, world.media].some((map) => map.has(node))

function checkToken(world: World, authorization: string | undefined): void {
  if (authorization === undefined) {
    throw new ProviderError(104, undefined, {
      message: 'An access token is required to request this resource.',
    })
  }
  // Resumable uploads have the scheme OAuth.
  if (!['Bearer', 'OAuth'].some((scheme) => authorization === `${scheme} ${world.settings.accessToken}`)) {
    throw new ProviderError(190, undefined, {
      message: 'Invalid OAuth access token - Cannot parse access token',
    })
  }
}

async function guarded(work: () => Promise<ApiReply>): Promise<ApiReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const headers = { 'x-fb-trace-id': newTraceId() }
    return { type: 'json', status: error.status, body: error.envelope(), headers }
  }
}
