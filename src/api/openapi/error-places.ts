// Which routes answer with an error code, from the route table.
import type { ErrorCode } from '../../contract/errors.ts'
import type { ApiRoute } from '../route.ts'
import { table } from '../table.ts'
import { codesOf } from './responses.ts'

const codes = table.map((route) => ({ route, all: codesOf(route) }))

export const routesWith = (code: ErrorCode): readonly ApiRoute[] =>
  codes.filter(({ all }) => all.has(code)).map(({ route }) => route)

/** Answered before a route is found, so it is none of any route. */
const beforeRoutes: readonly ErrorCode[] = ['METHOD_NOT_ALLOWED']

/** Only the console answers with it. */
export const isOfConsole = (code: ErrorCode): boolean =>
  !beforeRoutes.includes(code) && routesWith(code).length === 0
