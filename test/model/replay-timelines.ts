import { openDatabase } from '@despatch/store/database'
import { evaluate, readSpecification } from './quint.ts'
import { type KeptRows, type Queryable, readKept } from './read-kept.ts'

/** A life that the model does not allow: its subject, and the step at which it departs from the model, or how. */
export type IllegalLife = {
  of: 'print job' | 'print run' | 'callback'
  subject: string
  fault: string
}

/** The number of lives per evaluation. */
const livesMax = 500

/**
 * Replays the stored history of print jobs, print runs and callbacks, step by step, by the steps of the model. An empty
 * list means that each took only steps that the model allows, and is in the state to which they lead. Services may be
 * running: each kind of life is read at one point in time.
 */
export async function replayTimelines({ pool }: { pool: Queryable }): Promise<IllegalLife[]> {
  const kept = await readKept(pool)
  return [
    ...judge('print job', 'print-job', kept.printJobs),
    ...judge('print run', 'print-run', kept.printRuns),
    ...judge('callback', 'callback', kept.callbacks),
  ]
}

/** Does the same for the database at an address. */
export async function replayTimelinesAt(url: string): Promise<IllegalLife[]> {
  const { pool, close } = openDatabase(url, { name: 'replay', connectionsMax: 1 })
  try {
    return await replayTimelines({ pool })
  } finally {
    await close()
  }
}

/** Many lives are equal, so each distinct life is replayed once. */
function judge(
  of: IllegalLife['of'],
  name: Parameters<typeof readSpecification>[0],
  rows: KeptRows,
): IllegalLife[] {
  const subjects = Map.groupBy(rows, ({ life }) => life)
  const lives = [...subjects.keys()]
  const specification = readSpecification(name)
  const faults: string[] = []
  for (let first = 0; first < lives.length; first += livesMax) {
    const some = lives.slice(first, first + livesMax)
    const { found } = evaluate(specification, {
      found: `List(${some.join(', ')}).foldl(List(), (faults, kept) => faults.append(faultOf(kept)))`,
    })
    faults.push(...(found as string[]))
  }
  return lives.flatMap((life, index) =>
    faults[index] === ''
      ? []
      : subjects.get(life)!.map(({ subject }) => ({ of, subject, fault: faults[index]! })),
  )
}
