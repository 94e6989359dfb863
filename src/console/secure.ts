import type { ConsoleSettings } from './services.ts'

/** Whether browsers reach the console over TLS: then its cookie is for encrypted connections alone. */
export const isSecure = ({
  production,
  publicUrl,
}: Pick<ConsoleSettings, 'production' | 'publicUrl'>): boolean =>
  production || publicUrl?.startsWith('https:') === true
