const keyForm = /^[\w-]+(\/[\w-]+)*$/
const longest = 200

/** Throws for what is no key: no dots and no empty parts, so that no key leads out of a store. */
export function checkKey(key: string): string {
  if (key.length > longest || !keyForm.test(key)) throw new Error('not a blob key')
  return key
}
