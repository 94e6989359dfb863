import { render } from 'preact'
import { App } from './app.tsx'
import { startClock } from './foundation/format.ts'
import { startLive } from './foundation/live.ts'
import { startRouter } from './foundation/router.ts'

startRouter()
startClock()
startLive()
const root = document.getElementById('app')
if (root) render(<App />, root)
