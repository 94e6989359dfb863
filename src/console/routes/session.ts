import * as v from 'valibot'
import { endedSessionCookie } from '../../accounts/operator-session.ts'
import { Answer } from '../../platform/http/route.ts'
import { publicRoute } from '../route.ts'
import { password, secondFactor } from '../schema.ts'
import { isSecure } from '../secure.ts'
import { openSession, proveOperator, sender } from '../sign-in.ts'
import { whence } from '../whence.ts'

const signIn = publicRoute({
  method: 'POST',
  path: '/session',
  summary: 'Sign in',
  body: v.strictObject({
    email: v.pipe(v.string(), v.maxLength(320)),
    password,
    ...secondFactor,
  }),
  errors: ['UNAUTHORIZED', 'RATE_LIMITED', 'OVERLOADED'],
  async handle({ services, body, request, sessionHash }) {
    const { email, password: given, ...factor } = body
    const attempt = { email, password: given, factor, ...sender(request) }
    const { proven, recoveryCodesLeft } = await proveOperator(services, attempt)
    const cookies = await openSession(services, proven, { request, replaces: sessionHash })
    return new Answer({ signedIn: true, recoveryCodesLeft }, { cookies })
  },
})

// Also succeeds for a session that has ended already: signing out twice is no error.
const signOut = publicRoute({
  method: 'DELETE',
  path: '/session',
  summary: 'Sign out',
  success: 204,
  async handle({ services, sessionHash, request }) {
    if (sessionHash) await services.sessions.end(sessionHash, whence(request))
    return new Answer(undefined, {
      cookies: [endedSessionCookie(isSecure(services.settings))],
    })
  },
})

export const sessionRoutes = [signIn, signOut]
