// How somebody becomes a member: an owner creates a link, and the invited person opens it. The token is sent
// only in bodies, because URLs are logged on the way.
import * as v from 'valibot'
import {
  type Acceptance,
  type Invited,
  invitationLimits,
  type OpenInvitation,
} from '../../accounts/invitation.ts'
import type { Proven } from '../../accounts/operator.ts'
import { createToken, hashToken } from '../../accounts/random-token.ts'
import { roles } from '../../accounts/roles.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import type { InvitationRecord } from '../../contract/records/console.ts'
import type { HttpRequest } from '../../platform/http/exchange.ts'
import { Answer } from '../../platform/http/route.ts'
import { encodeId, newId, type WorkspaceId } from '../../shared/ids.ts'
import { refuseCommonPassword } from '../new-password.ts'
import { publicRoute, workspaceRoute } from '../route.ts'
import { idParams, newPassword, password, secondFactor, shownName } from '../schema.ts'
import type { ConsoleServices } from '../services.ts'
import { openSession, proveOperator, type SecondFactor, sender, wrongSignIn } from '../sign-in.ts'
import { whence } from '../whence.ts'

const email = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(320),
  v.regex(/^[^\s@]+@[^\s@]+$/, 'Enter an e-mail address'),
)

const listInvitations = workspaceRoute({
  method: 'GET',
  path: '/invitations',
  summary: 'Invitations that are open, newest first',
  role: 'VIEWER',
  handle: async ({ services, author }) => ({
    data: await services.invitations.list(author.workspaceId),
    nextCursor: null,
  }),
})

const invite = workspaceRoute({
  method: 'POST',
  path: '/invitations',
  summary:
    'Invite somebody by a link, whose token this answer alone shows; an earlier link to the address ends',
  needsProof: true,
  role: 'OWNER',
  body: v.strictObject({ email, role: v.picklist(roles) }),
  success: 201,
  errors: ['INVALID_STATE'],
  async handle({ services, author, body }) {
    const token = createToken()
    const invited = await services.invitations.invite(author, {
      ...body,
      id: newId('invitation'),
      tokenHash: hashToken(token),
    })
    return { ...made(invited), token }
  },
})

const revokeInvitation = workspaceRoute({
  method: 'DELETE',
  path: '/invitations/:id',
  summary: 'End an invitation: its link lets nobody in any more',
  role: 'OWNER',
  params: idParams('invitation'),
  success: 204,
  errors: ['NOT_FOUND'],
  async handle({ services, author, params }) {
    if (!(await services.invitations.revoke(author, params.id))) throw notFound('invitation')
    return undefined
  },
})

const token = v.pipe(v.string(), v.maxLength(100))

const readInvitation = publicRoute({
  method: 'POST',
  path: '/invitation',
  summary: 'What an invitation is for, to whoever has its token',
  body: v.strictObject({ token }),
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
  async handle({ services, body, request }) {
    const { workspaceId: _, ...invitation } = await open(services, body.token, request.remoteAddress)
    return { ...invitation, expiresAt: invitation.expiresAt.toISOString() }
  },
})

const acceptInvitation = publicRoute({
  method: 'POST',
  path: '/invitation/accept',
  summary: 'Join: with a name and a new password, or with the password of the account that the address has',
  body: v.variant('account', [
    v.strictObject({ account: v.literal('NEW'), token, name: shownName, password: newPassword }),
    v.strictObject({ account: v.literal('EXISTING'), token, password, ...secondFactor }),
  ]),
  errors: ['NOT_FOUND', 'UNAUTHORIZED', 'RATE_LIMITED', 'OVERLOADED'],
  async handle({ services, body, request, sessionHash }) {
    if (body.account === 'NEW') await refuseCommonPassword(body.password, 'password')
    const invitation = await open(services, body.token, request.remoteAddress)
    const tokenHash = hashToken(body.token)
    const { proven, workspaceId, recoveryCodesLeft } =
      body.account === 'NEW'
        ? await joinAnew(services, { ...body, tokenHash, invitation }, request)
        : await joinAsBefore(services, { ...body, tokenHash, invitation }, request)
    const cookies = await openSession(services, proven, { request, replaces: sessionHash })
    return new Answer({ workspaceId: encodeId('workspace', workspaceId), recoveryCodesLeft }, { cookies })
  },
})

