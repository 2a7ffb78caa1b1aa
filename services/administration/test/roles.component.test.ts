import { randomUUID } from 'node:crypto'
import type { Role } from '@despatch/domain/access/caller'
import { operationRoles } from '@despatch/domain/access/operation-roles'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, passwordOfAll, refusal, type User } from './an-administration.ts'

const administration = await shared(anAdministration())
const { headers } = await administration.as('nobody', 'POST', '/sessions', {
  userName: 'admin',
  password: passwordOfAll,
})
const cookie = String(headers['set-cookie']).split(';', 1)[0]!

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Operation = { operationId: string; description?: string }
const { paths } = administration.service.api.swagger() as unknown as {
  paths: Record<string, Record<string, Operation>>
}
const table: Readonly<Record<string, readonly Role[]>> = operationRoles
/** Open operations need no session. */
const open = [
  ...['createSession', 'deleteSession'],
  ...['listSignInMethods', 'beginOidcSignIn', 'finishOidcSignIn'],
]
const operations = Object.entries(paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, description = '' }]) => ({
      ...{ name: operationId, description, path: pathOf(path) },
      method: method.toUpperCase() as Method,
    })),
  )
  .filter(({ name }) => !open.includes(name))

const users: { userName: string; roles: readonly Role[] }[] = [
  { userName: 'consumer', roles: ['consumer'] },
  { userName: 'provider', roles: ['provider'] },
  { userName: 'address-editor', roles: ['address-editor'] },
  { userName: 'operator', roles: ['operator'] },
  { userName: 'operator who edits addresses', roles: ['operator', 'address-editor'] },
  { userName: 'admin', roles: ['admin'] },
]
for (const { userName, roles } of users) {
  administration.ids[userName as User] ??= await administration.addUser(userName, roles)
}

test('the table has each operation that is served, and no other', () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(operationRoles).sort())
})

test('operators change nothing but the course of work', () => {
  const changes = operations
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/search'))
    .map(({ name }) => name)
    .filter((name) => table[name]?.includes('operator'))

  expect(changes.sort()).toEqual([
    'authoriseReprint',
    'cancelPrintJob',
    'closePrintRunOnBehalf',
    'confirmBulkAction',
    'countPosting',
    'countPrintJobs',
    'countReassignment',
    'countRecall',
    'countSettlement',
    'disableConsumer',
    'endTokens',
    'holdPrintJobByKey',
    'planBulkAction',
    'postOnBehalf',
    'previewContract',
    'previewShares',
    'reassignPrintRun',
    'recallPrintRun',
    'redriveParked',
    'redrivePrintJob',
    'redriveQueue',
    'refuseReprint',
    'releasePrintJobByKey',
    'releasePrintRun',
    'replayCallback',
    'replayCallbacks',
    'sendTestCallback',
    'settleRecall',
    'stopBulkAction',
  ])
})

describe.each(operations)('$name', ({ name, method, path, description }) => {
  test('401 without credentials', async () => {
    expect(await administration.as('nobody', method, path)).toMatchObject(
      refusal(
        '401 UNAUTHORIZED',
        'Unauthorized',
        'API Key or JWT is either not provided, expired or invalid',
      ),
    )
  })

  test('401 with the cookie of the console alone, which a form or a picture of another site may send', async () => {
    const { statusCode } = await administration.service.api.inject({
      method,
      url: `/administration/v1${path}`,
      headers: { cookie },
    })

    expect(statusCode).toBe(401)
  })

  test.each(users)(
    '403 for the $userName exactly if the table says so',
    async ({ userName, roles }) => {
      const mayEnter = roles.includes('operator') || roles.includes('admin')
      const isPermitted = mayEnter && roles.some((role) => table[name]!.includes(role))
      const required = mayEnter ? table[name]![0]! : 'operator'

      const answer = await administration.as(userName as User, method, path)

      if (isPermitted) expect(answer.status).not.toBe(403)
      else {
        const detail = `This operation requires the role ${required}`
        expect(answer).toMatchObject(refusal('403 FORBIDDEN', 'Forbidden', detail))
      }
    },
  )

  test('its description names the roles', () => {
    expect(description).toContain(`Requires the ${table[name]!.join(' or ')} role.`)
  })
})

test('the cookie of the console serves with its header', async () => {
  const { statusCode } = await administration.service.api.inject({
    url: '/administration/v1/consumers',
    headers: { cookie, 'x-despatch-console': '1' },
  })

  expect(statusCode).toBe(200)
})

test('an operator who has been disabled does nothing more', async () => {
  const fresh = await anAdministration()
  try {
    const before = await fresh.as('operator', 'GET', '/consumers')
    await fresh.asAdmin('POST', `/consumers/${fresh.ids.operator}/disable`)
    const after = await fresh.as('operator', 'GET', '/consumers')

    expect([before.status, after.status]).toEqual([200, 401])
  } finally {
    await fresh.close()
  }
})

/** Fills in ids that do not exist, so that a permitted request changes nothing. */
function pathOf(url: string): string {
  return url
    .replace('/administration/v1', '')
    .replace('{consumerId}', randomUUID())
    .replace('{jobType}/{templateReference}', 'LETTER/LETTER')
    .replace('{name}', 'standard')
    .replace('{providerId}', 'nobody')
    .replace('{printLocation}', 'NOWHERE')
    .replace('{batchNumber}', 'R1')
    .replace('{reprintId}', '1')
    .replace('{recallId}', randomUUID())
    .replace('{printJobKey}', randomUUID())
    .replace('{bulkActionId}', randomUUID())
    .replace('{callbackId}', randomUUID())
    .replace('{queue}', 'nothing')
    .replace('{page}', '1')
}
