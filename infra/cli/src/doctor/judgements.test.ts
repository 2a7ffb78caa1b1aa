import type { ListedTask } from '@despatch/work/task-runs'
import { expect, test } from 'vitest'
import { checkBucket, judgeBucket } from './bucket.ts'
import { judgeCallbackAllow } from './callback-allow.ts'
import { judgeMigrations, judgeSettings } from './database.ts'
import { judgeNodeVersion } from './examine.ts'
import type { Finding } from './finding.ts'
import { reasonWithoutSecrets } from './finding.ts'
import { judgePeriodicTasks } from './periodic-tasks.ts'
import { judgePolicy } from './queue-policy.ts'
import { judgeSecretKey } from './secret-key.ts'

type State = Finding['state']

const random = '8f1c2b7e94d05a6633e1f7a8c0d9b2514e6f7081923a4b5c6d7e8f90a1b2c3d4'

test.for<[what: string, key: string, previous: string | undefined, state: State]>([
  ['of 64 hexadecimal characters', random, undefined, 'good'],
  ['in capitals', random.toUpperCase(), undefined, 'good'],
  ['with previous ones', random, `${random}, ${random}`, 'good'],
  ['that is too short', random.slice(1), undefined, 'bad'],
  ['with other characters', `g${random.slice(1)}`, undefined, 'bad'],
  ['that repeats itself', 'ab'.repeat(32), undefined, 'bad'],
  ['with an invalid previous key', random, 'secret', 'bad'],
])('a secret key %s', ([, key, previous, state]) => {
  const finding = judgeSecretKey(key, { name: 'DESPATCH_KEY_CALLBACKS', previous })

  expect(finding).toMatchObject({ subject: 'DESPATCH_KEY_CALLBACKS', state })
  expect(JSON.stringify(finding)).not.toContain(key.slice(0, 8))
})

test.for<[ranges: string, environment: string, state: State, found: string]>([
  ['', 'production', 'skipped', 'without it only public addresses are called'],
  [
    '10.20.0.0/16, fd12::/16',
    'production',
    'good',
    'besides public addresses: 10.20.0.0/16, fd12::/16',
  ],
  ['10.0.0.0/8', 'production', 'good', 'besides public addresses: 10.0.0.0/8'],
  ['0.0.0.0/0', 'production', 'bad', '0.0.0.0/0 is too wide'],
  ['0.0.0.0/0', 'uat', 'warning', '0.0.0.0/0 is too wide'],
  ['::/0', 'production', 'bad', '::/0 is too wide'],
  ['128.0.0.0/1', 'production', 'bad', '128.0.0.0/1 is too wide'],
  ['169.254.0.0/16', 'production', 'good', 'besides public addresses: 169.254.0.0/16'],
  ['169.254.169.254/32', 'production', 'bad', '169.254.169.254 gives machines their credentials'],
  ['10.0.0.0/8:8443', 'production', 'good', 'besides public addresses: 10.0.0.0/8:8443'],
  ['127.0.0.1/32:9000', 'production', 'warning', 'this machine itself can be called'],
  ['127.0.0.0/8,::1/128', 'production', 'warning', 'this machine itself can be called'],
  ['127.0.0.0/8', 'uat', 'good', 'besides public addresses: 127.0.0.0/8'],
  ['everywhere', 'production', 'bad', 'has an entry that is not a range'],
])('callback ranges %s in %s', ([ranges, environment, state, found]) => {
  const finding = judgeCallbackAllow(ranges, environment)

  expect(finding.state).toBe(state)
  expect(finding.found).toContain(found)
})

test.for<[policy: string | undefined, state: State]>([
  ['noeviction', 'good'],
  ['allkeys-lru', 'bad'],
  [undefined, 'warning'],
])('a Redis with maxmemory-policy %s', ([policy, state]) => {
  expect(judgePolicy(policy).state).toBe(state)
})

const settings = {
  server_encoding: 'UTF8',
  default_transaction_isolation: 'read committed',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  server_version: '18.4',
  isStandby: false,
}

test.for<[wrong: Partial<typeof settings>, state: State, found: string]>([
  [{}, 'good', 'those that matter are right'],
  [{ fsync: 'off' }, 'bad', 'fsync is off: a crash may lose letters that were accepted'],
  [{ autovacuum: 'off' }, 'warning', 'autovacuum is off'],
  [{ isStandby: true }, 'bad', 'it is a standby'],
  [{ server_version: '14.23' }, 'bad', 'it is PostgreSQL 14.23'],
])('a database with %o', ([wrong, state, found]) => {
  expect(judgeSettings({ ...settings, ...wrong })).toMatchObject([{ state, found }])
})

const base = { name: 'baseline', sha256: 'o' }
const one = { name: '0001_one.sql', sha256: 'a' }
const two = { name: '0002_two.sql', sha256: 'b' }

