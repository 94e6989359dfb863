// Browsers offer crypto.randomUUID only with TLS.
export const randomText = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
