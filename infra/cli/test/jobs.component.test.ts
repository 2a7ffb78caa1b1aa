import { randomUUID } from 'node:crypto'
import { parkStep } from '@despatch/store/print-job/steps'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aKeyAt, aSubmission, someStandardParams } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { takeLetters } from '@despatch/testing/take-letters'
import { takeWaitingLetters } from '@despatch/testing/take-waiting-letters'
import { expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const { say } = running
const { recipientName } = someStandardParams
const runs = await shared(somePrintRuns(running.databaseUrl))

async function aJob(detail = {}) {
  const submission = aSubmission(runs.consumer, detail)
  await saveSubmissions(runs.pool, [submission])
  return submission
}

async function aPendingJob(detail = {}) {
  const submission = await aJob(detail)
  await runs.accept([submission.key])
  return submission
}

test('print jobs are listed by identifiers and by problems', async () => {
  const standardParams = { ...someStandardParams, businessIdentifier: 'case-of-the-list' }
  const [held, other] = [await aPendingJob({ standardParams }), await aPendingJob()]
  await say(`jobs hold ${held.id} --reason "asked for by telephone"`)

  const byId = await say(`jobs list ${held.id}`)
  const byHold = await running.documentOf('jobs list --only held --status PENDING')
  const first = await running.documentOf('jobs list --limit 1')
  const next = await say(`jobs list --limit 1 --cursor ${first.nextCursor}`)
  const ofNobody = await running.documentOf('jobs list --consumer somebody')

  expect(byId).toMatch(
    new RegExp(
      `^${held.id} +${recipientName} +case-of-the-list +PENDING +\\S+Z +- +\\S+ +- +held$`,
      'm',
    ),
  )
  expect(byId).not.toContain(other.id)
  const heldIds = byHold.printJobs.map(({ id }: { id: string }) => id)
  expect([heldIds.includes(held.id), heldIds.includes(other.id)]).toEqual([true, false])
  expect(first.printJobs).toHaveLength(1)
  expect(next).toMatch(/^[0-9a-f-]{36} .+ [A-Z]+ /m)
  expect(next).not.toContain(first.printJobs[0].id)
  expect(ofNobody.printJobs).toEqual([])
})

test('at a terminal, a list has colours and relative times, but no document of --json', async () => {
  const { id } = await aPendingJob()
  const look = { now: () => new Date(Date.now() + 180_000) }
  const list = async (...options: string[]) =>
    (await running.despatch([`jobs list ${id}`, ...options], {}, { look })).stdout

  expect(await list()).toContain(`\u001b[36mPENDING\u001b[39m  3 min ago`)
  expect(await list('--json')).not.toContain('\u001b')
})

test('a rejected print job is listed with the reason for it', async () => {
  const rejected = await aPendingJob()
  await runs.pool.query(
    `update print_job set status = 'REJECTED', comment = 'P107: no text at all' where key = $1`,
    [rejected.key],
  )

  const listed = await say(`jobs list ${rejected.id}`)

  expect(listed).toMatch(/ REJECTED .+ P107: no text at all$/m)
})

test('print jobs are listed by several statuses, times and dates, oldest first', async () => {
  const later = await aPendingJob({ key: aKeyAt(new Date('2026-03-04T05:06:08Z')) })
  const earlier = await aPendingJob({ key: aKeyAt(new Date('2026-03-04T05:06:07Z')) })
  const list = async (...options: string[]) => {
    const page = await running.documentOf('jobs list', ...options)
    const ids: string[] = page.printJobs.map(({ id }: { id: string }) => id)
    return ids.filter((id) => [earlier.id, later.id].includes(id))
  }
  const statuses = '--status PENDING --status REJECTED --from 2020-01-31T09:00:00Z'

  const oldest = await list(statuses, '--order oldest')

  expect(oldest).toEqual([earlier.id, later.id])
  expect(await list('--to 2020-01-31T09:00:00Z')).toEqual([])
  expect(await list('--due-from 2020-01-01 --due-to 2020-01-31')).toEqual([])
  expect(await list('--rule P107')).toEqual([])
})

test('a print job is shown with its timeline and possible actions, without its address', async () => {
  const { key, id } = await aPendingJob()
  const address = { line1: '1 Secret Street', recipientLine1: 'A', recipientLine2: '', dps: null }
  const set = 'update print_job set printable_address = $2 where key = $1'
  await runs.pool.query(set, [key, address])

  const shown = await say(`jobs show ${id}`)
  const document = await running.documentOf(`jobs show ${key}`)

  expect(shown).toMatch(new RegExp(`^ {2}print job +${id}$`, 'm'))
  expect(shown).toMatch(/^ {2}status +PENDING$/m)
  expect(shown).toMatch(/^\S+Z {2}QUARANTINE {2}submit by \S+/m)
  expect(shown).toMatch(/^hold +yes$/m)
  expect(shown).toMatch(/^release +no: It is not held\.$/m)
  expect(document).toMatchObject({ printJobKey: key, id, printableAddress: address })
  expect(shown).not.toContain('Secret')
})

test('one is held, released and cancelled, with a reason in its timeline', async () => {
  const { key, id } = await aPendingJob()
  const reason = 'asked for by telephone'

  const held = await say(`jobs hold ${id} --reason "${reason}"`)
  const released = await say(`jobs release ${key} --reason "${reason}"`)
  const cancelled = await say(`jobs cancel ${id} --reason "${reason}" --yes`)
  const shown = await say(`jobs show ${key}`)

  expect([held, released, cancelled]).toEqual([
    `Print job ${id} is held.\n`,
    `Print job ${id} is released.\n`,
    `Print job ${id} was cancelled.\n`,
  ])
  expect(shown).toMatch(/^\S+Z {2}PENDING {5}hold by \S+: asked for by telephone$/m)
  expect(shown).toMatch(/^\S+Z {2}PENDING {5}release-hold by \S+: asked for by telephone$/m)
  expect(shown).toMatch(/^ {2}problem +deleted$/m)
})

test('the address of a held one is corrected, and no answer but the document of --json says it', async () => {
  const { key, id } = await aPendingJob()
  const address = { line1: '2 Quarry Lane', line5: 'LERWICK', postcode: 'ZE1 0AA' }
  const rest =
    '--line1 "2 Quarry Lane" --line5 LERWICK --postcode "ZE1 0AA" --reason "asked for by telephone"'

  const early = await running.despatch([`jobs override-address ${id}`, rest])
  await say(`jobs hold ${id} --reason "wrong street"`)
  const done = await say(`jobs override-address ${id} --name "Ms B"`, rest)
  const shown = await say(`jobs show ${id}`)

  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('Hold it first.')])
  expect(done).toBe(`Print job ${id} has the new address.\n`)
  expect(await running.documentOf(`jobs show ${key}`)).toMatchObject({
    addressOverride: { recipientName: 'Ms B', address: { unstructuredAddress: address } },
    printableAddress: { recipientLine1: 'Ms B', ...address },
  })
  expect(shown).toMatch(/^ {2}address corrected +\S+Z$/m)
  expect(shown).toMatch(/override-address by \S+: asked for by telephone$/m)
  expect(shown).not.toMatch(/Quarry|Ms B|LERWICK|ZE1/)
})

