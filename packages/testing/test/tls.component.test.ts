import { execFile } from 'node:child_process'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '@despatch/embedded/postgres'
import { chooseServerAccount } from '@despatch/embedded/server-account'
import { openDatabase } from '@despatch/store/database'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

const server = await shared(startWithTls())

test('with sslmode=verify-full, a server with the right name and certificate is used, over TLS', async () => {
  expect(await isEncrypted({ host: 'localhost', authority: server.authority })).toBe(true)
})

test('with sslmode=verify-full, another host name is refused', async () => {
  await expect(isEncrypted({ host: '127.0.0.1', authority: server.authority })).rejects.toThrow(
    /does not match certificate's altnames/,
  )
})

test('with sslmode=verify-full, a certificate of another authority is refused', async () => {
  const { path } = await anAuthority(server.directory, 'another')

  await expect(isEncrypted({ host: 'localhost', authority: path })).rejects.toThrow(
    /unable to verify|signature failure|self.signed/,
  )
})

async function isEncrypted({ host, authority }: { host: string; authority: string }) {
  const url = new URL(server.url)
  url.hostname = host
  url.searchParams.set('sslmode', 'verify-full')
  url.searchParams.set('sslrootcert', authority)
  const { pool, close } = openDatabase(url.href, { name: 'test', connectionsMax: 1 })
  onTestFinished(close)
  const { rows } = await pool.query<{ ssl: boolean }>(
    'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
  )
  return rows[0]?.ssl
}

/** A PostgreSQL server with a certificate for `localhost`. */
async function startWithTls() {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-tls-'))
  await using parts = new AsyncDisposableStack()
  parts.defer(() => rm(directory, { recursive: true, force: true }))
  await chmod(directory, 0o711)
  const authority = await anAuthority(directory, 'authority')
  const { key, certificate } = await aCertificate(directory, authority)
  const postgres = parts.adopt(
    await startPostgres({
      directory: join(directory, 'postgres'),
      durable: false,
      settings: ['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`],
    }),
    (started) => started.stop(),
  )
  const started = parts.move()
  return {
    url: postgres.url,
    directory,
    authority: authority.path,
    close: () => started.disposeAsync(),
  }
}

async function anAuthority(directory: string, name: string) {
  const path = join(directory, `${name}.pem`)
  const key = join(directory, `${name}.key`)
  const options = ['-keyout', key, '-out', path, '-subj', `/CN=${name}`, '-days', '2']
  await openssl('req', '-x509', ...newKey, ...options)
  return { path, key }
}

async function aCertificate(directory: string, authority: { path: string; key: string }) {
  const key = join(directory, 'server.key')
  const request = join(directory, 'server.csr')
  const certificate = join(directory, 'server.pem')
  const extensions = join(directory, 'extensions')
  await writeFile(extensions, 'subjectAltName=DNS:localhost')
  await openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', '/CN=localhost')
  const signing = ['-CA', authority.path, '-CAkey', authority.key, '-CAcreateserial']
  const output = ['-out', certificate, '-days', '2', '-extfile', extensions]
  await openssl('x509', '-req', '-in', request, ...signing, ...output)
  // the server refuses a key that others may read, and runs under its own account if this process is root
  const account = await chooseServerAccount(directory)
  await chmod(key, 0o600)
  if (account) await chown(key, account.uid, account.gid)
  return { key, certificate }
}

async function openssl(...options: string[]): Promise<void> {
  await run('openssl', options)
}
