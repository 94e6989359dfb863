// The response schema of GET /campaigns/:id/estimate.
import * as v from 'valibot'
import { type Estimate, estimateWarnings, paceLimits } from '../../campaigns/estimate.ts'
import { about } from '../../platform/http/shown.ts'
import { timestamp } from './fields.ts'

export const estimateView = v.pipe(
  v.object({
    recipients: about(v.number(), 'Those that are PENDING.'),
    messagesPerSecond: about(v.number(), 'What it can send at; 0 without a number.'),
    limitedBy: about(
      v.picklist(paceLimits),
      "What keeps it from being done sooner: its own messagesPerSecond, the number's rate, others that run from the " +
        'number, or how many customers the provider lets the number begin with in 24 hours.',
    ),
    seconds: about(v.number(), 'How long it sends; of no meaning at a rate of 0.'),
    startsAt: about(timestamp, 'Now, or its startAt where that is still to come.'),
    endsAt: timestamp,
    warnings: about(
      v.array(v.object({ code: v.picklist(estimateWarnings), message: v.string() })),
      'What would keep it from starting, or slow it down.',
    ),
  }),
  v.title('Estimate'),
) satisfies v.GenericSchema<unknown, Estimate>