test('one that is parked is tried again', async () => {
  const { key, id } = await aJob()
  const taken = await takeWaitingLetters(runs.db)
  await parkStep(runs.db, taken.find((step) => step.key === key)!, 'StorageDown')

  const parked = await running.documentOf('jobs list --only parked')
  const redriven = await say(`jobs redrive ${id} --reason "storage is back"`)

  expect(parked.printJobs).toMatchObject([{ id, failure: 'StorageDown' }])
  expect(redriven).toBe(`Print job ${id} is retried.\n`)
  expect((await running.documentOf('jobs list --only parked')).printJobs).toEqual([])
  expect(await takeWaitingLetters(runs.db)).toMatchObject([{ key, starts: 1, failures: 0 }])
})

test('print jobs that an outage parked are redriven together after a confirmation', async () => {
  for (const failure of ['ECONNREFUSED', 'TimeoutError', 'TypeError']) {
    const { key } = await aJob()
    const [step] = await takeLetters(runs.db, [key])
    await parkStep(runs.db, step!, failure)
  }
  const command = 'jobs redrive-parked --reason "storage is back"'

  const counted = await say(command, '--dry-run')
  const unasked = await running.despatch(command)
  const redriven = await say(command, '--yes')
  const again = await running.documentOf('jobs redrive-parked --reason x --dry-run')

  expect(counted).toMatch(/^TypeError +1 +no$/m)
  expect(counted).toContain('Parked by an outage: 2 print jobs.')
  expect(unasked.code).toBe(2)
  expect(redriven).toBe('2 print jobs redriven.\n')
  expect(again).toEqual({
    count: 0,
    failures: [{ failure: 'TypeError', count: 1, isOutage: false }],
  })
})

test('an impossible action ends with 1 and says why, and a reason is required', async () => {
  const { id } = await aPendingJob()

  const refused = await running.despatch(`jobs release ${id} --reason no`)
  const unknown = await running.despatch('jobs show nobody-knows-it')
  const noKey = await running.despatch(`jobs show ${randomUUID()}`)
  const noReason = await running.despatch(`jobs hold ${id}`)

  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('It is not held.')
  expect(unknown.stderr).toBe('despatch: there is no print job nobody-knows-it\n')
  expect([unknown.code, noKey.code, noReason.code]).toEqual([1, 1, 2])
  expect(noReason.stderr).toContain('--reason')
})
