import { useEffect, useState } from 'preact/hooks'
import type { TemplatePreview } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'

const PAUSE_MS = 150

/**
 * The server's preview of the components, read a moment after the last keystroke. The previous preview stays
 * until then. Variables without a value show their example.
 */
export function usePreview(
  components: readonly unknown[],
  variables: Readonly<Record<string, string>> = {},
): TemplatePreview | undefined {
  const [preview, setPreview] = useState<TemplatePreview>()
  const text = JSON.stringify({ components, variables })
  useEffect(() => {
    if (components.length === 0) return setPreview(undefined)
    let isLatest = true
    const timer = setTimeout(() => {
      api.post<TemplatePreview>(inWorkspace('/templates/preview'), { components, variables }).then(
        (made) => isLatest && setPreview(made),
        // The last preview stays; submitting reports the error.
        () => undefined,
      )
    }, PAUSE_MS)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [text])
  return preview
}
