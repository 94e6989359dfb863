// The script of the dialogs that may come over any page is fetched once the page stands, before one is needed: then the
// line may be lost, or the server may have a new version.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isConfirming } from './core/confirmation.ts'
import { isSessionEnded } from './core/ended-session.ts'
import { me } from './core/session.ts'
import { isAskingToLeave } from './core/unsaved.ts'

const SOON_MS = 500

export function Overlays() {
  const [loaded, setLoaded] = useState<{ readonly Dialogs: ComponentType }>()
  const [failures, setFailures] = useState(0)
  const isNeeded = isConfirming.value || isSessionEnded.value || isAskingToLeave.value
  const isWanted = isNeeded || me.value !== undefined
  useEffect(() => {
    if (loaded || !isWanted) return
    const load = () => import('./dialogs.tsx').then(setLoaded, () => setFailures(failures + 1))
    const timer = setTimeout(load, isNeeded && failures === 0 ? 0 : SOON_MS * (failures + 1))
    return () => clearTimeout(timer)
  }, [isNeeded, isWanted, failures])
  return loaded ? <loaded.Dialogs /> : null
}
