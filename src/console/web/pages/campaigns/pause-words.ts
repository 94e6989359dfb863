import type { PauseReason } from '../../../../contract/records/campaign.ts'

/** Why a campaign paused by itself, and what to do next. */
export const pauseWords: Readonly<Record<PauseReason, { readonly why: string; readonly next: string }>> = {
  OVERDUE: {
    why: 'Its time had passed by more than an hour before it could start.',
    next: 'Continue it if the message is still wanted now, or cancel it.',
  },
  TEMPLATE_PAUSED: {
    why: 'The provider has paused its template for low quality.',
    next: 'Wait until the template is approved again, then continue; or cancel and use another template.',
  },
  TEMPLATE_UNAVAILABLE: {
    why: 'Its template was deleted, disabled or refused at the provider.',
    next: 'Get the template approved again, then continue; or cancel and use another template.',
  },
  NUMBER_UNAVAILABLE: {
    why: 'The number it sends from is gone or not connected.',
    next: 'Connect the number again at the provider, then continue.',
  },
  WORKSPACE_SUSPENDED: {
    why: 'The workspace is suspended: nothing of it reaches customers.',
    next: 'Ask whoever runs this installation to lift the suspension, then continue.',
  },
  SPAM_LIMIT: {
    why: 'The provider takes no more from the number: too many customers blocked or reported it.',
    next: 'Wait at least a day and look at who is asked and how often, then continue with a lower rate.',
  },
  BILLING: {
    why: 'The provider’s account cannot pay.',
    next: 'Put the payment of the provider’s account in order, then continue.',
  },
  PROVIDER_ACCOUNT: {
    why: 'The provider refuses the account or its access token.',
    next: 'Look at the account at the provider, and at the access token under Settings; then continue.',
  },
  ACCOUNT_RESTRICTED: {
    why: 'The provider restricts or has disabled the account.',
    next: 'The overview says until when and what to do. When that is over, continue.',
  },
  DATABASE_RESTORED: {
    why: 'The database was restored to an older state: whom it has written to since is not known.',
    next: 'Continue it to write to all who wait, although some may have the message; or cancel it.',
  },
  TOO_MANY_FAILURES: {
    why: 'The provider refused twenty messages in a row with the same error.',
    next: 'Put right what the error names, then continue; it pauses again only after twenty further refusals.',
  },
}
