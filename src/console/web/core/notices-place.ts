// Where notices stand: in the topmost modal dialog, because what lies outside it is covered and cannot be pressed.

/** Belongs to no rendered tree, so that it can be moved. */
export const noticesHost = document.createElement('div')
noticesHost.style.display = 'contents'
const places: HTMLElement[] = [document.body]

const move = (): void => places.at(-1)?.append(noticesHost)
move()

/** Moves the notices into a dialog that opened; returns what moves them back. */
export function liftNotices(dialog: HTMLElement): () => void {
  places.push(dialog)
  move()
  return () => {
    places.splice(places.indexOf(dialog), 1)
    move()
  }
}
