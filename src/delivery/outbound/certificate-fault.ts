/** What OpenSSL and Node call a certificate that cannot be trusted, by the cause that a receiver can act on. */
const faults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the issuer of the certificate is unknown: it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the issuer of the certificate is unknown: its root is not a public one',
  UNABLE_TO_GET_ISSUER_CERT: 'the issuer of the certificate is unknown, or the chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of the certificate is unknown, or the chain is incomplete',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the issuer of the certificate is unknown, or the chain is incomplete',
}

/** Why a certificate was rejected. Never quotes the certificate: the receiver chooses its text. */
export const certificateFault = (code: string | undefined): string =>
  faults[code ?? ''] ?? `the certificate is not valid (${code ?? 'unknown reason'})`
