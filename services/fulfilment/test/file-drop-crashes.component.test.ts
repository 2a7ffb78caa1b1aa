import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFileDrop, anEvent, aPostingOf } from './a-file-drop.ts'

const drop = await shared(aFileDrop())

describe('a process that dies', () => {
  const points = ['before', 'after'] as const

  /**
   * A store whose n-th and later changes fail, before or after they are made. `hasFailed` says whether there were n
   * changes.
   */
  function failingAt(n: number, point: (typeof points)[number]) {
    let changes = 0
    const failing =
      <Arguments extends unknown[], Result>(change: (...args: Arguments) => Promise<Result>) =>
      async (...args: Arguments): Promise<Result> => {
        changes += 1
        if (changes === n && point === 'before') throw new Error('the process died')
        const result = await change(...args)
        if (changes >= n) throw new Error('the process died')
        return result
      }
    const { put, copy, remove } = drop.objects
    const objects = {
      ...drop.objects,
      put: failing(put),
      copy: failing(copy),
      remove: failing(remove),
    }
    return { objects, hasFailed: () => changes >= n }
  }

  test.each(points)(
    '%s any step of writing a run never leaves an incomplete run with a ready file',
    async (point) => {
      for (let n = 1, hasFailed = true; hasFailed; n++) {
        const { batchNumber, printJobs } = await drop.aRunToTake(3)
        const failing = failingAt(n, point)
        await drop.pass({ objects: failing.objects })
        hasFailed = failing.hasFailed()
        const whole = ['manifest.json', 'ready.json']
        const half = await drop.names(`out/${batchNumber}`)
        if (half.includes('ready.json')) expect(half).toHaveLength(printJobs.length + whole.length)

        await drop.pass()

        const after = await drop.names(`out/${batchNumber}`)
        expect(after).toHaveLength(printJobs.length + whole.length)
        expect(await drop.read(`out/${batchNumber}/ready.json`)).toMatchObject({ batchNumber })
      }
    },
  )

  test.each(points)(
    '%s any step of reading files leaves each file answered once',
    async (point) => {
      for (let n = 1, hasFailed = true; hasFailed; n++) {
        const { batchNumber, documentIds } = await drop.anAcknowledgedRun(2)
        const names = ['events', 'close', 'posting'].map(
          (kind, place) => `${point}${n}-${place}.${kind}`,
        )
        await drop.lay(`${names[0]}.json`, {
          batchNumber,
          events: documentIds.map((documentId) => anEvent(documentId, 'PRINTED')),
        })
        await drop.lay(`${names[1]}.json`, { batchNumber })
        await drop.lay(`${names[2]}.json`, aPostingOf(batchNumber))
        const failing = failingAt(n, point)
        await drop.pass({ objects: failing.objects })
        hasFailed = failing.hasFailed()

        await drop.pass()

        expect(await drop.names('in')).toEqual([])
        expect(await drop.read(`ack/${names[0]}.json`)).toMatchObject({ status: 200 })
        expect(await drop.read(`error/${names[1]}.json`)).toMatchObject({ status: 409 })
        expect(await drop.read(`error/${names[1]}.input.json`)).toEqual({ batchNumber })
        expect(await drop.read(`ack/${names[2]}.json`)).toMatchObject({
          status: 201,
          body: { documentCount: 2 },
        })
        const { rows } = await drop.database.pool.query(
          `select (select count(*) from posting_run where batch_number = $1)::integer as postings,
          (select count(*) from print_run_event where batch_number = $1)::integer as events`,
          [batchNumber],
        )
        expect(rows).toEqual([{ postings: 1, events: 2 }])
      }
    },
  )
})
