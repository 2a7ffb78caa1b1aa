import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Paths of PEM files. */
type Authority = { path: string; key: string }
export type Certificate = { certificate: string; key: string }

const run = promisify(execFile)
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** Makes a certificate authority of its own in the directory. */
export async function anAuthority(directory: string, name: string): Promise<Authority> {
  const path = join(directory, `${name}.pem`)
  const key = join(directory, `${name}.key`)
  const options = ['-keyout', key, '-out', path, '-subj', `/CN=${name}`, '-days', '2']
  await openssl('req', '-x509', ...newKey, ...options)
  return { path, key }
}

/** Makes a certificate for `localhost` in the directory. Only the owner of the key can read it. */
export async function aCertificate(directory: string, authority: Authority): Promise<Certificate> {
  const key = join(directory, 'server.key')
  const request = join(directory, 'server.csr')
  const certificate = join(directory, 'server.pem')
  const extensions = join(directory, 'extensions')
  await writeFile(extensions, 'subjectAltName=DNS:localhost')
  await openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', '/CN=localhost')
  const signing = ['-CA', authority.path, '-CAkey', authority.key, '-CAcreateserial']
  const output = ['-out', certificate, '-days', '2', '-extfile', extensions]
  await openssl('x509', '-req', '-in', request, ...signing, ...output)
  await chmod(key, 0o600)
  return { key, certificate }
}

async function openssl(...options: string[]): Promise<void> {
  await run('openssl', options)
}
