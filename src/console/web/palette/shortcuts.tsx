// The list of all keys.
import { pageKeys } from '../core/key-meanings.ts'
import { isMac, overlay } from '../core/shortcuts.ts'
import { pages } from '../pages.ts'
import { Dialog, DialogBody } from '../parts/dialog.tsx'
import { Keys } from './keys.tsx'

type Row = readonly [words: string, ...keys: readonly string[][]]

const sections: readonly { readonly title: string; readonly rows: readonly Row[] }[] = [
  {
    title: 'Everywhere',
    rows: [
      ['Search, or go to a page', [isMac ? '⌘' : 'Ctrl', 'K'], ['/']],
      ['This list', ['?']],
      ['The first action of the page, such as a new key', ['c']],
      ['Close what lies over the page', ['Esc']],
    ],
  },
  {
    title: 'In lists and menus',
    rows: [
      ['Move', ['↑'], ['↓']],
      ['Open', ['Enter']],
      ['Next and previous conversation or delivery', ['j'], ['k']],
    ],
  },
  {
    title: 'In a conversation',
    rows: [
      ['Reply', ['r']],
      ['Mark as read', ['u']],
      ['Back to the list', ['Esc']],
    ],
  },
]

export const Shortcuts = () => (
  <Dialog
    title="Keyboard shortcuts"
    isWide
    onClose={() => {
      overlay.value = undefined
    }}
  >
    <DialogBody>
      <div class="shortcuts">
        <section>
          <h3>Go to a page</h3>
          <dl>
            {pages.map(({ path, title }) => {
              const key = pageKeys[path]
              return key && <Shortcut key={path} row={[title, ['g', key]]} />
            })}
          </dl>
        </section>
        <div>
          {sections.map(({ title, rows }) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {rows.map((row) => (
                  <Shortcut key={row[0]} row={row} />
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
      <p class="hint">
        In a field, letters are text. {isMac ? '⌘' : 'Ctrl'} K opens the search from there, too.
      </p>
    </DialogBody>
  </Dialog>
)

const Shortcut = ({ row: [words, ...ways] }: { readonly row: Row }) => (
  <div>
    <dt>{words}</dt>
    <dd>
      {ways.map((keys) => (
        <Keys key={keys.join()} keys={keys} />
      ))}
    </dd>
  </div>
)
