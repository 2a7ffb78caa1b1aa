import type { Role } from '@despatch/domain/access/caller'
import { operationRoles } from '@despatch/domain/access/operation-roles'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())
type Operation = { operationId: string; description?: string }
await administration.service.api.ready()
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
      name: operationId,
      description,
      method,
      path,
    })),
  )
  .filter(({ name }) => !open.includes(name))

test('the table has exactly the served operations', () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(operationRoles).sort())
})

test('operators can change only the course of work', () => {
  const changes = operations
    .filter(({ method, path }) => method !== 'get' && !path.endsWith('/search'))
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
    'previewTemplate',
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

test.each(operations)('the description of $name names the roles', ({ name, description }) => {
  expect(description).toContain(`Requires the ${table[name]!.join(' or ')} role.`)
})
