// Certificates for receivers on loopback.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** A self-signed EC certificate for these names, such as `DNS:localhost`. */
export function makeCertificate(names: string, { isExpired = false } = {}): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-tls-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  try {
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
    ]
    const output = [
      '-keyout',
      keyFile,
      '-out',
      certFile,
      '-subj',
      '/CN=receiver',
      '-addext',
      `subjectAltName=${names}`,
    ]
    execFileSync('openssl', [...request, ...output], { stdio: 'ignore' })
    // A request takes no days in the past: sign the certificate again, with its names.
    const again = ['x509', '-in', certFile, '-signkey', keyFile, '-days', '-1', '-out', certFile]
    if (isExpired) execFileSync('openssl', again, { stdio: 'ignore' })
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
