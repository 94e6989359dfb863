// What the browser tells about the line, where it tells that.

export interface Connection {
  readonly saveData?: boolean
  readonly effectiveType?: string
}

/** Not on a connection where every byte counts. */
export const isSparing = ({ saveData, effectiveType = '' }: Connection): boolean =>
  saveData === true || effectiveType.endsWith('2g')
