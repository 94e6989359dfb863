// The frame around every page: the navigation, the choice of workspace, and the signed-in operator.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { day } from './core/format.ts'
import { leaveAndSignOut, leaveForWorkspace } from './core/leaving.ts'
import type { PageProps } from './core/page-props.ts'
import { ROOT, route } from './core/router.ts'
import { me, workspace } from './core/session.ts'
import type { Theme } from './core/stored-theme.ts'
import { chooseTheme, theme } from './core/theme.ts'
import { type PageEntry, pages } from './pages.ts'
import { Button, IconButton } from './parts/button.tsx'
import { ConsoleBar, productLinks } from './parts/console-bar.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { PageHeader } from './parts/page-header.tsx'
import { StaleNotice } from './parts/stale-notice.tsx'
import { EmptyState, Note, Skeleton } from './parts/states.tsx'
import { Search, SearchButton } from './search.tsx'

export function Shell() {
  const [isOpen, setOpen] = useState(false)
  const { page, id, workspaceId } = route.value
  useEffect(() => setOpen(false), [page, id, workspaceId])
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setOpen(false)
    }
    // The frame itself is hit only beside what stands in it: on the shade that lies over the page.
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.matches('.nav-open')) setOpen(false)
    }
    addEventListener('keydown', onKey)
    addEventListener('click', onClick)
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('click', onClick)
    }
  }, [])
  const entry = pages.find(({ path }) => path === page)
  return (
    <div class={isOpen ? 'shell nav-open' : 'shell'}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <ConsoleBar
        start={
          <span class="open-navigation">
            <IconButton
              label={isOpen ? 'Close the navigation' : 'Open the navigation'}
              icon={isOpen ? 'close' : 'menu'}
              aria-expanded={isOpen}
              aria-controls="navigation"
              onClick={() => setOpen(!isOpen)}
            />
          </span>
        }
      >
        <span class="bar-workspace">{workspace.value?.name}</span>
        <SearchButton />
      </ConsoleBar>
      <Sidebar />
      <Search />
      <main id="content" tabIndex={-1}>
        {workspace.value?.status === 'SUSPENDED' && (
          <Note tone="bad">This workspace is suspended: its API keys are refused until it is resumed.</Note>
        )}
        <FactorReminder />
        <StaleNotice />
        {entry ? <Opened key={`${workspaceId}/${entry.path}`} entry={entry} id={id} /> : <Unknown />}
      </main>
    </div>
  )
}

function FactorReminder() {
  const from = workspace.value?.secondFactorFrom
  if (!from || me.value?.operator.totp !== false) return null
  return (
    <Note tone="warn">
      {`From ${day(from)} on, this workspace requires a second factor. Turn yours on under `}
      <a href={`${ROOT}/${route.value.workspaceId}/account`}>My account</a>.
    </Note>
  )
}

function Sidebar() {
  const groups = [...new Set(pages.map(({ group }) => group))]
  return (
    <aside id="navigation" class="sidebar" aria-label="Console">
      <div class="brand">
        <WorkspaceChoice />
      </div>
      <nav aria-label="Pages">
        {groups.map((group) => (
          <div key={group} class="nav-group">
            <h2>{group}</h2>
            <ul>
              {pages
                .filter((entry) => entry.group === group)
                .map((entry) => (
                  <NavItem key={entry.path} entry={entry} />
                ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="sidebar-foot">
        {/* On a telephone the header has no room for them. */}
        <div class="sidebar-links">
          {productLinks()
            .filter(({ isHere }) => !isHere)
            .map(({ href, label }) => (
              <a key={href} href={href}>
                {label}
              </a>
            ))}
        </div>
        <ThemeChoice />
        <div class="who">
          <span>
            <strong>{me.value?.operator.name}</strong>
            <small title={me.value?.operator.email}>{me.value?.operator.email}</small>
          </span>
          <IconButton label="Sign out" icon="exit" onClick={() => void leaveAndSignOut()} />
        </div>
      </div>
    </aside>
  )
}

const NavItem = ({ entry: { path, title, icon } }: { readonly entry: PageEntry }) => (
  <li>
    <a
      href={`${ROOT}/${route.value.workspaceId}/${path}`}
      aria-current={route.value.page === path ? 'page' : undefined}
    >
      <Icon name={icon} />
      {title}
    </a>
  </li>
)

function WorkspaceChoice() {
  const all = me.value?.workspaces ?? []
  if (all.length < 2) return <span class="workspace-name">{workspace.value?.name}</span>
  return (
    <select
      class="workspace-choice"
      aria-label="Workspace"
      value={route.value.workspaceId}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget
        // Who stays after all is still in this one.
        currentTarget.value = route.value.workspaceId ?? ''
        void leaveForWorkspace(value, route.value.page)
      }}
    >
      {all.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

const themes: readonly { readonly value: Theme; readonly label: string; readonly icon: IconName }[] = [
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
  { value: 'system', label: 'As the system', icon: 'screen' },
]

const ThemeChoice = () => (
  <fieldset class="theme-choice">
    <legend class="visually-hidden">Theme</legend>
    {themes.map(({ value, label, icon }) => (
      <label key={value} title={label}>
        <input
          type="radio"
          name="theme"
          value={value}
          checked={theme.value === value}
          onChange={() => chooseTheme(value)}
        />
        <Icon name={icon} />
        <span class="visually-hidden">{label}</span>
      </label>
    ))}
  </fieldset>
)

/** Loads a page's script and shows the page. If the script cannot be fetched, the frame around it stays. */
export function Opened({
  entry,
  id,
}: {
  readonly entry: Pick<PageEntry, 'load'>
  readonly id: string | undefined
}) {
  const [loaded, setLoaded] = useState<{ readonly Page: ComponentType<PageProps> }>()
  const [hasFailed, setFailed] = useState(false)
  const load = () => {
    setFailed(false)
    entry.load().then(setLoaded, () => setFailed(true))
  }
  useEffect(load, [entry])
  if (hasFailed) return <Missing onRetry={load} />
  return loaded ? <loaded.Page id={id} /> : <Skeleton />
}

/** Some browsers remember that a script failed, and a deployment takes the files of the version before away. */
const Missing = ({ onRetry }: { onRetry(): void }) => (
  <>
    <PageHeader title="This page did not load" />
    <EmptyState
      icon="refresh"
      title="Its script could not be fetched"
      action={
        <span class="inline">
          <Button look="primary" onClick={onRetry}>
            Try again
          </Button>
          <Button onClick={() => location.reload()}>Reload</Button>
        </span>
      }
    >
      The connection may be lost. If there is a new version of the console, reload to get it.
    </EmptyState>
  </>
)

const Unknown = () => (
  <>
    <PageHeader title="Page not found" />
    <EmptyState
      icon="warning"
      title="There is no such page"
      action={<Button onClick={() => history.back()}>Go back</Button>}
    >
      The link may be old. The navigation lists every page.
    </EmptyState>
  </>
)
