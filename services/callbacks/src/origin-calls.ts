import { repeat } from '@despatch/queue/repeat'
import type { OriginCall } from '@despatch/store/callback/origin-calls'

export type OriginCalls = {
  note(call: OriginCall): void
  /** Writes what is left. */
  close(): Promise<void>
}

export type OriginCallsOptions = {
  record: (calls: readonly OriginCall[]) => Promise<void>
  everyMs: number
  onError: (error: Error) => void
}

/** Judging an origin needs its latest calls: beyond this the oldest are forgotten. */
const callsKeptMax = 50_000
const callsPerRecordMax = 5_000

/** Gathers calls and writes them together, since many of one moment have the same few origins. */
export function recordOriginCallsTogether(options: OriginCallsOptions): OriginCalls {
  const { record, everyMs, onError } = options
  let noted: OriginCall[] = []

  async function pass(): Promise<'again' | 'idle'> {
    if (noted.length === 0) return 'idle'
    const calls = noted.splice(0, callsPerRecordMax)
    try {
      await record(calls)
    } catch (error) {
      noted = [...calls, ...noted].slice(-callsKeptMax)
      throw error
    }
    // What ended meanwhile waits for its time: origins that are locked all the time hold up the takes.
    return noted.length >= callsPerRecordMax ? 'again' : 'idle'
  }

  const recording = repeat({ name: 'origin-calls', everyMs, pass, onError })
  return {
    note: (call) => {
      noted.push(call)
    },
    close: async () => {
      await recording.close()
      await pass().catch(onError)
    },
  }
}
