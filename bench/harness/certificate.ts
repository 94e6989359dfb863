import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'

/** A self-signed certificate for loopback, as files. */
export function certificate(folder: string): { keyFile: string; certFile: string } {
  mkdirSync(folder, { recursive: true })
  const [keyFile, certFile] = [resolve(folder, 'receiver.key'), resolve(folder, 'receiver.crt')]
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
  const names = ['-subj', '/CN=receiver', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certFile, ...names], { stdio: 'ignore' })
  return { keyFile, certFile }
}
