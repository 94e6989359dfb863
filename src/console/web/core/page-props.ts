// The props of every page.

export interface PageProps {
  /** The part of the address after the page: the id of one record. */
  readonly id: string | undefined
}
