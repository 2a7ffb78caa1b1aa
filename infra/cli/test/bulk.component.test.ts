import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { beforeEach, expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const runs = await shared(somePrintRuns(running.databaseUrl))
beforeEach(() => runs.gather())

const hold = 'bulk plan --action hold --reason "wrong enclosure"'
const plan = (...chosen: string[]) => running.documentOf(hold, ...chosen)

test('print jobs by key and id are planned, confirmed by their count, and watched to the end', async () => {
  const { keys, ids } = await runs.anOpenRun(2)

  const planned = await running.despatch([hold, `${keys[0]} ${ids[1]}`])
  const listed = await running.documentOf('bulk list --limit 1')
  const [{ bulkActionId }] = listed.bulkActions
  const wrong = await running.despatch(`bulk confirm ${bulkActionId} --count 3`)
  const nobody = await running.despatch(`bulk confirm ${bulkActionId}`)
  const confirmed = await running.despatch(`bulk confirm ${bulkActionId} --count 2`)
  const watched = await running.despatch(`bulk watch ${bulkActionId}`)
  const shown = await running.despatch(`bulk show ${bulkActionId}`)

  expect([planned.code, planned.stderr]).toEqual([0, ''])
  expect(planned.stdout).toMatch(/^ +possible now +2$/m)
  expect(planned.stdout).toMatch(
    new RegExp(`^${ids[1]} +${keys[1]} +\\S+ +PENDING +possible +-$`, 'm'),
  )
  expect(planned.stdout).toContain(`bulk confirm ${bulkActionId} --count 2`)
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringContaining('The plan has 2 print jobs, not 3.'),
  ])
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('give --count')])
  expect([confirmed.code, confirmed.stderr]).toEqual([0, ''])
  expect([watched.code, watched.stdout]).toEqual([0, expect.stringMatching(/ENDED: 2 done\n$/)])
  expect(shown.stdout).toMatch(new RegExp(`^${ids[0]} +${keys[0]} +\\S+ +PENDING +done +-$`, 'm'))
})

test('the print jobs of an outcome are shown, page by page, with the filters of the plan', async () => {
  const { keys } = await runs.anOpenRun(2)
  const { bulkActionId } = await plan(...keys)
  await running.despatch(`bulk stop ${bulkActionId}`)
  await runs.db
    .updateTable('bulk_action')
    .set({ matching: JSON.stringify({ statuses: ['PENDING', 'QUARANTINE'], hasText: true }) })
    .where('id', '=', bulkActionId)
    .execute()

  const show = (...options: string[]) => running.despatch([`bulk show ${bulkActionId}`, ...options])
  const none = await show('--outcome', 'done')
  const second = await show('--outcome', 'not-begun', '--cursor', '1')
  const wrong = await show('--outcome', 'failed')
  const watched = await running.despatch(`bulk watch ${bulkActionId} --json`)

  expect(none.stdout).toMatch(/^ +filters +statuses PENDING,QUARANTINE, a text$/m)
  expect(none.stdout).not.toContain(keys[0])
  expect([second.stdout.includes(keys[0]!), second.stdout.includes(keys[1]!)]).toEqual([
    false,
    true,
  ])
  expect(wrong.code).toBe(2)
  expect(JSON.parse(watched.stdout).items).toHaveLength(2)
})

test('a file contains ids; duplicates count once, with a message', async () => {
  const { keys, ids } = await runs.anOpenRun(2)
  const file = join(running.directory, 'ids.txt')
  await writeFile(file, `# late\n${ids[0]}\n${keys[1]}\n${ids[1]}\n`)

  const planned = await running.despatch([
    'bulk plan --action cancel --reason "asked for" --json',
    `--file ${file} ${ids[0]}`,
  ])

  expect([planned.code, planned.stderr]).toEqual([
    0,
    'despatch: 2 given more than once and counted once\n',
  ])
  expect(JSON.parse(planned.stdout)).toMatchObject({ action: 'cancel', printJobCount: 2 })
})

test('a plan is withdrawn, and watching it ends as incomplete', async () => {
  const { keys } = await runs.anOpenRun()
  const { bulkActionId } = await plan(keys[0]!)

  const stopped = await running.despatch(`bulk stop ${bulkActionId}`)
  const watched = await running.despatch(`bulk watch ${bulkActionId}`)

  expect(stopped.stdout).toBe('Stopped: 0 print jobs done, 1 not started.\n')
  expect([watched.code, watched.stdout]).toEqual([3, 'STOPPED: 0 done, 1 not started\n'])
})

test.each<[string, chosen: string, code: number, message: string]>([
  ['no print job', '', 2, 'no print jobs given'],
  ['one that there is not', 'nowhere', 1, 'there is no print job nowhere'],
  ['a file that there is not', '--file /nowhere/ids', 1, '/nowhere/ids cannot be read'],
])('nothing is planned: %s', async (_name, chosen, code, message) => {
  const ended = await running.despatch([hold, chosen])

  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(message)])
})
