// How somebody becomes a member: an owner creates a link, and the invited person opens it. The token is sent
// only in bodies, because URLs are logged on the way.
import * as v from 'valibot'
import { type Invited, invitationLimits, type OpenInvitation } from '../../accounts/invitation.ts'
import { createToken, hashToken } from '../../accounts/random-token.ts'
import { roles } from '../../accounts/roles.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import type { InvitationRecord } from '../../contract/records/console.ts'
import { Answer } from '../../platform/http/route.ts'
import { encodeId, newId } from '../../shared/ids.ts'
import { publicRoute, workspaceRoute } from '../route.ts'
import { idParams, newPassword, password, secondFactor, shownName } from '../schema.ts'
import type { ConsoleServices } from '../services.ts'
import { openSession, proveOperator } from '../sign-in.ts'
import { whence } from '../whence.ts'

const email = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(320),
  v.regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'),
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
  errors: ['NOT_FOUND', 'UNAUTHORIZED', 'INVALID_STATE', 'RATE_LIMITED', 'OVERLOADED'],
  async handle({ services, body, request, sessionHash }) {
    const address = request.remoteAddress
    const invitation = await open(services, body.token, address)
    if (invitation.hasAccount !== (body.account === 'EXISTING')) throw otherAccount(invitation)
    const { invitee, recoveryCodesLeft } = await prove(services, invitation, body, address)
    const accepted = await services.invitations.accept(hashToken(body.token), invitee, whence(request))
    if (accepted.type === 'notFound') throw noInvitation()
    if (accepted.type === 'taken') throw otherAccount({ ...invitation, hasAccount: true })
    const { operatorId } = accepted
    const cookie = await openSession(services, operatorId, { request, replaces: sessionHash })
    return new Answer(
      { workspaceId: encodeId('workspace', accepted.workspaceId), recoveryCodesLeft },
      { headers: { 'set-cookie': cookie } },
    )
  },
})

type Acceptance =
  | { readonly account: 'NEW'; readonly name: string; readonly password: string }
  | {
      readonly account: 'EXISTING'
      readonly password: string
      readonly totp?: string | undefined
      readonly recoveryCode?: string | undefined
    }

async function prove(
  services: ConsoleServices,
  invitation: OpenInvitation,
  given: Acceptance,
  address: string,
) {
  if (given.account === 'NEW') {
    const passwordHash = await services.passwords.hash(given.password)
    return { invitee: { name: given.name, passwordHash }, recoveryCodesLeft: undefined }
  }
  const { password: known, totp, recoveryCode } = given
  const attempt = { email: invitation.email, password: known, factor: { totp, recoveryCode }, address }
  const { operatorId, recoveryCodesLeft } = await proveOperator(services, attempt)
  return { invitee: { operatorId }, recoveryCodesLeft }
}

/** Guessing tokens is limited like guessing passwords. */
async function open(services: ConsoleServices, given: string, address: string): Promise<OpenInvitation> {
  const subjects = { email: undefined, address }
  services.signInLimit.check(subjects)
  const invitation = await services.invitations.find(hashToken(given))
  if (invitation) return invitation
  await services.signInLimit.failed(subjects)
  throw noInvitation()
}

const noInvitation = (): AppError =>
  new AppError('NOT_FOUND', 'This invitation is used, revoked or expired. Ask for a new one.')

const otherAccount = ({ email: address, hasAccount }: OpenInvitation): AppError =>
  new AppError(
    'INVALID_STATE',
    hasAccount
      ? `${address} has an account already: join with its password.`
      : `${address} has no account yet: join with a name and a new password.`,
  )

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
