// Modal dialogs with the browser's <dialog> element, which traps the focus. Closing returns it to the opener.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { ApiError } from '../core/api.ts'
import { useAction } from '../core/load.ts'
import { liftNotices } from '../core/notices-place.ts'
import { useUnsaved } from '../core/use-unsaved.ts'
import { Button, IconButton } from './button.tsx'
import { isReadable } from './field.tsx'
import { Problem } from './states.tsx'

const firstOfForm =
  'form :is(input:not([type="hidden"]), select, textarea):not(:disabled), form .dialog-actions button'

/** Closes the dialog around it, after a question if that loses what was typed. */
const Close = createContext<() => void>(() => undefined)

interface Props {
  readonly title: string
  readonly children: ComponentChildren
  /** Escape does not close it, and it has no close button. */
  readonly isLocked?: boolean
  readonly kind?: 'dialog' | 'drawer'
  readonly isWide?: boolean
  /** What is typed in it is no loss, as a password is none. */
  readonly isFleeting?: boolean
  /** Whether closing it loses something that is in no form. */
  readonly hasInput?: boolean
  onClose(): void
}

export function Dialog(props: Props) {
  const {
    title,
    children,
    isLocked = false,
    kind = 'dialog',
    isWide,
    isFleeting = false,
    hasInput,
    onClose,
  } = props
  const unsaved = useUnsaved({ isFleeting, hasInput })
  const close = () => {
    if (unsaved.isUnsaved()) void unsaved.mayLeave().then((isLeaving) => isLeaving && onClose())
    else onClose()
  }
  const element = useRef<HTMLDialogElement>(null)
  const giveBack = useRef<() => void>(undefined)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    dialog?.showModal()
    // Focus the first field of a form. In a confirmation without fields, focus Cancel.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus()
    if (document.activeElement?.matches('[data-first]') !== true)
      dialog?.querySelector<HTMLElement>(firstOfForm)?.focus()
    const lower = dialog ? liftNotices(dialog) : undefined
    giveBack.current = () => {
      lower?.()
      dialog?.close()
      // The opener may be gone, for example if its list was read again.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  // While it is removed, and before the effects of the page, which may move the focus on. What an effect returns runs
  // only after the page has painted, and so after those effects if the page is rendered again meanwhile.
  useLayoutEffect(() => () => giveBack.current?.(), [])
  return (
    <dialog
      {...unsaved.watch}
      ref={element}
      class={isWide ? `${kind} wide` : kind}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== element.current) return
        event.preventDefault()
        if (!isLocked) close()
      }}
      onKeyDown={(event) => {
        // Browsers close a dialog on a second Escape even if its cancel event was prevented.
        const isOurs = (event.target as Element).closest('dialog') === element.current
        if (event.key !== 'Escape' || !isOurs || hasPopover(element.current)) return
        if (isLocked || unsaved.isUnsaved()) event.preventDefault()
        if (!isLocked && unsaved.isUnsaved()) close()
      }}
      onPointerDown={(event) => {
        if (kind === 'drawer' && event.target === element.current && !isLocked) close()
      }}
    >
      <div class="dialog-frame">
        <header>
          <h2 id={id}>{title}</h2>
          {!isLocked && <IconButton label="Close" icon="close" onClick={close} />}
        </header>
        <Close.Provider value={close}>{children}</Close.Provider>
      </div>
    </dialog>
  )
}

/** A menu in the dialog closes on Escape before the dialog does. */
const hasPopover = (dialog: HTMLElement | null): boolean =>
  dialog?.querySelector(':popover-open') !== null && dialog !== null

/** Closes the dialog around it. */
export function CloseButton({ children = 'Cancel' }: { readonly children?: ComponentChildren }) {
  return <Button onClick={useContext(Close)}>{children}</Button>
}

/** Slides in from the side over the page. A click beside it closes it. */
export const Drawer = (props: Omit<Props, 'kind'>) => <Dialog {...props} kind="drawer" />

export const DialogBody = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="dialog-body">{children}</div>
)

export const DialogActions = ({ children }: { readonly children: ComponentChildren }) => (
  <footer class="dialog-actions">{children}</footer>
)

/** A form in a dialog: fields, the error, and two buttons. */
export function FormDialog({
  title,
  submit,
  cancel,
  look = 'primary',
  isBusy,
  isWide = false,
  isFleeting = false,
  error,
  children,
  onSubmit,
  onClose,
}: {
  readonly title: string
  readonly submit: string
  readonly cancel?: string
  readonly look?: 'primary' | 'danger'
  readonly isBusy: boolean
  readonly isWide?: boolean
  readonly isFleeting?: boolean
  readonly error: ApiError | undefined
  readonly children: ComponentChildren
  onSubmit(): void
  onClose(): void
}) {
  return (
    <Dialog {...{ title, isWide, isFleeting, onClose }}>
      <form
        class="dialog-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && isReadable(event.currentTarget)) onSubmit()
        }}
      >
        <DialogBody>
          {children}
          <Problem error={error} />
        </DialogBody>
        <DialogActions>
          <CloseButton>{cancel}</CloseButton>
          <Button type="submit" look={look} isBusy={isBusy}>
            {submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Asks before an action that cannot be undone. It also shows a refusal of the server. */
export function Confirm({
  title,
  children,
  action,
  look = 'danger',
  work,
  onDone,
  onClose,
}: {
  readonly title: string
  readonly children: ComponentChildren
  readonly action: string
  readonly look?: 'primary' | 'danger'
  work(): Promise<unknown>
  onDone(): void
  onClose(): void
}) {
  const doing = useAction()
  return (
    <FormDialog
      title={title}
      submit={action}
      look={look}
      isBusy={doing.isBusy}
      error={doing.error}
      onClose={onClose}
      onSubmit={() => void doing.run(work).then((isDone) => isDone && onDone())}
    >
      {children}
    </FormDialog>
  )
}
