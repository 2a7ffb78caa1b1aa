import { hash } from 'node:crypto'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { ordinaryRun } from '../../src/conformance/cases/ordinary-run.ts'
import { verdictOf } from '../../src/conformance/judgement.ts'
import { exitCodeOf, renderReport } from '../../src/conformance/report.ts'
import { aStage, credentials } from './a-play.ts'

const startedAt = new Date('2026-03-02T09:00:00Z')

const c01 = { id: 'C01', title: 'An ordinary run', batchNumber: 'R1', durationMs: 5, calls: [] }

const stage = await shared(aStage())

test('contains every call with its response, without credentials or contents', async () => {
  const { client, calls, run, at, ids, judge } = await stage.play(ordinaryRun)
  await client.takeIn()
  await client.send('GET', `/print-fulfilment/v1/print-runs?key=${credentials.apiKey}`)
  await client.bringOut()
  const verdict = verdictOf(await judge())
  const { token = '' } = calls.find(({ kind }) => kind === 'claimPrintRun')!
  const { url = '' } = calls.find(({ kind }) => kind === 'file')!
  const link = url.split('/')[2]!

  const report = renderReport({
    startedAt,
    isInterrupted: false,
    played: [{ ...c01, batchNumber: run.batchNumber, verdict, calls }],
  })

  const text = JSON.stringify(report)
  const secrets = [credentials.password, credentials.apiKey, token, link, 'Mail']
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  expect(report).toMatchObject({ passed: 1, failed: 0, notShown: 0, isInterrupted: false })
  const told = report.cases[0]!.calls
  expect(told).toHaveLength(calls.length)
  expect(told.find(({ operation }) => operation === 'authenticate')).toEqual({
    atMs: expect.any(Number),
    operation: 'authenticate',
    method: 'POST',
    path: '/thirdparty-access/v1/authenticate',
    status: 200,
    headers: { authorization: 'given', 'x-api-key': 'given' },
  })
  expect(told.find(({ operation }) => operation === 'claimPrintRun')).toMatchObject({
    path: `${at}/claim`,
    headers: { 'idempotency-key': `claim-1 of ${run.batchNumber}` },
    answerSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(told.find(({ operation }) => operation === 'file')).toMatchObject({
    path: `/presigned/…/${ids[0]}.pdf`,
    answerSha256: hash('sha256', run.documents[0]!.file),
  })
  expect(told.map(({ path }) => path)).toContain('[withheld: it contains the API key]')
  expect(told.map(({ path }) => path)).toContain('/print-fulfilment/v1/print-runs?state=RELEASED')
})

test.each([
  [['PASS', 'NOT SHOWN'], false, 0],
  [['PASS', 'FAIL'], false, 1],
  [['PASS'], true, 1],
  [[], false, 1],
] as const)('%j, interrupted %j, ends with %i', (results, isInterrupted, exitCode) => {
  const played = results.map((result) => ({ ...c01, verdict: { result, reason: '' } }))

  expect(exitCodeOf({ startedAt, played, isInterrupted })).toBe(exitCode)
})
