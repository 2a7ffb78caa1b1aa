import { repeat } from '@despatch/queue/repeat'
import type { OriginCall } from '@despatch/store/callback/origin-calls'

export type OriginCalls = {
  note(call: OriginCall): void
  /** Writes the remaining calls. */
  close(): Promise<void>
}

export type OriginCallsOptions = {
  record: (calls: readonly OriginCall[]) => Promise<void>
  everyMs: number
  onError: (error: Error) => void
}

/** The health of an origin depends on its latest calls. Above this number the oldest are dropped. */
const callsKeptMax = 50_000
const callsPerRecordMax = 5_000

/** Collects calls and writes them together, because calls of one moment share a few origins. */
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
    // Calls that ended meanwhile wait for the next interval: constant locks on the origins would hold up the takes.
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
