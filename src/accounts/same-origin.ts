// Prevents other sites from sending console requests with a visitor's cookie.

export interface OriginHeaders {
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
  readonly host: string | undefined
}

/**
 * Whether a state-changing request may be accepted. Browsers send `Sec-Fetch-Site` or at least `Origin` with
 * every such request, whichever site made it, and page scripts can set neither. Where both are absent, the
 * client is not a browser, so there is no visitor whose cookie could be abused. This lets command-line
 * programs use the console's JSON.
 */
export function isSameOrigin(headers: OriginHeaders, publicUrl: string | undefined): boolean {
  const { origin, fetchSite, host } = headers
  if (fetchSite !== undefined) return fetchSite === 'same-origin'
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const given = new URL(origin)
  if (publicUrl !== undefined && given.origin === new URL(publicUrl).origin) return true
  // Behind a proxy we do not see the original scheme; the requested host is enough to tell sites apart.
  return given.host === host
}
