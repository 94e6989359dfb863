// What needs somebody: one row a problem, with what is known of it and what can be done on the spot.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Attention } from '../../../../contract/records/overview.ts'
import { now, plural } from '../../core/format.ts'
import { ROOT, route } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ActDialog } from './problem-acts.tsx'
import { type Act, tell } from './problem-words.ts'

interface Chosen {
  readonly act: Act
  readonly problem: Attention
}

export function NeedsAttention({ items }: { readonly items: readonly Attention[] }) {
  const [chosen, setChosen] = useState<Chosen>()
  const section = useRef<HTMLElement>(null)
  const isDone = useRef(false)
  useEffect(() => {
    // The button that was pressed went with its row.
    if (isDone.current && document.activeElement === document.body) section.current?.focus()
  }, [items])
  // Differences of the live topic come without an order.
  const sorted = items.toSorted((one, other) => one.rank - other.rank || (one.id < other.id ? -1 : 1))
  const grave = sorted.filter(({ severity }) => severity === 'CRITICAL').length
  return (
    <section ref={section} class="section problems" tabIndex={-1} aria-label="Needs attention">
      <div class="section-title">
        <h2>Needs attention</h2>
        {sorted.length > 0 && (
          <span class="dim">
            {plural(sorted.length, 'problem')}
            {grave > 0 && grave < sorted.length && `, ${grave} urgent`}
          </span>
        )}
      </div>
      {sorted.length === 0 ? (
        <p class="all-well">
          <Icon name="check" />
          Everything works. Nothing needs you now.
        </p>
      ) : (
        <ul class="attention">
          {sorted.map((problem) => (
            <Row key={problem.id} problem={problem} onAct={(act) => setChosen({ act, problem })} />
          ))}
        </ul>
      )}
      {chosen && (
        <ActDialog
          {...chosen}
          onClose={() => setChosen(undefined)}
          onDone={() => {
            isDone.current = true
            setChosen(undefined)
          }}
        />
      )}
    </section>
  )
}

function Row({ problem, onAct }: { readonly problem: Attention; onAct(act: Act): void }) {
  const { subject, facts, hint, open, acts } = tell(problem, Math.max(now.value, Date.now()))
  const isGrave = problem.severity === 'CRITICAL'
  const about = subject === '' ? '' : ` (${subject})`
  return (
    <li class={isGrave ? 'bad' : 'warn'}>
      <Icon name="warning" />
      <div class="problem-text">
        <p>
          <span class="visually-hidden">{isGrave ? 'Urgent: ' : 'Warning: '}</span>
          {subject !== '' && <strong>{subject}: </strong>}
          {facts.join(', ')}
        </p>
        {hint && <small>{hint}</small>}
        {!can('ADMIN') && acts[0] && <small>{acts[0].others}</small>}
      </div>
      <div class="problem-acts">
        <LinkButton href={`${ROOT}/${route.value.workspaceId}${open.path}`} label={`${open.label}${about}`}>
          {open.label}
        </LinkButton>
        {can('ADMIN') &&
          acts.map((act) => (
            <Button key={act.type} aria-label={`${act.label}${about}`} onClick={() => onAct(act)}>
              {act.label}
            </Button>
          ))}
      </div>
    </li>
  )
}
