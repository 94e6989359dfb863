import type { Attention, AttentionKind } from '../../../../contract/records/overview.ts'
import { ROOT, route } from '../../core/router.ts'
import { Section } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'

/** Kinds that stop something from working now; the others are warnings. */
const grave: readonly AttentionKind[] = [
  'ENDPOINT_OFF',
  'NO_DEFAULT_NUMBER',
  'CAMPAIGN_PAUSED',
  'ACCOUNT_STOPPED',
]

export const NeedsAttention = ({ items }: { readonly items: readonly Attention[] }) => (
  <Section title="Needs attention">
    {items.length === 0 ? (
      <p class="all-well">
        <Icon name="check" />
        Nothing needs you. Endpoints that fail, campaigns that pause, templates that stop and what the
        provider reports of the account appear here.
      </p>
    ) : (
      <ul class="attention">
        {items.map(({ id, kind, text, link }) => (
          <li key={id}>
            <a
              class={grave.includes(kind) ? 'bad' : 'warn'}
              href={`${ROOT}/${route.value.workspaceId}${link}`}
            >
              <Icon name="warning" />
              <span>{text}</span>
              <Icon name="chevron" />
            </a>
          </li>
        ))}
      </ul>
    )}
  </Section>
)
