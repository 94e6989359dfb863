const keyForm = /^[\w-]+(\/[\w-]+)*$/
const longest = 200

/** Throws for an invalid key. A key has no dots and no empty parts, so it cannot lead out of the store. */
export function checkKey(key: string): string {
  if (key.length > longest || !keyForm.test(key)) throw new Error('not a blob key')
  return key
}
