import { printJobRequestSchema } from '@despatch/contracts/print-request/print-job-request'
import { expect, test } from 'vitest'
import { requestOfRow } from './submit-csv.ts'

const agreed = { type: 'RENEWAL', template: 'RENEWAL' }
const address = { unstructuredAddress: { line1: '1 High Street', postcode: 'LS1 1AA' } }

test('the request of a row has always the same JSON, from which its id follows', () => {
  const row = {
    recipientName: 'A Person',
    businessIdentifier: 'case-1',
    despatchMethod: 'FIRST',
    address,
    handlingInstruction: { line1: 'Fragile' },
    customParams: [{ key: 'amount', value: '12.50' }],
  }
  const options = {
    ...agreed,
    notBefore: '2026-02-01',
    hold: true,
    callback: 'https://example.com/callbacks',
    mailing: 'december',
  } as const

  const request = requestOfRow(options, row)

  expect(JSON.stringify(request)).toBe(
    '{"standardParams":{"jobType":"RENEWAL","templateReference":"RENEWAL","businessIdentifier":"case-1",' +
      '"recipientName":"A Person","address":{"unstructuredAddress":{"line1":"1 High Street","postcode":"LS1 1AA"}},' +
      '"handlingInstruction":{"line1":"Fragile"},"despatchMethod":"FIRST"},' +
      '"customParams":[{"key":"amount","value":"12.50"}],"sendControl":{"notBefore":"2026-02-01","hold":true},' +
      '"callbackParams":{"target":"https://example.com/callbacks","retryParams":{"enabled":true}}}',
  )
  expect(printJobRequestSchema.safeParse(request).error).toBeUndefined()
})

test('a despatch method of the command is for the rows without one', () => {
  const methodOf = (row: { despatchMethod?: string }) =>
    requestOfRow({ ...agreed, method: 'ECONOMY' }, row).standardParams.despatchMethod

  expect([methodOf({}), methodOf({ despatchMethod: 'FIRST' })]).toEqual(['ECONOMY', 'FIRST'])
})
