import { expect, test } from 'vitest'
import { runUnderFire } from '../../faults/run-under-fire.ts'
import { takeCarriers } from '../../stack/provider-loop/carriers.ts'
import { makeDirectory } from '../../stack/start-despatch.ts'

const seed = 20_261_120

test(`400 letters with processes killed throughout: none is missing or printed twice (seed ${seed})`, async () => {
  await using carriers = await takeCarriers()
  await using directory = await makeDirectory()

  const told: string[] = []
  const { findings, counts } = await runUnderFire({
    carriers: carriers.environment,
    directory: directory.path,
    documents: 400,
    runDocuments: 60,
    factories: 2,
    seed,
    gapMsMax: 700,
    documentsPerSecond: 50,
    deadlineMs: 180_000,
    tell: (line) => told.push(line),
  })

  expect(findings, told.join('\n')).toEqual([])
  expect(counts.despatched + counts.rejected + counts.deleted).toBe(400)
  // enough kills and reprints for the run to prove something
  expect(counts.kills).toBeGreaterThan(2)
  expect(counts.reprints).toBeGreaterThan(0)
})
