import { randomUUID } from 'node:crypto'
import * as bulkActions from '@despatch/contracts/administration/bulk-action-operations'
import * as callbacks from '@despatch/contracts/administration/callback-operations'
import * as letters from '@despatch/contracts/administration/letter-operations'
import * as contract from '@despatch/contracts/administration/operations'
import * as printJobs from '@despatch/contracts/administration/print-job-operations'
import * as printRuns from '@despatch/contracts/administration/print-run-operations'
import * as providers from '@despatch/contracts/administration/provider-operations'
import * as queues from '@despatch/contracts/administration/queue-operations'
import * as recordSets from '@despatch/contracts/administration/record-set-operations'
import * as volumes from '@despatch/contracts/administration/volume-operations'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, passwordOfAll, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
const { headers } = await administration.as('nobody', 'POST', '/sessions', {
  userName: 'admin',
  password: passwordOfAll,
})
const cookie = String(headers['set-cookie']).split(';', 1)[0]!

const contracts = {
  ...{ ...contract, ...providers, ...printRuns, ...printJobs, ...letters, ...bulkActions },
  ...{ ...callbacks, ...queues, ...recordSets, ...volumes },
}
const operations = Object.entries(contracts).flatMap(([name, operation]) =>
  typeof operation === 'object'
    ? [{ name, method: operation.method, path: pathOf(operation.url) }]
    : [],
)
/** Operators may use all other operations too. */
const ofAdmins = [
  'abandonRecordSet',
  'beginRecordSet',
  'createConsumer',
  'createProvider',
  'enableConsumer',
  'loadRows',
  'makeRecordSetCurrent',
  'publishRecordSet',
  'putContract',
  'putUsagePlan',
  'resetPassword',
  'retireContract',
  'rotateApiKey',
  'rotateSigningKey',
  'setRoles',
  'setServices',
  'setUsagePlan',
]
/** For admins, and for operators with the address-editor role. */
const ofAddressEditors = ['overrideAddress']

test('there are operations to be tried', () => expect(operations.length).toBeGreaterThan(60))

describe.each(operations)('$name', ({ name, method, path }) => {
  test('401 without credentials', async () => {
    expect(await administration.as('nobody', method, path)).toMatchObject(
      refusal('401', 'Unauthorized', 'API Key or JWT is either not provided, expired or invalid'),
    )
  })

  test.each(['consumer', 'provider'] as const)('403 for a %s', async (user) => {
    expect(await administration.as(user, method, path)).toMatchObject(
      refusal('403', 'Unauthorized', 'This operation requires the role operator'),
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

  const isOfOperators = ![...ofAdmins, ...ofAddressEditors].includes(name)
  test(`${isOfOperators ? 'is' : '403, is not'} for an operator`, async () => {
    const { status } = await administration.as('operator', method, path)

    expect(status === 403).toBe(!isOfOperators)
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
    .replace(':consumerId', randomUUID())
    .replace(':jobType/:templateReference', 'LETTER/LETTER')
    .replace(':name', 'standard')
    .replace(':providerId', 'nobody')
    .replace(':printLocation', 'NOWHERE')
    .replace(':batchNumber', 'R1')
    .replace(':reprintId', '1')
    .replace(':recallId', randomUUID())
    .replace(':printJobKey', randomUUID())
    .replace(':bulkActionId', randomUUID())
    .replace(':callbackId', randomUUID())
    .replace(':queue', 'nothing')
    .replace(':page', '1')
}
