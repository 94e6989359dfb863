import * as v from 'valibot'
import type { MemberChange } from '../../accounts/operator.ts'
import { roles } from '../../accounts/roles.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import { encodeId } from '../../shared/ids.ts'
import { platformRoute, workspaceRoute } from '../route.ts'
import { idParams } from '../schema.ts'
import { memberFor } from '../shown-to.ts'

const listMembers = workspaceRoute({
  method: 'GET',
  path: '/members',
  summary: 'Who belongs to the workspace, and in which role',
  role: 'VIEWER',
  handle: async ({ services, author, role }) => ({
    data: (await services.members.list(author.workspaceId)).map((member) => memberFor(role, member)),
    nextCursor: null,
  }),
})

const changeMember = workspaceRoute({
  method: 'PATCH',
  path: '/members/:id',
  summary: 'Change the role of a member',
  needsProof: ({ body }) => body.role === 'OWNER',
  role: 'OWNER',
  params: idParams('operator'),
  body: v.strictObject({ role: v.picklist(roles) }),
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ services, author, params, body: { role } }) {
    const operatorId = changed(await services.members.change(author, params.id, role))
    return { operatorId: encodeId('operator', operatorId), role }
  },
})

const removeMember = workspaceRoute({
  method: 'DELETE',
  path: '/members/:id',
  summary: 'Take an operator out of the workspace',
  role: 'OWNER',
  params: idParams('operator'),
  success: 204,
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ services, author, params }) {
    changed(await services.members.remove(author, params.id))
    return undefined
  },
})

const setStatus = (verb: 'suspend' | 'resume', status: 'SUSPENDED' | 'ACTIVE') =>
  platformRoute({
    method: 'POST',
    path: `/${verb}`,
    summary: verb === 'suspend' ? 'Refuse the workspace’s API keys from now on' : 'Let them in again',
    errors: ['NOT_FOUND'],
    async handle({ services, author }) {
      if (!(await services.members.setStatus(author, status)))
        throw new AppError('NOT_FOUND', 'there is no such workspace')
      return { id: encodeId('workspace', author.workspaceId), status }
    },
  })

/** For every workspace of the operator at once, so only the platform owner may. */
const setDisabled = (verb: 'disable' | 'enable') =>
  platformRoute({
    method: 'POST',
    path: `/members/:id/${verb}`,
    summary:
      verb === 'disable' ? 'End every session of a member and refuse sign-ins' : 'Allow sign-ins again',
    params: idParams('operator'),
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async handle({ services, author, params: { id } }) {
      if (id === author.operatorId)
        throw new AppError('INVALID_STATE', 'nobody disables the own account: ask another platform owner')
      const membership = await services.sessions.membership(id, author.workspaceId)
      if (membership === undefined) throw notFound('member')
      const { operatorId: by, ip, userAgent } = author
      const change = { operatorId: id, by, ip, userAgent }
      await services.operators.setDisabled(change, verb === 'disable')
      return { operatorId: encodeId('operator', id), isDisabled: verb === 'disable' }
    },
  })

function changed(change: MemberChange) {
  switch (change.type) {
    case 'changed':
      return change.operatorId
    case 'notFound':
      throw notFound('member')
    case 'lastOwner':
      throw new AppError(
        'INVALID_STATE',
        'a workspace keeps at least one owner: make somebody else one first',
      )
  }
}

export const memberRoutes = [
  listMembers,
  changeMember,
  removeMember,
  setStatus('suspend', 'SUSPENDED'),
  setStatus('resume', 'ACTIVE'),
  setDisabled('disable'),
  setDisabled('enable'),
]
