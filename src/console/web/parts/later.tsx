import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { sayError } from '../core/toasts.ts'

/** A part that few need, such as a dialog: its script is fetched when it is first shown, and kept. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  return function Later(props: Props) {
    const [, show] = useState(known)
    useEffect(() => {
      if (known) return
      load().then((loaded) => {
        known = loaded
        show(() => loaded)
      }, sayError)
    }, [])
    return known ? <Shown as={known} props={props} /> : null
  }
}

const Shown = <Props extends object>({
  as: Component,
  props,
}: {
  readonly as: ComponentType<Props>
  readonly props: Props
}) => <Component {...props} />
