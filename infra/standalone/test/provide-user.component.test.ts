import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { hashApiKey } from '@despatch/access/api-keys'
import { verifyPassword } from '@despatch/access/passwords'
import { setConsumerDisabled } from '@despatch/store/access/consumer-credentials'
import { findAccountByUserName } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { shared } from '@despatch/testing/shared'
import { afterAll, expect, test } from 'vitest'
import { provideUser } from '../src/provide-user.ts'

const main = resolve(import.meta.dirname, '../src/provide-user-main.ts')
const { url, serviceUrl, drop } = await cloneDatabase()
afterAll(drop)
const { db } = await shared(openDatabase(url, { name: 'test', connectionsMax: 1 }))

/** Runs the command, and returns its exit code, what it prints, and the credentials in that. */
async function provide(...given: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: url, DESPATCH_ENVIRONMENT: 'uat' }
  const { code, stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...given], {
    env,
  }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  const {
    DESPATCH_USER_NAME = '',
    DESPATCH_PASSWORD = '',
    DESPATCH_API_KEY = '',
  } = parseEnv(stdout.replaceAll('export ', ''))
  const account = await findAccountByUserName(db, DESPATCH_USER_NAME)
  const isWorking =
    account?.apiKeyHash.equals(hashApiKey(DESPATCH_API_KEY)) &&
    (await verifyPassword(account.passwordHash, DESPATCH_PASSWORD))
  return { code, stderr, account, isWorking, isSilent: stdout === '' }
}

test('a user is created once, with its roles, and its credentials work', async () => {
  const first = await provide('ada@example.com')
  const again = await provide('ada@example.com')
  const editor = await provide('eve', '--role', 'address-editor')

  expect([first.code, first.isWorking, first.account?.roles]).toEqual([
    ...[0, true, ['operator', 'admin']],
  ])
  expect(first.account?.services).toEqual([])
  expect([again.code, again.isSilent]).toEqual([1, true])
  expect(again.stderr).toContain('ada@example.com exists, and was not changed. With --reset')
  expect([editor.isWorking, editor.account?.roles]).toEqual([true, ['address-editor']])
})

test('lost credentials are replaced, tokens of before end, and the audit log shows it', async () => {
  const before = await provide('grace')

  const { code, account, isWorking } = await provide('grace', '--reset')

  expect([code, isWorking, account?.roles]).toEqual([0, true, before.account?.roles])
  expect(account!.tokenGeneration).toBeGreaterThan(before.account!.tokenGeneration)
  const events = await db
    .selectFrom('audit_event')
    .select('action')
    .where('consumer_id', '=', account!.id)
    .orderBy('id')
    .execute()
  expect(events.map(({ action }) => action)).toEqual([
    ...['consumer.created', 'api-key.changed', 'password.changed'],
  ])
})

test('a disabled user stays disabled', async () => {
  const { account } = await provide('mallory')
  await setConsumerDisabled(db, { consumerId: account!.id, isDisabled: true })

  const { code, stderr, isSilent } = await provide('mallory', '--reset')

  expect([code, isSilent]).toEqual([1, true])
  expect(stderr).toContain('mallory is disabled')
})

test('of two at once, one creates the user', async () => {
  const order = { userName: 'twice', roles: ['admin'] as const, reset: false }

  // with the login of administration, which is enough
  const at = serviceUrl('administration')
  const provided = await Promise.all([provideUser(at, order), provideUser(at, order)])

  expect(provided.map(({ kind }) => kind).sort()).toEqual(['created', 'exists'])
})

test.each([
  [[], 'Give one user name'],
  [['two', 'names'], 'Give one user name'],
  [["o'brien"], 'Give one user name'],
  [['ada', '--role', 'provider'], '--role must be one of: operator, admin, address-editor'],
  [['ada', '--rol', 'admin'], "Unknown option '--rol'"],
])('%j is wrong usage', async (given, reason) => {
  const { code, stderr } = await provide(...given)

  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)])
  expect(stderr).toContain('npm run provide-user -- <user name>')
})
