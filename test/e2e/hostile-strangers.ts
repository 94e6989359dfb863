// Well-formed requests to every route with an id: ids of another workspace, and ids that do not exist.
import { rowKey } from '../../src/api/openapi/operation.ts'
import { operationNotes } from '../../src/api/openapi/operations.ts'
import { table } from '../../src/api/table.ts'
import type { Ask } from './hostile-client.ts'
import { session } from './sdp.ts'

/** Ids of one workspace, by the first segment of their paths. */
export type Ids = Readonly<
  Record<'messages' | 'conversations' | 'calls' | 'campaigns' | 'templates' | 'numbers', string>
>

export const nobodys: Ids = {
  messages: 'msg_00000000000000000000000000',
  conversations: 'cnv_00000000000000000000000000',
  calls: 'call_00000000000000000000000000',
  campaigns: 'cmp_00000000000000000000000000',
  templates: 'tpl_00000000000000000000000000',
  numbers: 'num_00000000000000000000000000',
}

const sessions: Readonly<Record<string, unknown>> = {
  'POST /calls/:id/answer': { session: session('answer') },
  'POST /conversations/:id/call': { session: session('offer') },
}

export const foreignAsks = (ids: Ids): readonly Ask[] =>
  table
    .filter(({ path }) => path.includes(':id'))
    .map((row) => {
      const name = rowKey(row)
      const id = ids[row.path.split('/')[1] as keyof Ids]
      const body = sessions[name] ?? operationNotes[name]?.request
      const { method } = row
      return { method, path: row.path.replace(':id', id), ...(body === undefined ? {} : { body }) }
    })
