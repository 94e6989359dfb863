// Keeps other sites from driving the console with a visitor's cookie.

export interface OriginHeaders {
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
  readonly host: string | undefined
}

/**
 * Whether a state-changing request may be taken. Browsers put `Sec-Fetch-Site` or at least `Origin` on every such
 * request, whichever site made it, and scripts of a page can set neither: with both absent there is no browser and
 * so no visitor whose cookie could be abused. That lets command-line programs use the console's JSON.
 */
export function isSameOrigin(headers: OriginHeaders, publicUrl: string | undefined): boolean {
  const { origin, fetchSite, host } = headers
  if (fetchSite !== undefined) return fetchSite === 'same-origin'
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const given = new URL(origin)
  if (publicUrl !== undefined && given.origin === new URL(publicUrl).origin) return true
  // Behind a proxy the scheme is not ours to see; the host it was asked for is enough to tell a site apart.
  return given.host === host
}