test.for<[what: string, applied: (typeof one)[] | undefined, state: State, found: string]>([
  ['all', [base, one, two], 'good', 'all 3 are applied'],
  ['some', [base, one], 'bad', 'missing: 0002_two.sql'],
  ['none at all', undefined, 'bad', 'missing: baseline, 0001_one.sql, 0002_two.sql'],
  [
    'one of a newer release',
    [base, one, two, { name: '0003_three.sql', sha256: 'c' }],
    'bad',
    'the database has migrations that this release does not know: 0003_three.sql',
  ],
  [
    'one that was edited',
    [base, one, { ...two, sha256: 'x' }],
    'bad',
    'edited after they were applied: 0002_two.sql',
  ],
  ['some of an unreleased version', [one], 'bad', 'an unreleased version made the database'],
  [
    'another baseline instead',
    [{ ...base, sha256: 'x' }],
    'bad',
    'an unreleased version made the database',
  ],
])('a database with %s of the migrations', ([, applied, state, found]) => {
  expect(judgeMigrations([base, one, two], applied)).toMatchObject({ state, found })
})

test('a bucket is judged by the first thing that may not be done', () => {
  expect(judgeBucket({ kind: 'allowed' }).state).toBe('good')
  expect(judgeBucket({ kind: 'failed', step: 'delete', reason: 'AccessDenied' })).toEqual({
    subject: 'object store',
    state: 'bad',
    found: 'a probe object could not be deleted (AccessDenied)',
    mend: 'check that S3_ENDPOINT responds and S3_BUCKET exists, and allow the access key to s3:DeleteObject in it',
  })
})

test.each([
  ['not set', {}, 'skipped', 'the S3_ settings are not set here'],
  ['without a bucket', { S3_ENDPOINT: 'http://s3' }, 'bad', /^S3_BUCKET is required/],
  [
    'with half a key',
    { S3_ENDPOINT: 'http://s3', S3_BUCKET: 'letters', S3_ACCESS_KEY_ID: 'AKIA' },
    'bad',
    'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be given together',
  ],
] as const)('an object store %s', async (_case, environment, state, found) => {
  const findings = await checkBucket({ environment } as never)

  expect(findings).toMatchObject([
    { state, found: typeof found === 'string' ? found : expect.stringMatching(found) },
  ])
})

test.for<[version: string, state: State]>([
  ['24.0.0', 'good'],
  ['26.1.0', 'good'],
  ['22.20.0', 'bad'],
])('Node.js %s', ([version, state]) => {
  expect(judgeNodeVersion(version).state).toBe(state)
})

test('a missing response is explained by its code, never by its message', () => {
  const cause = Object.assign(new Error('connect to secret:password@host'), {
    code: 'ECONNREFUSED',
  })

  expect(reasonWithoutSecrets(new Error('fetch failed', { cause }))).toBe('ECONNREFUSED')
  expect(reasonWithoutSecrets(new AggregateError([cause]))).toBe('ECONNREFUSED')
  expect(reasonWithoutSecrets(new TypeError('secret'))).toBe('TypeError')
  expect(reasonWithoutSecrets(undefined)).toBe('failed')
})

const at = new Date('2026-12-01T12:00:00Z')
const aTask = (state: ListedTask['state'], given: Partial<ListedTask> = {}): ListedTask => ({
  service: 'pipeline',
  name: 'print-runs',
  state,
  owner: 'host:1',
  everyMs: 1_000,
  seenAt: at,
  lookedAt: at,
  beganAt: null,
  ranAt: null,
  tookMs: null,
  nextAt: null,
  failedAt: null,
  error: null,
  ...given,
})

test.for<[what: string, tasks: ListedTask[], found: [State, string][]]>([
  ['before any service ran', [], [['skipped', 'no service has run yet']]],
  ['that all succeed', [aTask('ok'), aTask('ok')], [['good', 'all 2 succeed']]],
  ['of a stopped system', [aTask('absent')], [['warning', 'no service runs now']]],
  [
    'that fail, or are not run',
    [
      aTask('ok'),
      aTask('failing', { failedAt: at, error: 'TimeoutError', lookedAt: null }),
      aTask('late'),
      aTask('absent', { service: 'fulfilment', name: 'file-drop' }),
    ],
    [
      [
        'bad',
        'print-runs of pipeline failed at 2026-12-01T12:00:00.000Z (TimeoutError), and has not succeeded yet',
      ],
      ['bad', 'print-runs of pipeline has not run since 2026-12-01T12:00:00.000Z'],
      ['warning', 'file-drop of fulfilment was last reported at 2026-12-01T12:00:00.000Z'],
    ],
  ],
])('periodic tasks %s', ([, tasks, found]) => {
  expect(judgePeriodicTasks(tasks).map((finding) => [finding.state, finding.found])).toEqual(found)
})
