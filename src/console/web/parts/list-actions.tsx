// What every list in a page's header offers: reading it again, and saving it as CSV with the filters of its page. While
// a file comes, the button says how far it is and stops it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { inWorkspace } from '../core/api.ts'
import { downloadCsv } from '../core/download.ts'
import { count, plural } from '../core/format.ts'
import { can } from '../core/session.ts'
import { say, sayError } from '../core/toasts.ts'
import { Button } from './button.tsx'

interface ExportProps {
  readonly list: 'messages' | 'calls' | 'deliveries' | 'audit'
  readonly filters: Readonly<Record<string, string | undefined>>
}

interface Props extends ExportProps {
  /** Undefined for a list that shows what is new by itself. */
  readonly onRefresh?: (() => void) | undefined
}

export const ListActions = ({ onRefresh, ...list }: Props) => (
  <>
    {onRefresh && (
      <Button icon="refresh" onClick={onRefresh}>
        Refresh
      </Button>
    )}
    <ExportButton {...list} />
  </>
)

function ExportButton({ list, filters }: ExportProps) {
  const [rows, setRows] = useState<number>()
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  if (!can('ADMIN')) return null
  const start = async () => {
    const control = new AbortController()
    abort.current = control
    setRows(0)
    try {
      const done = await downloadCsv(inWorkspace(`/exports/${list}`, filters), {
        signal: control.signal,
        onRows: setRows,
      })
      say(
        done.isCut
          ? `Saved the newest ${count(done.rows)} rows, the most that one file holds. Filter by time to export the older ones.`
          : `Saved ${plural(done.rows, 'row')}.`,
      )
    } catch (error) {
      if (!control.signal.aborted) sayError(error)
    }
    setRows(undefined)
  }
  return rows === undefined ? (
    <Button icon="down" title="Save this list, as it is filtered, as a CSV file" onClick={() => void start()}>
      Export CSV
    </Button>
  ) : (
    <Button icon="close" onClick={() => abort.current?.abort()}>
      {`Stop export (${plural(rows, 'row')})`}
    </Button>
  )
}
