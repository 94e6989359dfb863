// The commands of `npm run operator`. Passwords are never arguments, because shells keep arguments: they are
// read from standard input or printed.

import { createParkedMessageStore } from '../../platform/postgres/parked-messages.store.ts'
import type { Pool } from '../../platform/postgres/sql.ts'
import { CommandRefused } from '../../platform/process/command.ts'
import { decodeId, encodeId, newId } from '../../shared/ids.ts'
import { isCommonPassword } from '../common-password.ts'
import type { OperatorOrigin } from '../operator.ts'
import { createPasswordHasher, passwordLimits } from '../password.ts'
import { type ResealReport, resealAll } from '../reseal.ts'
import { isRole, roles } from '../roles.ts'
import type { SecretBox } from '../secret-box.ts'
import { createMemberStore } from '../store/members.store.ts'
import { createOperatorStore, type ListedOperator } from '../store/operators.store.ts'
import { createSealedSecretStore, sealedColumns } from '../store/sealed-secrets.store.ts'

export const operatorUsage = `npm run operator -- <command>

  create <email> [--name <name>] [--platform-owner]   a new operator, with a password that is printed once
  reset <email>                                        a new password; every session of the operator ends
  remove-totp <email>                                  takes the second factor away
  disable <email>                                      ends every session; no sign-in anywhere until enabled
  enable <email>                                       lets the operator sign in again, with the roles as before
  verify <email>                                       the address belongs to the person who uses the account
  grant <email> <workspace id> <${roles.join('|')}> [--force]
                                                       --force also takes an account that nobody has verified
  workspace <name> [--waba <id>]                       a new workspace, connected to that business account
  list                                                 operators and their roles
  reseal                                               seals every secret under the first key of SECRETS_KEY
  parked                                               messages that an actor could not handle, the latest first

With --password-stdin, create and reset read the password from standard input instead.
`

export interface OperatorCommand {
  readonly words: readonly string[]
  readonly name: string | undefined
  readonly waba: string | undefined
  readonly platformOwner: boolean
  /** Grants a role to an account that nobody has verified. */
  readonly force: boolean
  /** As read from standard input; undefined: generate one. */
  readonly password: string | undefined
}

/** The command cannot be run. The message is for the person at the terminal. */

interface Terminal {
  readonly sql: Pool
  readonly makePassword: () => string
  /** Under the keys of SECRETS_KEY; only `reseal` asks for it. Throws where it is not set. */
  readonly secrets?: () => SecretBox
  /** log2 of scrypt's N; only tests lower it. */
  readonly logN?: number
}

/** Returns the lines to print. Throws CommandRefused. */
export async function runOperatorCommand(terminal: Terminal, command: OperatorCommand): Promise<string[]> {
  const [verb, ...words] = command.words
  const run = verb === undefined ? undefined : verbs[verb]
  if (run === undefined || words.length !== run.words) throw new CommandRefused(operatorUsage)
  return run.run(terminal, command, words)
}

interface Verb {
  readonly words: number
  run(terminal: Terminal, command: OperatorCommand, words: readonly string[]): Promise<string[]>
}

