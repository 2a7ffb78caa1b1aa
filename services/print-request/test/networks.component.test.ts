import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPrintRequest } from './a-print-request.ts'

const printRequest = await shared(aPrintRequest({ DESPATCH_TRUSTED_PROXIES: '1' }))
const refused = aProblem(403, {
  status: '403 FORBIDDEN',
  code: 'Forbidden',
  detail: 'The address of the request is not among those of the consumer',
})

test('a request is accepted only from the networks of its consumer', async () => {
  const { consumerId, headers } = await printRequest.aCaller()
  const listFrom = (address: string, given = headers) =>
    printRequest.call({ path: 'jobs', headers: { ...given, 'x-forwarded-for': address } })
  await printRequest.database.db
    .updateTable('consumer')
    .set({ networks: ['203.0.113.0/24'] })
    .where('id', '=', consumerId)
    .execute()

  expect(await listFrom('198.51.100.7')).toMatchObject(refused)
  expect((await listFrom('203.0.113.7')).status).toBe(200)
  expect((await listFrom('198.51.100.7', { ...headers, 'x-api-key': 'wrong' })).status).toBe(401)
  expect(printRequest.logged.join()).not.toContain('198.51.100.7')
})
