import { render } from 'preact'
import { App } from './app.tsx'
import { startClock } from './core/format.ts'
import { startLive } from './core/live.ts'
import { startRouter } from './core/router.ts'

startRouter()
startClock()
startLive()
const root = document.getElementById('app')
if (root) render(<App />, root)
