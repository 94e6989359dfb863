// Certificate authorities that an operator adds to those of the system.
import { X509Certificate } from 'node:crypto'

/** TLS takes any text for an authority, and then trusts no receiver that needs it. Throws what is wrong. */
export function checkAuthorities(pem: string): string {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  if (certificates.length === 0) throw new Error('there is no certificate in it')
  for (const certificate of certificates) new X509Certificate(certificate)
  return pem
}
