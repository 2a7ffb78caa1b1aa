import { randomUUID } from 'node:crypto'
import * as contract from '@despatch/contracts/administration/operations'
import * as printRuns from '@despatch/contracts/administration/print-run-operations'
import * as providers from '@despatch/contracts/administration/provider-operations'
import * as recordSets from '@despatch/contracts/administration/record-set-operations'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Administration, anAdministration, oneError } from './an-administration.ts'

let administration: Administration
beforeAll(async () => {
  administration = await anAdministration()
})
afterAll(() => administration.close())

const contracts = { ...contract, ...recordSets, ...providers, ...printRuns }
const operations = Object.entries(contracts).flatMap(([name, operation]) =>
  typeof operation === 'object'
    ? [{ name, method: operation.method, path: pathOf(operation.url) }]
    : [],
)
const ofOperators = [
  'authoriseReprint',
  'closeAnyPrintRun',
  'disableConsumer',
  'getConsumer',
  'getConsumerUsage',
  'getPrintRun',
  'getRecordSet',
  'issueSerialNumbers',
  'listAllPrintRuns',
  'listAllReprints',
  'listAuditEvents',
  'listConsumers',
  'listContracts',
  'listEnquiries',
  'listProviders',
  'listRecalls',
  'listRecordSets',
  'listRejects',
  'listSerialStock',
  'listUsagePlans',
  'movePrintRun',
  'putPrintSite',
  'putProvider',
  'recallPrintRun',
  'refuseReprint',
  'releasePrintRun',
  'settleRecall',
]

test('there are operations to be tried', () => expect(operations.length).toBe(44))

describe.each(operations)('$name', ({ name, method, path }) => {
  test('401 without credentials', async () => {
    expect(await administration.as('nobody', method, path)).toMatchObject({
      status: 401,
      body: oneError(
        '401',
        'Unauthorized',
        'API Key or JWT is either not provided, expired or invalid',
      ),
    })
  })

  test.each(['consumer', 'provider'] as const)('403 for a %s', async (user) => {
    expect(await administration.as(user, method, path)).toMatchObject({
      status: 403,
      body: oneError('403', 'Unauthorized', 'This operation wants the role operator'),
    })
  })

  test(`${ofOperators.includes(name) ? 'is' : '403, is not'} for an operator`, async () => {
    const { status } = await administration.as('operator', method, path)

    expect(status === 403).toBe(!ofOperators.includes(name))
  })
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

/** With ids of nobody, so that nothing is changed by what is let through. */
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
}
