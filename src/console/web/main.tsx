import { render } from 'preact'
import { App } from './app.tsx'
import { startAttendance } from './core/attendance.ts'
import { startClock } from './core/format.ts'
import { startLive } from './core/live.ts'
import { noticesHost } from './core/notices-place.ts'
import { startPrefetch } from './core/prefetch.ts'
import { startRouter } from './core/router.ts'
import { assureSame } from './core/session.ts'
import { pages } from './pages.ts'
import { Toaster } from './parts/toaster.tsx'

startRouter()
startPrefetch((page) => pages.find(({ path }) => path === page)?.load())
startClock()
startLive()
startAttendance(assureSame)
// The browser keeps pages for its back button, and whose this is may have signed out since.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
const root = document.getElementById('app')
if (root) render(<App />, root)
render(<Toaster />, noticesHost)
