// The state of one matter of the account at the provider.
import * as v from 'valibot'
import { type AccountStateRecord, accountSeverities, accountTopics } from '../../contract/records/account.ts'
import { about, shownAs } from '../../platform/http/shown.ts'
import { timestamp } from './fields.ts'

export const accountStateView = v.object({
  topic: about(v.picklist(accountTopics), 'What it is about.'),
  status: about(v.string(), "The provider's word, such as DISABLE, TIER_2K or RED."),
  severity: about(
    v.picklist(accountSeverities),
    'CRITICAL stops something now, WARNING needs somebody, INFO is good or indifferent news.',
  ),
  number: about(v.nullable(v.string()), "The number, or the provider's id of it."),
  template: v.nullable(v.object({ name: v.string(), language: v.string() })),
  message: about(v.string(), 'What has happened, for a person.'),
  advice: about(v.nullable(v.string()), 'What to do about it.'),
  occurredAt: about(timestamp, "By the provider's clock."),
  until: about(v.nullable(timestamp), 'When it ends by itself; null: when the provider says so.'),
  details: about(
    v.pipe(v.record(v.string(), v.unknown()), shownAs({ type: 'object', additionalProperties: true })),
    'What the provider sent.',
  ),
}) satisfies v.GenericSchema<unknown, AccountStateRecord>
