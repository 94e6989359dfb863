// The sessions of the signed-in operator: list them, end them, and confirm the password for the current one.
import * as v from 'valibot'
import { deviceOf } from '../../accounts/device.ts'
import { sessionLifetime } from '../../accounts/operator-session.ts'
import { AppError } from '../../contract/errors.ts'
import { encodeId } from '../../shared/ids.ts'
import { operatorRoute } from '../route.ts'
import { idParams, password, secondFactor } from '../schema.ts'
import { confirmOperator } from '../sign-in.ts'
import { whence } from '../whence.ts'
import { changeBy } from './second-factor.ts'

const listSessions = operatorRoute({
  method: 'GET',
  path: '/me/sessions',
  summary: 'Where you are signed in, the last used first',
  async handle({ services, operator }) {
    const sessions = await services.sessions.list(operator.operatorId)
    return {
      data: sessions.map(({ id, ip, userAgent, ...session }) => ({
        id: encodeId('session', id),
        device: deviceOf(userAgent),
        userAgent,
        address: ip,
        createdAt: session.createdAt.toISOString(),
        lastUsedAt: session.lastSeenAt.toISOString(),
        expiresAt: session.expiresAt.toISOString(),
        current: id === operator.sessionId,
      })),
      nextCursor: null,
    }
  },
})

const endSession = operatorRoute({
  method: 'DELETE',
  path: '/me/sessions/:id',
  summary: 'End one session, which may be this one',
  params: idParams('session'),
  success: 204,
  errors: ['NOT_FOUND'],
  async handle({ services, operator, params, request }) {
    if (!(await services.sessions.endOne(changeBy(operator, request), params.id)))
      throw new AppError('NOT_FOUND', 'you have no such session')
    return undefined
  },
})

const endOtherSessions = operatorRoute({
  method: 'DELETE',
  path: '/me/sessions',
  summary: 'End every session but this one',
  handle: async ({ services, operator, request }) => ({
    ended: await services.sessions.endOthers(changeBy(operator, request), operator.sessionId),
  }),
})

const confirm = operatorRoute({
  method: 'POST',
  path: '/me/confirm',
  summary: 'Give the password again, for what shows or changes secrets',
  body: v.strictObject({ password, ...secondFactor }),
  errors: ['FORBIDDEN', 'UNAUTHORIZED', 'RATE_LIMITED', 'OVERLOADED'],
  async handle({ services, operator, sessionHash, body, request }) {
    const { password: given, ...factor } = body
    const { recoveryCodesLeft } = await confirmOperator(services, operator, {
      password: given,
      factor,
      from: whence(request),
    })
    await services.sessions.prove(sessionHash, whence(request))
    return { confirmedForSeconds: sessionLifetime.proofMs / 1000, recoveryCodesLeft }
  },
})

export const mySessionRoutes = [listSessions, endSession, endOtherSessions, confirm]
