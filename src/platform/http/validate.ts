// Validates values against schemas. Lists faults by path, in words for the person who sent the request.
import * as v from 'valibot'
import { AppError, type ErrorDetail } from '../../contract/errors.ts'
import { isStorable } from '../../shared/storable-text.ts'
import type { Schema } from './route.ts'

const mostDetails = 20
// The name of an unknown field may be as long as the body.
const longestPath = 200

const objectSchemas = new Set(['strict_object', 'object', 'variant'])

/** The validated value, or the details of the faults. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly details: ErrorDetail[] }

export function check(schema: Schema, value: unknown): Checked {
  // valibot accepts a list as an object without fields.
  if (Array.isArray(value) && objectSchemas.has(schema.type))
    return { ok: false, details: [{ path: 'body', message: 'must be an object' }] }
  const result = v.safeParse(schema, value)
  if (!result.success) return { ok: false, details: result.issues.slice(0, mostDetails).map(toDetail) }
  const path = unstorablePath(value)
  if (path === undefined) return { ok: true, value: result.output }
  return {
    ok: false,
    details: [{ path: path === '' ? 'body' : path, message: 'holds a character that is not text' }],
  }
}

export function validationError(details: readonly ErrorDetail[]): AppError {
  const [first] = details
  const message = first ? told(first) : 'the request does not fit'
  return new AppError('VALIDATION_ERROR', message, { details: details.slice(0, mostDetails) })
}

/** A message that begins with a capital is a sentence of its own; any other goes on after the path. */
const told = ({ path, message }: ErrorDetail): string =>
  /^\p{Lu}/u.test(message) ? message : `${path ?? 'the request'} ${message}`

function toDetail(issue: v.BaseIssue<unknown>): ErrorDetail {
  const path = (v.getDotPath(issue) ?? '').slice(0, longestPath)
  return { path: path === '' ? 'body' : path, message: inWords(issue) }
}

function inWords(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'schema') {
    if (issue.expected === 'never') return 'is not a known field'
    if (issue.received === 'undefined') return 'is required'
  }
  if (!issue.message.startsWith('Invalid ')) return issue.message
  const rule = rules[issue.type]
  if (rule !== undefined) return rule(issue.requirement)
  return `must be ${kindInWords(issue.expected ?? 'another value')}`
}

const rules: Readonly<Record<string, (requirement: unknown) => string>> = {
  integer: () => 'must be a whole number',
  min_value: (least) => `must be at least ${least}`,
  max_value: (most) => `must be at most ${most}`,
  min_length: (least) => `must be at least ${least} long`,
  max_length: (most) => `must be at most ${most} long`,
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Object: 'an object',
  Array: 'a list',
}

// valibot writes a choice as `("A" | "B")` and a single literal as `"A"`.
function kindInWords(expected: string): string {
  const known = kinds[expected]
  if (known !== undefined) return known
  const choices = expected.replace(/^\(|\)$/g, '').split(' | ')
  return choices.length === 1 ? choices.join() : `one of ${choices.join(', ')}`
}

/**
 * The path of a text with NUL or a lone surrogate, which Postgres cannot store; undefined when there is none.
 * The value fits its schema, so the schema bounds the recursion.
 */
function unstorablePath(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : path
  if (value === null || typeof value !== 'object') return undefined
  for (const [key, inner] of Object.entries(value)) {
    const below = path === '' ? key : `${path}.${key}`
    const found = isStorable(key) ? unstorablePath(inner, below) : path
    if (found !== undefined) return found
  }
  return undefined
}
