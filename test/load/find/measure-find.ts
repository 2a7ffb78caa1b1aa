import { recordSchemas } from '@despatch/contracts/records/record-kinds'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import { generateDrivers } from '@despatch/synthetic/drivers'
import type { Settings } from '../command-line.ts'
import type { Comparison, Measure } from '../comparison.ts'
import { makeConsumer } from '../consumer.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { latencies, loadInTurn, type Round } from '../load-in-turn.ts'
import { spread } from '../statistics.ts'
import { watchDrivers } from './drivers-seen.ts'
import { describeFound } from './found.ts'
import { loadRecordSet } from './load-record-set.ts'
import { makeSearches } from './searches.ts'
import { describeSet } from './set-figures.ts'
import { type FindSides, type SearchFiles, startSides, writeSearch } from './sides.ts'

const samplesMax = 2_000
const seed = 1
const manyClients = 16
/** Short loads, so that the machine is in the same state for both sides. */
const warmUpSeconds = 1
const scanRounds = 3
const scanSeconds = 1

/** Compares driver find with its own statement without a service in front, and with a search without indexes. */
export function measureFind(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const { drivers: count } = settings
  return withDatabase(ground, { connectionsMax: 4 }, async (database) => {
    const seen = watchDrivers({ count, samplesMax })
    const today = new Date().toISOString().slice(0, 10)
    const set = await loadRecordSet(ground, database, {
      kind: 'driver',
      records: generateDrivers({ seed, count, today, imagePercent: 0 }),
      schema: recordSchemas.driver,
      toLoadRow: driverLoadRow,
      keep: seen.keep,
    })
    const consumer = await makeConsumer(database.db, ground)
    const sides = await startSides(ground, settings, consumer)
    const searches: SearchFiles[] = []
    for (const search of makeSearches(seen.samples, seen.commonest())) {
      searches.push(await writeSearch(ground, search))
    }
    const stage = { ground, settings, sides, searches }
    const found = await describeFound(database, sides.ours, searches)
    const one = await compareWithSql(stage, 1)
    const many = await compareWithSql(stage, manyClients)
    const scan = await compareWithScan(stage)
    const notes = [...one.notes, ...(await describeSet(database, set)), found]
    return [{ ...one, notes }, many, scan]
  })
}

type Stage = {
  ground: Ground
  settings: Settings
  sides: FindSides
  searches: readonly SearchFiles[]
}

async function compareWithSql(stage: Stage, connections: number): Promise<Comparison> {
  const { ground, settings, sides, searches } = stage
  const measures: Measure[] = []
  const added: string[] = []
  for (const { name, requestsPath, statementsPath } of searches) {
    const rounds = await loadInTurn(ground, settings, sides.load, {
      name: `${name}, ${clients(connections)}`,
      body: { path: requestsPath },
      connections,
      ours: sides.ours,
      theirs: { load: sides.sqlLoad, body: { path: statementsPath } },
      warmUpSeconds,
    })
    const target = { sense: 'at most', ratio: 2 } as const
    measures.push(
      { ...latencies(rounds, 'p50Ms', `${name} p50 ms`), target },
      { ...latencies(rounds, 'p99Ms', `${name} p99 ms`), target },
    )
    added.push(`${name} ${addedMs(rounds)}`)
  }
  return {
    scenario: `${clients(connections)}, ${settings.drivers.toLocaleString('en-GB')} drivers`,
    rival: 'the same SQL',
    measures,
    notes: [`what the service adds to the p50, in ms: ${added.join(', ')}`],
  }
}

async function compareWithScan(stage: Stage): Promise<Comparison> {
  const { ground, settings, sides, searches } = stage
  const measures: Measure[] = []
  const notes: string[] = []
  for (const { name, requestsPath, scansPath } of searches) {
    const few = { ...settings, rounds: scanRounds, seconds: scanSeconds }
    const rounds = await loadInTurn(ground, few, sides.load, {
      name: `${name}, without an index`,
      body: { path: requestsPath },
      connections: 1,
      ours: sides.ours,
      theirs: { load: sides.sqlLoad, body: { path: scansPath } },
      warmUpSeconds,
    })
    measures.push(latencies(rounds, 'p50Ms', `${name} p50 ms`))
    notes.push(`${name}: the scan takes ${factorOf(rounds)} times as long`)
  }
  return {
    scenario: `1 client, ${scanRounds} rounds`,
    rival: 'ILIKE or soundex without an index',
    measures,
    notes,
  }
}

function addedMs(rounds: readonly Round[]): string {
  return spread(rounds.map(({ ours, theirs }) => ours.p50Ms - theirs.p50Ms)).median.toFixed(2)
}

function factorOf(rounds: readonly Round[]): string {
  const { median } = spread(rounds.map(({ ours, theirs }) => theirs.p50Ms / ours.p50Ms))
  return median.toFixed(median < 10 ? 1 : 0)
}

function clients(connections: number): string {
  return connections === 1 ? '1 client' : `${connections} clients`
}
