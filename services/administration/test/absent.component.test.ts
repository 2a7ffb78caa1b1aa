import { randomUUID } from 'node:crypto'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())
const id = randomUUID()
const reason = 'a test'

type Missing = { code: string; title?: string; detail: string }

const consumer = { code: 'ConsumerNotFound', title: 'No such consumer', detail: id }
const provider = { code: 'ProviderNotFound', title: 'No such print provider', detail: 'nobody' }
const run = { code: 'PrintRunNotFound', title: 'No such print run', detail: 'R1' }
const printJob = { code: '5', detail: id }
const callback = { code: 'CallbackNotFound', title: 'No such callback', detail: id }
const letter = { production: 'letter' }

const lastRecorded = async () =>
  (await administration.asAdmin('GET', '/audit-events?limit=1')).body.auditEvents

test.each<[method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, error: Missing, body?: object]>(
  [
    ['GET', `/consumers/${id}`, consumer],
    ['GET', `/consumers/${id}/usage`, consumer],
    ['GET', `/consumers/${id}/contracts`, consumer],
    ['POST', `/consumers/${id}/disable`, consumer],
    ['POST', `/consumers/${id}/enable`, consumer],
    ['POST', `/consumers/${id}/rotate-key`, consumer],
    ['POST', `/consumers/${id}/reset-password`, consumer],
    ['POST', `/consumers/${id}/end-tokens`, consumer],
    ['PUT', `/consumers/${id}/services`, consumer, { services: [] }],
    ['PUT', `/consumers/${id}/usage-plan`, consumer, { usagePlan: 'standard' }],
    ['PUT', `/consumers/${id}/roles`, consumer, { roles: ['consumer'] }],
    ['PUT', `/consumers/${id}/contracts/LETTER/LETTER`, consumer, letter],
    ['DELETE', `/consumers/${id}/contracts/A/B`, consumer],
    ['PUT', '/providers/nobody', provider, { name: 'Nobody', exchange: 'http' }],
    ['GET', '/print-runs/R1', run],
    ['POST', '/print-runs/R1/release', run],
    ['POST', '/print-runs/R1/recalls', run, { all: true, reason }],
    ['POST', `/print-jobs/${id}/hold`, printJob, { reason }],
    ['POST', `/print-jobs/${id}/release`, printJob, { reason }],
    ['POST', `/print-jobs/${id}/cancel`, printJob, { reason }],
    ['POST', `/print-jobs/${id}/redrive`, printJob, { reason }],
    ['GET', `/callbacks/${id}`, callback],
    ['POST', `/callbacks/${id}/replay`, callback],
    ['POST', '/reprints/999999/authorise', { code: 'ReprintNotFound', detail: '999999' }],
  ],
)('404: %s %s', async (method, path, { detail, ...error }, body) => {
  const before = await lastRecorded()

  expect(await administration.asAdmin(method, path, body)).toMatchObject(
    aProblem(404, {
      ...{ status: '404 NOT_FOUND', ...error },
      detail: expect.stringContaining(detail),
    }),
  )
  expect(await lastRecorded()).toEqual(before)
})
