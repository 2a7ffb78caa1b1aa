import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@despatch/embedded/postgres'
import { chooseServerAccount } from '@despatch/embedded/server-account'
import { openDatabase } from '@despatch/store/database'
import { aCertificate, anAuthority } from '@despatch/testing/certificates'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'

const server = await shared(startWithTls())

test('sslmode=verify-full accepts a server with the right name and certificate, over TLS', async () => {
  expect(await isEncrypted({ host: 'localhost', authority: server.authority })).toBe(true)
})

test('sslmode=verify-full refuses another host name', async () => {
  await expect(isEncrypted({ host: '127.0.0.1', authority: server.authority })).rejects.toThrow(
    /does not match certificate's altnames/,
  )
})

test('sslmode=verify-full refuses a certificate of another authority', async () => {
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
  // the server refuses a key that others may read, and runs under its own account if this process is root
  const account = await chooseServerAccount(directory)
  if (account) await chown(key, account.uid, account.gid)
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
