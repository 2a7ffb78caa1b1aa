import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordSchemas } from '@despatch/contracts/records/record-kinds'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { startPostgres } from '@despatch/embedded/postgres'
import { openDatabase } from '@despatch/store/database'
import { migrate } from '@despatch/store/migrate'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import { generateDrivers } from '@despatch/synthetic/drivers'
import { measureRanking, type SoughtDriver } from '@despatch/testing/name-ranking'
import { isHeldOut, type Pair, readPairs } from '../names/pairs.ts'
import { loadRecordSet } from '../records/load-record-set.ts'

// Measures how often a misspelt last name finds the right driver among the first ten results. Some of many made-up
// drivers get one name of a held-out pair, and are searched for by the other. Prints a table for docs/name-matching.md.
const usage = `npm run measure-ranking -- --pairs FILE [--drivers N]

  --pairs FILE   pairs of last names: lines of same,a,b under a heading, where same is 1 or 0
  --drivers N    made-up drivers (1000000)
`
const { values } = parseArgs({
  options: { pairs: { type: 'string' }, drivers: { type: 'string', default: '1000000' } },
})
if (!values.pairs) {
  process.stderr.write(usage)
  process.exit(1)
}
const count = Number(values.drivers)
const pairs = (await readPairs(values.pairs)).filter((pair) => pair.isSame && isHeldOut(pair))

const directory = await mkdtemp(join(tmpdir(), 'despatch-ranking-'))
// Under root, the account of PostgreSQL must be able to enter the directory.
await chmod(directory, 0o711)
const postgres = await startPostgres({ directory: join(directory, 'postgres'), durable: false })
// The server does not keep this process alive.
const hold = setInterval(() => {}, 60_000)
const database = openDatabase(postgres.url, { name: 'ranking', connectionsMax: 4 })
try {
  await migrate(postgres.url)
  const sought: SoughtDriver[] = []
  await loadRecordSet(
    {
      tell: (line) => process.stderr.write(`${line}\n`),
      signal: new AbortController().signal,
    },
    database,
    {
      kind: 'driver',
      records: withNamesOf(pairs, sought),
      schema: recordSchemas.driver,
      toLoadRow: driverLoadRow,
    },
  )
  const rankings = await measureRanking(database.pool, sought)
  process.stdout.write(
    [
      `${sought.length} of ${count.toLocaleString('en-GB')} drivers searched for`,
      '',
      '| the misspelt last name with | among the first ten | median |',
      '| --- | --- | --- |',
      ...rankings.map(
        ({ criteria, found, medianMs }) =>
          `| ${criteria} | ${found.toFixed(1)} % | ${medianMs.toFixed(1)} ms |`,
      ),
      '',
    ].join('\n'),
  )
} finally {
  await database.close()
  clearInterval(hold)
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

/** Makes drivers. At even distances, one gets the second name of a pair, and is noted under the first. */
function* withNamesOf(pairs: readonly Pair[], sought: SoughtDriver[]): Generator<DriverRecord> {
  const today = new Date().toISOString().slice(0, 10)
  const every = Math.max(1, Math.floor(count / pairs.length))
  let index = 0
  for (const record of generateDrivers({ seed: 1, count, today, imagePercent: 0 })) {
    const { driver } = record
    const { drivingLicenceNumber, firstNames, dateOfBirth, gender, address } = driver
    const postcode = address?.unstructuredAddress.postcode
    const pair = pairs[sought.length]
    index += 1
    if (pair && index > every * sought.length && firstNames && dateOfBirth && postcode) {
      driver.lastName = pair.b.toUpperCase()
      const known = { firstNames, dateOfBirth, gender, postcode }
      sought.push({ drivingLicenceNumber, misspelt: pair.a, ...known })
    }
    yield record
  }
}
