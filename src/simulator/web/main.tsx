import { render } from 'preact'
import { App } from './app.tsx'
import { startLive } from './live.ts'
import { startOpened } from './opened.ts'
import { startClock } from './words.ts'

startOpened()
startLive()
startClock()
const root = document.getElementById('app')
if (root) render(<App />, root)
