import { insertProvider } from '@despatch/store/access/consumers'
import {
  openSerialBook,
  saveSerialBook,
  takeSerialNumber,
} from '@despatch/store/serial-stock/serial-book'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { addSerialNumbers } from '../src/operations/issue-serial-numbers.ts'

const { db, pool } = await shared(aDatabase())
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
await insertProvider(db, { id: 'south', name: 'South', printLocations: ['SOUTH'] })

test('a serial number that a provider is reporting cannot be issued to another provider', async () => {
  const name = { jobType: 'LICENCE', serialNumber: '1' }
  const holder = { batchNumber: 'R1', documentId: 'D1', attempt: 1 }
  const issue = () =>
    db
      .transaction()
      .execute((tx) =>
        addSerialNumbers(tx, { jobType: 'LICENCE', providerId: 'south' }, ['1'], 'test'),
      )
  let issuing: ReturnType<typeof issue> | undefined

  await db.transaction().execute(async (tx) => {
    const book = await openSerialBook(tx, [name])
    issuing = issue()
    await Promise.race([
      issuing,
      eventually(isWaitingForLock, { message: 'the issue waits for the report' }),
    ])
    takeSerialNumber(book, name, { providerId: 'north', holder, as: 'USED' })
    await saveSerialBook(tx, book)
  })

  expect(await issuing).toEqual({ kind: 'taken', serialNumbers: ['1'] })
  const { rows } = await pool.query('select provider_id, state from serial_number')
  expect(rows).toEqual([{ provider_id: 'north', state: 'USED' }])
})

async function isWaitingForLock(): Promise<boolean> {
  const { rows } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}
