import { hash } from 'node:crypto'
import { documentOutcomes } from '@despatch/domain/print-run/document-progress'
import { documentKey } from '@despatch/object-store/keys'
import { parkStep } from '@despatch/store/print-job/steps'
import { aMade, makePending } from '@despatch/testing/make-pending'
import { expect, test } from 'vitest'
import { aWorld, type Letter, type World } from './ends/a-world.ts'
import { ageRows } from './ends/age-rows.ts'
import { courses } from './ends/letters.ts'
import { endCallbacks, listObjects, listPresent, otherThings } from './ends/others.ts'
import { removeWhatIsOver } from './ends/retire.ts'

/** Longer than the retention, and shorter than the history. */
const aSeason = 100
const fiftyYears = 18_250

test('no personal data of any kind remains after the retention, and no id after fifty years', async () => {
  const since = new Date(Date.now() - 1_000)
  const world = await aWorld()
  const { pool, marks, objects } = world
  const letters = await checkLetters(world)
  for (const [name, { happens }] of Object.entries(courses))
    await happens?.(world, letters.get(name)!)
  const stored: string[] = []
  for (const [thing, make] of Object.entries(otherThings))
    stored.push(...(await make(world, thing)))
  await endCallbacks(world)
  const named = await marks.findObjects(objects, since)
  expect(named.length).toBeGreaterThan(4)
  const keys = [...new Set([...(await listObjects(world)), ...stored, ...named])]
  expect((await marks.findRows(pool, 'personal')).map(columnOf)).toEqual(personalColumns)
  expect(await readCoverage(world)).toEqual(coverage)

  await ageRows(pool, { days: aSeason })
  await removeWhatIsOver(world, keys)
  expect(await marks.findRows(pool, 'personal')).toEqual([])
  expect(await listPresent(world, keys)).toEqual([])
  expect(await marks.findObjects(objects, since)).toEqual([])
  const logged = world.lines.join('\n')
  expect(logged).toContain('print-jobs.purged')
  expect(marks.isInText(logged)).toBe(false)

  await ageRows(pool, { days: fiftyYears })
  await removeWhatIsOver(world, keys)
  expect(await marks.findRows(pool, 'id')).toEqual(idsKept)
  await world.stop()
}, 300_000)

const columnOf = (found: string) => found.split(':')[0]

/** The columns that hold what a consumer, an operator, a provider or a receiver wrote. Each course fills some. */
const personalColumns = [
  'callback.body',
  'callback.destination_sealed',
  'callback_attempt.answer',
  'print_job.address_override',
  'print_job.callback_destination_sealed',
  'print_job.comment',
  'print_job.custom_params',
  'print_job.despatch_properties',
  'print_job.hold_reason',
  'print_job.printable_address',
  'print_job.standard_params',
  'print_job.unknown_members',
  'print_job_event.findings',
  'print_job_event.reason',
  'print_job_file.file_id',
  'print_run_document.despatch_properties',
  'print_run_event.despatch_properties',
  'print_run_event.reason',
  'reprint.decision_reason',
  'reprint.reason',
]

/** The audit is kept for ever, and names the print jobs that operators looked at or acted on by their ids. */
const idsKept = ['audit_event.detail: looked at by an operator, and its evidence exported']

/** The ends that the courses reach. Of the states of runs, CLAIMED and REFUSED have nothing left to report. */
const coverage = {
  letters: ['DESPATCHED', 'PENDING deleted', 'REJECTED'],
  runs: ['CLAIMED', 'CLOSED', 'REFUSED', 'VOIDED'],
  outcomes: documentOutcomes.toSorted(),
  callbacks: ['DEAD', 'DELIVERED'],
  reprints: ['AUTHORISED', 'REFUSED'],
  recalls: ['ACCEPTED', 'REJECTED'],
}

async function readCoverage({ pool }: World): Promise<unknown> {
  const { rows } = await pool.query(`
    select
      (select array_agg(distinct status || case when deleted_at is null then '' else ' deleted' end) from print_job)
        as letters,
      (select array_agg(distinct state) from print_run) as runs,
      (select array_agg(distinct outcome) from print_run_document where outcome is not null) as outcomes,
      (select array_agg(distinct state) from callback) as callbacks,
      (select array_agg(distinct state) from reprint) as reprints,
      (select array_agg(distinct state) from recall_request) as recalls`)
  return rows[0]
}

/** Submits the letters of every course. A pipeline checks those with files. */
async function checkLetters(world: World): Promise<Map<string, Letter[]>> {
  const { pipeline, marks } = world
  const letters = new Map<string, Letter[]>()
  for (const [name, { letters: count = 1, submitted }] of Object.entries(courses)) {
    const ofCourse: Letter[] = []
    for (let number = 0; number < count; number += 1) {
      const mark = marks.of(name)
      ofCourse.push({ mark, key: await world.submit(mark, await submitted?.(world, mark)) })
    }
    letters.set(name, ofCourse)
  }
  const made = [...letters].filter(([name]) => !courses[name]!.submitted)
  for (const [name, ofCourse] of made) {
    const isParked = courses[name]!.checked === 'PARKED'
    for (const letter of ofCourse) await (isParked ? park(world, letter) : make(world, letter))
  }
  const service = await pipeline.start()
  for (const [name, ofCourse] of letters) {
    const { submitted, checked = 'PENDING' } = courses[name]!
    if (submitted) for (const { key } of ofCourse) await pipeline.reached(key, checked)
  }
  await service.close()
  return letters
}

/** Makes a letter as the pipeline does, with a document that has the name. */
async function make({ objects, db }: World, { key, mark }: Letter): Promise<void> {
  const bytes = Buffer.from(`the letter of ${mark.personal}`)
  const documentSha256 = hash('sha256', bytes)
  await objects.put(documentKey(documentSha256), bytes, 'application/pdf')
  const printableAddress = { ...aMade.printableAddress, line1: `1 ${mark.personal} Road` }
  await makePending(db, { key, made: { documentSha256, printableAddress } })
}

async function park({ db }: World, { key }: Letter): Promise<void> {
  await parkStep(db, { key, epoch: 0 }, 'Error')
}
