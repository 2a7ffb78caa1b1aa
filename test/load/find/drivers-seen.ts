import type { Driver, DriverRecord } from '@despatch/domain/driver/driver-record'

/** A sample of the loaded drivers, and their most common names. */
export type DriversSeen = {
  keep(records: readonly DriverRecord[]): Promise<void>
  /** Drivers at even distances, in the order of loading. */
  samples: Driver[]
  commonest(): CommonNames
}

/** The most common first. */
export type CommonNames = { lastNames: string[]; firstNames: Record<Driver['gender'], string[]> }

const namesMax = 10

/** Records drivers while they are loaded. */
export function watchDrivers({
  count,
  samplesMax,
}: {
  count: number
  samplesMax: number
}): DriversSeen {
  const every = Math.max(1, Math.floor(count / samplesMax))
  const samples: Driver[] = []
  const lastNames = new Map<string, number>()
  const firstNames = { Male: new Map<string, number>(), Female: new Map<string, number>() }
  let seen = 0

  function see(driver: Driver): void {
    if (seen % every === 0 && samples.length < samplesMax && isComplete(driver))
      samples.push(driver)
    seen += 1
    add(lastNames, driver.lastName)
    const [first] = driver.firstNames?.split(' ') ?? []
    if (first) add(firstNames[driver.gender], first)
  }

  return {
    samples,
    async keep(records) {
      for (const { driver } of records) see(driver)
    },
    commonest: () => ({
      lastNames: mostOf(lastNames),
      firstNames: { Male: mostOf(firstNames.Male), Female: mostOf(firstNames.Female) },
    }),
  }
}

function isComplete({ firstNames, address }: Driver): boolean {
  return firstNames !== undefined && address?.unstructuredAddress.postcode !== undefined
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function mostOf(counts: Map<string, number>): string[] {
  return [...counts]
    .sort(([, left], [, right]) => right - left)
    .slice(0, namesMax)
    .map(([name]) => name)
}
