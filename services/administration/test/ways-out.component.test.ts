import { printRunStates, recallStates, reprintStates } from '@despatch/domain/print-run/state'
import { byEffort } from '@despatch/testing/effort'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'
import { aSmallWorld, readStates } from './ways-out/small-world.ts'
import { type StepName, stepNames, steps } from './ways-out/steps.ts'
import { takeWayOut } from './ways-out/way-out.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))
await runs.pool.query(
  `insert into print_site (provider_id, print_location, capabilities, share, created_at)
   select provider_id, 'SOUTH', capabilities, 0, now() from print_site limit 1
   on conflict do nothing`,
)
// so that each reprint waits for a second person
await runs.pool.query('update print_site set reprints_free_max = 0, reprints_free_percent = 0')
/** Of the full form: some hundred walks on a slow machine. */
const fullMsMax = 1_800_000
const visited = new Set<string>()

/** Makes letters, takes these steps and then the way out of an operator. Returns what is open at its end. */
async function walk(letters: number, names: readonly StepName[]): Promise<string[]> {
  const world = await aSmallWorld(administration, runs, { letters })
  for (const name of names) {
    for (const state of await readStates(world)) visited.add(state)
    await steps[name](world)
  }
  for (const state of await readStates(world)) visited.add(state)
  const open = await takeWayOut(world)
  for (const state of await readStates(world)) visited.add(state)
  return open
}

const offered = ['gather and release', 'claim'] as const
const accepted = [...offered, 'acknowledge'] as const

/** Walks that lead into each state. */
const chosen: StepName[][] = [
  [],
  ['hold one'],
  ['hold all', 'gather and release'],
  ['the consumer deletes one', 'gather and release'],
  ['gather and release', 'move'],
  [...offered],
  [...offered, 'the lease ends', 'recall'],
  [...offered, 'recall', 'stop the recalled'],
  [...offered, 'recall', 'refuse one'],
  [...offered, 'refuse one'],
  [...offered, 'refuse each'],
  [...offered, 'refuse the run'],
  [...offered, 'refuse the run', 'move', 'claim'],
  [...offered, 'move', 'claim', 'acknowledge', 'save a posting'],
  [...accepted, 'recall', 'recalled too late', 'recall'],
  [...accepted, 'fail one', 'recall', 'spoil one'],
  [...accepted, 'spoil one', 'ask for a reprint'],
  [...accepted, 'spoil one', 'ask for a reprint', 'authorise reprints', 'print', 'spoil one'],
  [...accepted, 'spoil one', 'ask for a reprint', 'refuse reprints', 'save a posting'],
  [...accepted, 'spoil one', 'ask for a reprint', 'recall', 'stop the recalled'],
  [...accepted, 'print', 'save a posting'],
  [...accepted, 'save a posting', 'recall', 'confirm the postings', 'stop the recalled'],
  [...accepted, 'save a posting', 'confirm the postings'],
]

test.each(chosen.map((names) => [names.join(', ') || 'nothing', names] as const))(
  'after these steps, an operator can bring everything to an end: %s',
  async (_name, names) => {
    expect(await walk(2, names)).toEqual([])
  },
)

test(
  'after any steps, an operator can bring everything to an end',
  async () => {
    const name = fc.constantFrom(...stepNames)
    const walks = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.array(name, { maxLength: 10 }))
    const start = fc.constantFrom<readonly StepName[]>([], offered, accepted)
    await fc.assert(
      fc.asyncProperty(start, walks, async (begun, [letters, names]) => {
        expect(await walk(letters, [...begun, ...names])).toEqual([])
      }),
      { numRuns: byEffort({ landing: 8, full: 200 }), endOnFailure: true },
    )
  },
  fullMsMax,
)

test('the walks visit every state', () => {
  const wanted = [
    ...printRunStates.map((state) => `run ${state}`),
    ...recallStates.map((state) => `recall ${state}`),
    ...reprintStates.map((state) => `reprint ${state}`),
    ...['posting saved', 'posting confirmed'],
    ...['letter PENDING', 'letter PRODUCTION', 'letter DESPATCHED', 'letter REJECTED'],
    ...['letter held', 'letter deleted'],
  ]
  expect(wanted.filter((state) => !visited.has(state))).toEqual([])
})
