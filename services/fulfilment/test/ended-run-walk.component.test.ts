import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { createEndedRunWalk } from '../src/file-drop/ended-run-walk.ts'
import { aFileDrop } from './a-file-drop.ts'

const drop = await shared(aFileDrop())
const { pool } = drop.database
const own = drop.database.openAs('fulfilment')

/** A claimed run with documents and template data in the folder of its provider. */
async function aRun() {
  const run = await drop.aRunLaidOut(2)
  await drop.objects.put(`${drop.root}/${run.out}/template-data.ndjson`, Buffer.from('{}'), '')
  return run
}

/** Walks over the provider's folder in pages of three keys. Other tests use the bucket too. */
async function walk({ daysLater = 0 } = {}): Promise<void> {
  const { objects } = drop
  const known = await objects.list(`${drop.root}/`, { keysMax: 10_000 })
  const changedAt = new Date(Date.now() - daysLater * 86_400_000)
  const pass = createEndedRunWalk({
    db: own.db,
    keysMax: 3,
    objects: {
      removeTogether: objects.removeTogether,
      listWithTimes: async (_, { keysMax, after = '' }) =>
        known
          .filter((key) => key > after)
          .slice(0, keysMax)
          .map((key) => ({ key, bytes: 1, changedAt })),
    },
  })
  for (let keys = 0; keys <= known.length; keys += 3) await pass()
}

const refuse = `update print_run set state = 'REFUSED', acknowledged_at = now(), acknowledgement_hash = '',
  refused_count = document_count where batch_number = $1`
const kept = ['manifest.json', 'ready.json']

const close = `update print_run set state = 'CLOSED', closed_at = now() where batch_number = $1`
const moveLongAgo = `update print_run set state = 'VOIDED', voided_at = now() - interval '1 year'
  where batch_number = $1`
const refuseAll = `with refused as (${refuse})
  update print_run_document set outcome = 'REFUSED' where batch_number = $1`
const recall = `update print_run_document set outcome = 'RECALLED' where batch_number = $1`

test.each([
  ['closed by an operator', close],
  ['moved long ago', moveLongAgo],
  ['refused, each document of it', refuseAll],
  ['recalled', recall],
])('documents and template data are removed from a folder if the run was %s', async (_, change) => {
  const { batchNumber, out } = await aRun()
  const other = await aRun()
  await pool.query(change, [batchNumber])

  await walk()

  expect(await drop.names(out)).toEqual(kept)
  expect(await drop.names(other.out)).toHaveLength(5)
})

test('documents and template data stay while one document has no outcome', async () => {
  const { batchNumber, out, documentIds } = await aRun()
  await pool.query(refuse, [batchNumber])
  await pool.query(`update print_run_document set outcome = 'REFUSED' where document_id = $1`, [
    documentIds[0],
  ])

  await walk()

  expect(await drop.names(out)).toHaveLength(5)
})

test('documents and template data of an unknown run are removed after a day', async () => {
  await drop.objects.put(`${drop.root}/out/R999999/documents/D1.pdf`, Buffer.from('?'), '')
  await drop.objects.put(`${drop.root}/out/R999999/manifest.json`, Buffer.from('{}'), '')
  await pool.query(
    `update provider set created_at = created_at - interval '1 year' where id = $1`,
    [drop.provider],
  )

  await walk()
  expect(await drop.names('out/R999999')).toEqual(['documents/D1.pdf', 'manifest.json'])

  await walk({ daysLater: 2 })
  expect(await drop.names('out/R999999')).toEqual(['manifest.json'])

  await drop.objects.put(`${drop.root}/out/R999999/documents/D1.pdf`, Buffer.from('?'), '')
  await walk({ daysLater: 2_000 })
  expect(await drop.names('out/R999999')).toEqual(['documents/D1.pdf', 'manifest.json'])
})
