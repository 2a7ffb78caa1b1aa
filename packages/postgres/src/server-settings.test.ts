import { expect, test } from 'vitest'
import {
  judgeServerSettings,
  refuseServerSettings,
  type ServerSettings,
} from './server-settings.ts'

const good: ServerSettings = {
  server_version: '15.18 (Debian 15.18-0+deb12u1)',
  server_encoding: 'UTF8',
  default_transaction_isolation: 'read committed',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  isStandby: false,
}
const aClient = (settings: ServerSettings) =>
  ({ query: async () => ({ rows: [settings] }) }) as never

test.for<[wrong: Partial<ServerSettings>, kind: string, found: string]>([
  [{ server_version: '14.23' }, 'refused', 'it is PostgreSQL 14.23'],
  [{ isStandby: true }, 'refused', 'it is a standby'],
  [{ server_encoding: 'LATIN1' }, 'refused', 'its encoding is LATIN1'],
  [
    { default_transaction_isolation: 'serializable' },
    'refused',
    'default_transaction_isolation is serializable',
  ],
  [{ fsync: 'off' }, 'unsafe', 'fsync is off'],
  [{ full_page_writes: 'off' }, 'unsafe', 'full_page_writes is off'],
  [{ synchronous_commit: 'off' }, 'unsafe', 'synchronous_commit is off'],
  [{ autovacuum: 'off' }, 'slow', 'autovacuum is off'],
])('%o is %s', ([wrong, kind, found]) => {
  expect(judgeServerSettings({ ...good, ...wrong })).toMatchObject([{ kind, found }])
})

test.for(['remote_apply', 'remote_write', 'local'])('synchronous_commit %s is safe', (value) => {
  expect(judgeServerSettings({ ...good, synchronous_commit: value })).toEqual([])
})

test('refuses only faults of the given kinds, the worst first', async () => {
  const client = aClient({ ...good, isStandby: true, fsync: 'off' })

  await expect(refuseServerSettings(client, ['unsafe'])).rejects.toThrow('fsync is off. To mend it')
  await expect(refuseServerSettings(client, ['unsafe', 'refused'])).rejects.toThrow('a standby')
  await expect(refuseServerSettings(aClient(good), ['refused', 'unsafe'])).resolves.toBeUndefined()
})
