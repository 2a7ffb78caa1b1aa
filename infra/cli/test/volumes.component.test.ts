import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
await aPrintJob('LETTER', ['submit'])
await aPrintJob('=NOTICE', ['submit', 'reject'])

/** Inserts a print job of the consumer `somebody` on the first of November. */
async function aPrintJob(jobType: string, transitions: readonly string[]) {
  await running.pool.query(
    `with agreed as (
       insert into contract (id, consumer_id, job_type, template_reference, production, callback_statuses)
       values (gen_random_uuid(), $1, $2, 'PLAIN', 'letter', '{}') returning id
     ), job as (
       insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_statuses,
         correlation_id, request_fingerprint)
       select id, $1, id::text, 'QUARANTINE', id, '{}', '{}', 'c', '' from agreed returning key
     )
     insert into print_job_event (print_job_key, sequence, transition, status, at, actor)
     select key, sequence, transition, 'QUARANTINE', '2026-11-01T12:00Z', 'test'
     from job, unnest($3::text[]) with ordinality as happened (transition, sequence)`,
    [running.consumer.consumerId, jobType, transitions],
  )
}

const november = 'volumes --from 2026-11-01 --to 2026-11-30'

test('shows volumes as a table with their total', async () => {
  const { code, stdout, stderr } = await running.despatch(november)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toEqual([
    'PERIOD      CONSUMER  JOB TYPE  TEMPLATE  ACCEPTED  REJECTED  DELETED  LETTERS  SHEETS  PAGES  DESPATCHED BY',
    '2026-11-01  somebody  =NOTICE   PLAIN     1         1         0        0        0       0      -',
    '2026-11-01  somebody  LETTER    PLAIN     1         0         0        0        0       0      -',
    'total                                     2         1         0        0        0       0',
  ])
})

test('prints months of one consumer as JSON', async () => {
  const ofSomebody = await running.documentOf(november, '--by month --consumer somebody')
  const ofColleague = await running.documentOf(november, '--consumer colleague')

  expect(ofSomebody).toMatchObject({
    groupBy: 'month',
    total: { accepted: 2, rejected: 1 },
    volumes: [{ period: '2026-11' }, { period: '2026-11' }],
  })
  expect(ofColleague).toMatchObject({ groupBy: 'day', volumes: [] })
})

test('writes CSV to a file, in place of one that is there', async () => {
  const path = join(running.directory, 'volumes.csv')
  await running.despatch([november, `--csv ${path}`])

  const ended = await running.despatch([november, `--by month --csv ${path}`])

  expect(ended).toEqual({ code: 0, stdout: `The volumes are in ${path}.\n`, stderr: '' })
  expect((await readFile(path, 'utf8')).split('\r\n')).toEqual([
    'period,userName,jobType,templateReference,despatchMethod,postageClass,accepted,rejected,deleted,letters,sheets,pages',
    "2026-11,somebody,'=NOTICE,PLAIN,,,1,1,0,0,0,0",
    '2026-11,somebody,LETTER,PLAIN,,,1,0,0,0,0,0',
    '',
  ])
})

test.each<[what: string, line: string, code: number, told: string]>([
  ['no such day', 'volumes --from 2026-02-29 --to 2026-03-01', 2, 'It must be a date that exists'],
  ['weeks', `${november} --by week`, 2, 'Allowed choices are day, month.'],
  [
    'days the wrong way round',
    'volumes --from 2026-02-02 --to 2026-02-01',
    1,
    'to must not be before from, 2026-02-02 (400)',
  ],
  ['an unknown consumer', `${november} --consumer nobody`, 1, 'there is no consumer nobody'],
  [
    'a file that cannot be written',
    `${november} --csv /nowhere/volumes.csv`,
    1,
    '/nowhere/volumes.csv cannot be written (ENOENT)',
  ],
])('ends with %s', async (_, line, code, told) => {
  expect(await running.despatch(line)).toEqual({
    code,
    stdout: '',
    stderr: expect.stringContaining(told),
  })
})