interface Joining {
  readonly tokenHash: Buffer
  readonly invitation: OpenInvitation
  readonly password: string
}

interface Joined {
  readonly proven: Proven
  readonly workspaceId: WorkspaceId
  readonly recoveryCodesLeft: number | undefined
}

/** An address that has an account is answered like a wrong password, and counts like one. */
async function joinAnew(
  services: ConsoleServices,
  { tokenHash, invitation, name, password: wanted }: Joining & { readonly name: string },
  request: HttpRequest,
): Promise<Joined> {
  const guesser = { email: invitation.email, address: request.remoteAddress }
  let acceptance: Acceptance = { type: 'taken' }
  let passwordHash = ''
  const isFree = await services.signInLimit.password(guesser, async () => {
    passwordHash = await services.passwords.hash(wanted)
    acceptance = await services.invitations.accept(tokenHash, { name, passwordHash }, whence(request))
    return acceptance.type !== 'taken'
  })
  if (!isFree) throw notJoined()
  const { operatorId, workspaceId } = accepted(acceptance)
  const proven = { operatorId, passwordHash, hasTotp: false, totpGeneration: 0 }
  return { proven, workspaceId, recoveryCodesLeft: undefined }
}

/** An address without an account is answered like a wrong password, too. */
async function joinAsBefore(
  services: ConsoleServices,
  { tokenHash, invitation, password: known, ...factor }: Joining & SecondFactor,
  request: HttpRequest,
): Promise<Joined> {
  const { totp, recoveryCode } = factor
  const attempt = {
    ...{ email: invitation.email, password: known, factor: { totp, recoveryCode } },
    ...sender(request),
  }
  const { proven, recoveryCodesLeft } = await proveOperator(services, attempt)
  const { workspaceId } = accepted(await services.invitations.accept(tokenHash, proven, whence(request)))
  return { proven, workspaceId, recoveryCodesLeft }
}

function accepted(acceptance: Acceptance): Extract<Acceptance, { type: 'accepted' }> {
  switch (acceptance.type) {
    case 'accepted':
      return acceptance
    case 'notFound':
      throw noInvitation()
    case 'taken':
      throw notJoined()
    case 'changed':
      throw wrongSignIn()
  }
}

/** Guessing tokens is limited like guessing passwords. */
async function open(services: ConsoleServices, given: string, address: string): Promise<OpenInvitation> {
  let invitation: OpenInvitation | undefined
  await services.signInLimit.invitation(address, async () => {
    invitation = await services.invitations.find(hashToken(given))
    return invitation !== undefined
  })
  if (invitation === undefined) throw noInvitation()
  return invitation
}

const notJoined = (): AppError =>
  new AppError(
    'UNAUTHORIZED',
    'This did not let you in. If you have an account, join with its password; if not, as a new member.',
  )

const noInvitation = (): AppError =>
  new AppError('NOT_FOUND', 'This invitation is used, revoked or expired. Ask for a new one.')

function made(invited: Invited): InvitationRecord {
  switch (invited.type) {
    case 'invited':
      return invited.invitation
    case 'isMember':
      throw new AppError('INVALID_STATE', 'That address is a member already: change the role instead.')
    case 'full':
      throw new AppError(
        'INVALID_STATE',
        `A workspace has at most ${invitationLimits.perWorkspace} open invitations: revoke those that are old.`,
      )
    case 'notOwner':
      throw new AppError('FORBIDDEN', 'Only owners invite.')
  }
}

export const invitationRoutes = [listInvitations, invite, revokeInvitation, readInvitation, acceptInvitation]