const verbs: Readonly<Record<string, Verb>> = {
  create: {
    words: 1,
    async run(terminal, command, [email = '']) {
      if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new CommandRefused(`${email} is no e-mail address`)
      const { password, passwordHash } = await newPassword(terminal, command)
      const id = await createOperatorStore(terminal.sql).create({
        email,
        name: command.name ?? email,
        passwordHash,
        platformOwner: command.platformOwner,
      })
      if (id === undefined) throw new CommandRefused(`there is an operator ${email} already`)
      return [`created ${email} (${encodeId('operator', id)})`, ...shown(command, password)]
    },
  },

  reset: {
    words: 1,
    async run(terminal, command, [email = '']) {
      const { id } = await existing(terminal, email)
      const { password, passwordHash } = await newPassword(terminal, command)
      await createOperatorStore(terminal.sql).setPassword(
        { operatorId: id, by: null, ip: null },
        passwordHash,
      )
      return [`${email} has a new password and is signed out everywhere`, ...shown(command, password)]
    },
  },

  'remove-totp': {
    words: 1,
    async run(terminal, _command, [email = '']) {
      const { id } = await existing(terminal, email)
      await createOperatorStore(terminal.sql).removeTotp({ operatorId: id, by: null, ip: null })
      return [`${email} signs in with the password alone`]
    },
  },

  disable: {
    words: 1,
    async run(terminal, _command, [email = '']) {
      const { id } = await existing(terminal, email)
      await createOperatorStore(terminal.sql).setDisabled({ operatorId: id, by: null, ip: null }, true)
      return [`${email} is signed out everywhere and cannot sign in`]
    },
  },

  enable: {
    words: 1,
    async run(terminal, _command, [email = '']) {
      const { id } = await existing(terminal, email)
      await createOperatorStore(terminal.sql).setDisabled({ operatorId: id, by: null, ip: null }, false)
      return [`${email} can sign in`]
    },
  },

  verify: {
    words: 1,
    async run(terminal, _command, [email = '']) {
      const { origin, id } = await originOf(terminal, email)
      const isNew = await createOperatorStore(terminal.sql).verify({ operatorId: id, by: null, ip: null })
      return [origin, isNew ? `${email} is verified` : `${email} was verified already`]
    },
  },

  grant: {
    words: 3,
    async run(terminal, command, [email = '', workspace = '', role = '']) {
      const workspaceId = decodeId('workspace', workspace)
      if (!isRole(role)) throw new CommandRefused(`${role} is no role; they are ${roles.join(', ')}`)
      const { sql } = terminal
      const [known] = workspaceId ? await sql`select from workspaces where id = ${workspaceId}` : []
      if (workspaceId === undefined || known === undefined)
        throw new CommandRefused(`there is no workspace ${workspace}`)
      const { origin, isVerified } = await originOf(terminal, email)
      if (!isVerified && !command.force)
        throw new CommandRefused(
          `${origin}\nAsk that person by another way than the invitation. Then verify ${email}, or repeat this with --force.`,
        )
      const author = { workspaceId, operatorId: null, ip: null }
      const change = await createMemberStore(sql).grant(author, email, role)
      if (change.type === 'notFound') throw new CommandRefused(`there is no operator ${email}`)
      if (change.type === 'lastOwner')
        throw new CommandRefused(`${email} is the last owner of ${workspace}: make somebody else one first`)
      return [origin, `${email} is ${role} of ${workspace}`]
    },
  },

  workspace: {
    words: 1,
    async run({ sql }, { waba }, [name = '']) {
      const id = newId('workspace')
      await sql`insert into workspaces (id, name, waba_id) values (${id}, ${name}, ${waba ?? null})`
      return [`created ${name} (${encodeId('workspace', id)})`]
    },
  },

  parked: {
    words: 0,
    async run({ sql }) {
      const rows = await createParkedMessageStore(sql).list(parkedAtMost)
      return rows.map(
        ({ kind, actorId, messageType, error, count, lastAt }) =>
          `${lastAt.toISOString()}  ${encodeId(kind, actorId)}  ${messageType}  ${count} times  ${error}`,
      )
    },
  },

  reseal: {
    words: 0,
    async run({ sql, secrets }) {
      if (secrets === undefined) throw new CommandRefused('there is no SECRETS_KEY here')
      const store = createSealedSecretStore(sql)
      return resealed(await resealAll({ columns: sealedColumns, ...store }, secrets()))
    },
  },

  list: {
    words: 0,
    async run({ sql }) {
      const operators = await createOperatorStore(sql).list()
      return operators.flatMap((operator) => [
        `${operator.email}  ${operator.name}${marks(operator)}`,
        ...operator.memberships.map(
          ({ role, workspace, workspaceId }) =>
            `  ${role} of ${workspace} (${encodeId('workspace', workspaceId)})`,
        ),
      ])
    },
  },
}

const parkedAtMost = 100

/** Refused while another key is needed: so a script that goes on after it does not take that key away. */
function resealed({ total, moved, left, unopened }: ResealReport): string[] {
  const lines = [`sealed ${moved} of ${total} secrets again`]
  for (const [keyId, count] of unopened)
    lines.push(`${count} sealed under key id "${keyId}" are opened by no key here`)
  if (left > 0)
    lines.push(`${left} are still sealed by another key: a process has another first key; run this again`)
  if (left > 0 || unopened.size > 0)
    throw new CommandRefused([...lines, 'keep every key of SECRETS_KEY'].join('\n'))
  return [...lines, 'the first key of SECRETS_KEY opens everything: the others can go']
}

/** Where the account comes from, in words. */
async function originOf({ sql }: Terminal, email: string) {
  const found = await createOperatorStore(sql).originOf(email)
  if (found === undefined) throw new CommandRefused(`there is no operator ${email}`)
  const { id, verifiedAt } = found
  const standing = verifiedAt === null ? 'not verified' : `verified on ${day(verifiedAt)}`
  return { id, isVerified: verifiedAt !== null, origin: `${email} ${wayOf(found)}, ${standing}` }
}

function wayOf({ createdAt, verifiedAt, invitedTo, invitedBy }: OperatorOrigin): string {
  if (invitedTo === null)
    return verifiedAt === null
      ? `has existed since ${day(createdAt)}, nobody knows how it was created`
      : `was created by the operator command on ${day(createdAt)}`
  const inviter =
    invitedBy === null ? 'somebody who has no account any more' : `${invitedBy.name} (${invitedBy.email})`
  const workspace = `${invitedTo.name} (${encodeId('workspace', invitedTo.id)})`
  return `came on ${day(createdAt)} by an invitation of ${inviter} to ${workspace}`
}

const day = (at: Date): string => at.toISOString().slice(0, 10)

async function existing({ sql }: Terminal, email: string) {
  const operator = await createOperatorStore(sql).findByEmail(email)
  if (operator === undefined) throw new CommandRefused(`there is no operator ${email}`)
  return operator
}

async function newPassword({ makePassword, logN }: Terminal, command: OperatorCommand) {
  const password = command.password ?? makePassword()
  const { minLength, maxLength } = passwordLimits
  if (password.length < minLength || password.length > maxLength)
    throw new CommandRefused(`a password has ${minLength} to ${maxLength} characters`)
  if (await isCommonPassword(password))
    throw new CommandRefused('that password is one of those that are guessed first')
  const hasher = createPasswordHasher(logN === undefined ? {} : { logN })
  return { password, passwordHash: await hasher.hash(password) }
}

const shown = (command: OperatorCommand, password: string): string[] =>
  command.password === undefined ? [`password: ${password}`] : []

const marks = ({ platformOwner, hasTotp, verified, isDisabled }: ListedOperator): string =>
  [
    platformOwner ? '  platform owner' : '',
    hasTotp ? '  second factor' : '',
    verified ? '' : '  not verified',
    isDisabled ? '  disabled' : '',
  ].join('')
