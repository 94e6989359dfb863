import * as v from 'valibot'
import { Answer } from '../../platform/http/route.ts'
import { encodeId } from '../../shared/ids.ts'
import { operatorRoute } from '../route.ts'
import { newPassword, password } from '../schema.ts'
import { confirmPassword, openSession } from '../sign-in.ts'
import { changeBy } from './second-factor.ts'

const readMe = operatorRoute({
  method: 'GET',
  path: '/me',
  summary: 'The signed-in operator and the workspaces of which he is a member',
  async handle({ services, operator }) {
    const memberships = await services.sessions.memberships(operator.operatorId)
    return {
      operator: {
        id: encodeId('operator', operator.operatorId),
        email: operator.email,
        name: operator.name,
        platformOwner: operator.platformOwner,
        totp: operator.hasTotp,
        recoveryCodesLeft: operator.recoveryCodesLeft,
      },
      workspaces: memberships.map(({ workspaceId, name, status, role }) => ({
        id: encodeId('workspace', workspaceId),
        name,
        status,
        role,
      })),
    }
  },
})

const changePassword = operatorRoute({
  method: 'PUT',
  path: '/me/password',
  summary: 'Change the password; every session ends, and this browser gets a new one',
  body: v.strictObject({ password, newPassword }),
  success: 204,
  errors: ['FORBIDDEN', 'RATE_LIMITED', 'OVERLOADED'],
  async handle({ services, operator, body, request }) {
    const address = request.remoteAddress
    await confirmPassword(services, operator, { password: body.password, address })
    const hash = await services.passwords.hash(body.newPassword)
    await services.operators.setPassword(changeBy(operator, request), hash)
    const cookie = await openSession(services, operator.operatorId, { request, replaces: undefined })
    return new Answer(undefined, { headers: { 'set-cookie': cookie } })
  },
})

export const meRoutes = [readMe, changePassword]
