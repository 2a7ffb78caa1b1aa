import { abandonSet, beginPublishing } from '@despatch/store/record-set/transitions'
import { aRecordStore, type RecordStore, vehicle } from '@despatch/testing/a-record-store'
import { eventually } from '@despatch/testing/eventually'
import { beforeEach, describe, expect, test } from 'vitest'
import { dropOldSets } from '../src/record-set/sweep.ts'

let store: RecordStore
beforeEach(async () => {
  store = await aRecordStore()
  return store.close
})

describe('dropping', () => {
  const drop = () => dropOldSets(store.db, { graceSeconds: 300, lockWaitMs: 50 })
  const letPass = (seconds: number) =>
    store.pool.query(`update record_set set ended_at = ended_at - $1 * interval '1 second'`, [
      seconds,
    ])
  const tables = async () =>
    (
      await store.pool.query(
        "select relname from pg_class where relname ~ '^vehicle_record_s[0-9]+$' order by relname",
      )
    ).rows.map(({ relname }) => relname)

  /** The vehicles that an enquiry finds: those of the current set. */
  const seen = async () =>
    (
      await store.pool.query(
        `select registration_number as number from vehicle_record
         where set_id = (select id from record_set where kind = 'vehicle' and state = 'CURRENT')`,
      )
    ).rows

  async function threeSets(): Promise<number[]> {
    const ids: number[] = []
    for (const number of [1, 2, 3]) {
      const { set } = await store.begin({ source: `source ${number}` })
      await store.load(set.id, [vehicle(`A${number}`)])
      await store.publish(set.id)
      ids.push(set.id)
    }
    return ids
  }

  test('keeps the current set and the previous one, and drops older sets once', async () => {
    const [first, second, third] = await threeSets()

    await letPass(240)
    expect(await drop()).toEqual([])
    await letPass(60)
    expect(await drop()).toEqual([first])
    expect(await drop()).toEqual([])

    expect(await store.stateOf(first!)).toBe('DROPPED')
    expect(await tables()).toEqual([`vehicle_record_s${second}`, `vehicle_record_s${third}`])
    expect(await seen()).toEqual([{ number: 'A3' }])
  })

  test('drops a set that is being read at the next pass, and delays no reader', async () => {
    const [first] = await threeSets()
    await letPass(301)
    const reader = await store.pool.connect()
    await reader.query('begin')
    await reader.query('select from vehicle_record limit 1')

    expect(await drop()).toEqual([])
    await reader.query('commit')
    expect(await drop()).toEqual([first])
    reader.release()
  })

  test('drops an abandoned set at once, even if its publishing was interrupted', async () => {
    const { set } = await store.begin()
    await store.load(set.id, [vehicle('A1')])
    await store.db.transaction().execute((tx) => beginPublishing(tx, set.id))

    await store.db.transaction().execute((tx) => abandonSet(tx, set.id))

    expect(await drop()).toEqual([set.id])
    expect(await tables()).toEqual([])
    expect(await store.stateOf(set.id)).toBe('ABANDONED')
  })
})

test('enquiries during imports see the old set or the new one, never a mixture or nothing', async () => {
  const numbers = Array.from({ length: 50 }, (_, index) => `V${index}`)
  const version = (make: string) => numbers.map((number) => vehicle(number, make))
  await store.published(version('version 0'))
  let isOver = false
  const answers = new Set<string>()
  const enquire = async () => {
    while (!isOver) {
      const { rows } = await store.pool.query({
        name: 'two numbers',
        text: `select record ->> 'make' as make, count(*) over () as count from vehicle_record
          where set_id = (select id from record_set where kind = 'vehicle' and state = 'CURRENT')
            and registration_number = any($1)`,
        values: [['V0', 'V7', 'V49']],
      })
      answers.add(rows.map(({ make }) => make).join(', '))
    }
  }
  const whole = (round: number) => Array(3).fill(`version ${round}`).join(', ')
  const isSeen = (round: number) =>
    eventually(() => answers.has(whole(round)), { message: `version ${round} is seen` })
  const enquirers = Promise.all([enquire(), enquire(), enquire()])
  await isSeen(0)

  for (let round = 1; round <= 6; round++) {
    const mode = round % 2 ? 'replace' : 'update'
    await store.published(version(`version ${round}`), { mode, source: `source ${round}` })
    await isSeen(round)
    await dropOldSets(store.db, { graceSeconds: 0, lockWaitMs: 500 })
  }
  isOver = true
  await enquirers

  expect(answers).toEqual(new Set([0, 1, 2, 3, 4, 5, 6].map(whole)))
})
