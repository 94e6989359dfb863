// Messages with buttons, a list, a link or a flow, as requests give them. The limits are the provider's.
import * as v from 'valibot'
import type { InteractiveAction } from '../../contract/message-content.ts'
import { about, shownAs } from '../../platform/http/shown.ts'
import { address, fileEntries, fileOf, hasOneFile, orNull, words } from './content-fields.ts'

const textHeader = v.strictObject({ kind: v.literal('text'), text: words(60) })
const header = orNull(
  v.pipe(
    v.variant('kind', [
      textHeader,
      v.strictObject({ kind: v.picklist(['image', 'video', 'document']), ...fileEntries }),
    ]),
    v.check((given) => given.kind === 'text' || hasOneFile(given), 'must have either id or link'),
  ),
)
const footer = orNull(words(60))
const body = words(1_024)

const areUnique = (values: readonly string[]) => new Set(values).size === values.length

const buttons = v.pipe(
  v.array(v.strictObject({ id: words(256), title: words(20) })),
  v.minLength(1, 'must have at least one button'),
  v.maxLength(3, 'must have at most 3 buttons'),
  v.check((list) => areUnique(list.map((one) => one.id)), 'must not have two with the same id'),
  v.check((list) => areUnique(list.map((one) => one.title)), 'must not have two with the same title'),
)

const row = v.strictObject({ id: words(200), title: words(24), description: orNull(words(72)) })
const section = v.strictObject({
  title: orNull(words(24)),
  rows: v.pipe(v.array(row), v.minLength(1, 'must have at least one row')),
})
const rowsOf = (sections: readonly { readonly rows: readonly { readonly id: string }[] }[]) =>
  sections.flatMap(({ rows }) => rows)
const sections = v.pipe(
  v.array(section),
  v.minLength(1, 'must have at least one section'),
  v.maxLength(10, 'must have at most 10 sections'),
  v.check((list) => rowsOf(list).length <= 10, 'must have at most 10 rows in all sections together'),
  v.check((list) => areUnique(rowsOf(list).map((one) => one.id)), 'must not have two rows with the same id'),
  v.check(
    (list) => list.length === 1 || list.every(({ title }) => title !== null),
    'must each have a title where there are several',
  ),
)

const deepest = 32

/** Not by recursion: a body of the usual size can be nested deeper than the stack is. */
function isShallow(given: Record<string, unknown>): boolean {
  let level: unknown[] = [given]
  for (let depth = 0; depth <= deepest && level.length > 0; depth += 1)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  return level.length === 0
}

const screenData = v.pipe(
  v.custom<Record<string, unknown>>(
    (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
    'must be an object',
  ),
  v.check(isShallow, `must not be nested deeper than ${deepest} levels`),
  shownAs({ type: 'object', additionalProperties: true }),
)

const flow = v.pipe(
  v.strictObject({
    id: v.optional(words(64)),
    name: about(v.optional(words(200)), 'In place of `id`.'),
    title: about(words(30), 'The text of the button that opens the flow.'),
    token: about(orNull(words(1_024)), 'Comes back with the answer.'),
    draft: about(v.optional(v.boolean(), false), 'Opens the draft of a flow that is not published.'),
    screen: about(
      orNull(v.strictObject({ name: words(200), data: orNull(screenData) })),
      'The first screen and what it shows. Left out: the flow asks its own server.',
    ),
  }),
  v.check(
    ({ id: flowId, name }) => (flowId === undefined) !== (name === undefined),
    'must have either id or name',
  ),
)

const offered = v.variant('kind', [
  v.strictObject({ kind: v.literal('buttons'), header, body, footer, buttons }),
  v.strictObject({
    kind: v.literal('list'),
    header: orNull(textHeader),
    body: words(4_096),
    footer,
    list: v.strictObject({ button: words(20), sections }),
  }),
  v.strictObject({
    kind: v.literal('link'),
    header,
    body,
    footer,
    link: v.strictObject({ title: words(20), url: address(['https:', 'http:']) }),
  }),
  v.strictObject({ kind: v.literal('location_request'), body }),
  v.strictObject({ kind: v.literal('flow'), header, body, footer, flow }),
])

export const interactive = v.pipe(
  offered,
  v.transform((given) => ({
    kind: 'interactive' as const,
    interactive: {
      header: 'header' in given && given.header ? headerOf(given.header) : null,
      body: given.body,
      footer: 'footer' in given ? given.footer : null,
      action: actionOf(given),
    },
  })),
)

function actionOf(given: v.InferOutput<typeof offered>): InteractiveAction {
  switch (given.kind) {
    case 'buttons':
      return { kind: given.kind, buttons: given.buttons }
    case 'list':
      return { kind: given.kind, ...given.list }
    case 'link':
      return { kind: given.kind, ...given.link }
    case 'location_request':
      return { kind: given.kind }
    case 'flow': {
      const { id: flowId, name, title, token, draft, screen } = given.flow
      return {
        kind: given.kind,
        flow: flowId === undefined ? { name: name ?? '' } : { id: flowId },
        title,
        token,
        isDraft: draft,
        screen,
      }
    }
  }
}

const headerOf = (given: NonNullable<v.InferOutput<typeof header>>) =>
  given.kind === 'text' ? given : { kind: given.kind, file: fileOf(given) }
