import { useEffect, useState } from 'preact/hooks'
import type { TemplatePreview } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../foundation/api.ts'

const PAUSE_MS = 150

/**
 * What the server makes of the components, a moment after the last key; meanwhile what it made of those before. Variables
 * without a value have their example.
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
        // The last one stays; submitting says what is wrong.
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
