import * as v from 'valibot'
import { barrierOf } from '../../accounts/session-rules.ts'
import { Answer } from '../../platform/http/route.ts'
import { encodeId } from '../../shared/ids.ts'
import { refuseCommonPassword } from '../new-password.ts'
import { operatorRoute } from '../route.ts'
import { newPassword, password, secondFactor } from '../schema.ts'
import { confirmOperator, notCurrent, openSession } from '../sign-in.ts'
import { whence } from '../whence.ts'
import { changeBy } from './second-factor.ts'

const readMe = operatorRoute({
  method: 'GET',
  path: '/me',
  summary: 'The signed-in operator, the workspaces of which he is a member, and what keeps him out of one',
  async handle({ services, operator }) {
    const memberships = await services.sessions.memberships(operator.operatorId)
    return {
      operator: {
        id: encodeId('operator', operator.operatorId),
        email: operator.email,
        name: operator.name,
        platformOwner: operator.platformOwner,
        verified: operator.verified,
        totp: operator.hasTotp,
        recoveryCodesLeft: operator.recoveryCodesLeft,
      },
      workspaces: memberships.map(({ workspaceId, name, status, role, secondFactorFrom, ...rules }) => ({
        id: encodeId('workspace', workspaceId),
        name,
        status,
        role,
        secondFactorFrom: secondFactorFrom?.toISOString() ?? null,
        barrier: barrierOf(rules, operator),
      })),
      handsetsUrl: services.settings.handsetsUrl ?? null,
    }
  },
})

const changePassword = operatorRoute({
  method: 'PUT',
  path: '/me/password',
  summary: 'Change the password; every session ends, and this browser gets a new one',
  body: v.strictObject({ password, newPassword, ...secondFactor }),
  success: 204,
  errors: ['FORBIDDEN', 'UNAUTHORIZED', 'RATE_LIMITED', 'OVERLOADED'],
  async handle({ services, operator, body, request }) {
    const { password: given, newPassword: wanted, ...factor } = body
    await refuseCommonPassword(wanted, 'newPassword')
    const from = whence(request)
    const { proven } = await confirmOperator(services, operator, { password: given, factor, from })
    const passwordHash = await services.passwords.hash(wanted)
    if (!(await services.operators.setPassword(changeBy(operator, request), passwordHash, proven)))
      throw notCurrent()
    const cookies = await openSession(services, { ...proven, passwordHash }, { request, replaces: undefined })
    return new Answer(undefined, { cookies })
  },
})

export const meRoutes = [readMe, changePassword]
