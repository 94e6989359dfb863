// Which events of an account its workspaces are told: how their members sign in, not what else they do.

export const memberEvents: readonly string[] = [
  ...['session.opened', 'session.ended', 'session.refused', 'session.confirmation_refused'],
  ...['operator.password_changed', 'operator.totp_added', 'operator.totp_removed'],
  ...[
    'operator.recovery_code_used',
    'operator.recovery_codes_replaced',
    'operator.disabled',
    'operator.enabled',
  ],
]
