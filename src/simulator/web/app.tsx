import { useState } from 'preact/hooks'
import { ProductBar } from '../../web/browser/product-bar.tsx'
import { AccountPanel } from './account-panel.tsx'
import { FaultPanel } from './fault-panel.tsx'
import { clearFaults, inForce } from './fault-rules.ts'
import { Icon } from './icon.tsx'
import { connection, faults, webhookUrls } from './live.ts'
import { opened } from './opened.ts'
import { Phone } from './phone.tsx'
import { Rail } from './rail.tsx'
import { Wire } from './wire.tsx'
import { plural } from './words.ts'

export const App = () => (
  <div class="shell">
    <TopBar />
    <Rail />
    <main>
      <h1 class="visually-hidden">Handsets</h1>
      <InForce />
      <div class="phones">
        {opened.value.map((waId) => (
          <Phone key={waId} waId={waId} />
        ))}
        {opened.value.length === 0 && (
          <p class="nothing">No handset is open. Choose one from the list, or type any number.</p>
        )}
      </div>
    </main>
    <Side />
  </div>
)

const states = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Lost the simulator; trying again',
} as const

function TopBar() {
  const urls = webhookUrls.value
  const gateway = gatewayOf(urls)
  return (
    <ProductBar home={gateway === undefined ? '/' : `${gateway}/`} links={linksOf(gateway)}>
      <span class={`state ${connection.value}`} role="status">
        {states[connection.value]}
      </span>
      <span class="hooks">
        {urls?.length === 0 ? (
          <span class="problem-text">No gateway is told of anything: no webhook URL is set.</span>
        ) : (
          urls && (
            <>
              Webhooks go to <code>{urls.join(', ')}</code>
            </>
          )
        )}
      </span>
    </ProductBar>
  )
}

const linksOf = (gateway: string | undefined) => [
  ...(gateway === undefined
    ? []
    : [
        { href: `${gateway}/console`, label: 'Console' },
        { href: `${gateway}/docs`, label: 'Docs' },
      ]),
  { href: '/', label: 'Handsets', isHere: true },
]

/** The first gateway that is told, under the name that a browser uses for this machine: its session is kept by name. */
function gatewayOf(urls: readonly string[] | undefined): string | undefined {
  const [url] = urls ?? []
  return url === undefined ? undefined : new URL(url).origin.replace('//127.0.0.1', '//localhost')
}

/** Always shows the active faults, so that the user does not forget them. */
function InForce() {
  const effects = inForce(faults.value)
  return (
    <div role="status" class="in-force-place">
      {effects.length > 0 && (
        <div class="in-force">
          <Icon name="warning" />
          <p>
            <strong>{plural(effects.length, 'fault')} in force:</strong>{' '}
            {effects.map(({ says }) => says).join('; ')}.
          </p>
          <button type="button" class="button small" onClick={() => void clearFaults()}>
            Clear all
          </button>
        </div>
      )}
    </div>
  )
}

const tabs = ['wire', 'faults', 'account'] as const

function Side() {
  const [current, setCurrent] = useState<(typeof tabs)[number]>('wire')
  const count = inForce(faults.value).length
  const titles = { wire: 'Wire', faults: count === 0 ? 'Faults' : `Faults (${count})`, account: 'Account' }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length] ?? 'wire'
    setCurrent(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <aside class="side tabs" aria-label="Wire, faults and account">
      <div role="tablist" aria-label="Wire, faults and account" onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab}
            id={`tab-${tab}`}
            type="button"
            role="tab"
            aria-selected={tab === current}
            aria-controls="panel"
            tabIndex={tab === current ? 0 : -1}
            onClick={() => setCurrent(tab)}
          >
            {titles[tab]}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${current}`}>
        {current === 'wire' && <Wire />}
        {current === 'faults' && <FaultPanel />}
        {current === 'account' && <AccountPanel />}
      </div>
    </aside>
  )
}
