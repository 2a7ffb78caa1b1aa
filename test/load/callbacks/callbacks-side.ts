import { profileFlags, type Settings } from '../command-line.ts'
import type { Ground } from '../ground.ts'
import type { Program } from '../program.ts'

export const callsUnderWayMax = 128
/** The same limit as in the service. */
export const callsPerOriginMax = 8
const callsPerSecondMax = 100_000

/** Starts a process of the callbacks service. It may call this machine, without a practical rate limit. */
export async function startCallbacks({ serve }: Ground, settings: Settings): Promise<Program> {
  const { program } = await serve('services/callbacks/src/main.ts', {
    environment: {
      DESPATCH_CALLBACK_ALLOW: '127.0.0.0/8',
      DESPATCH_CALLBACK_ORIGIN_RATE: String(callsPerSecondMax),
      DESPATCH_CALLBACK_CONCURRENCY: String(callsUnderWayMax),
    },
    nodeFlags: profileFlags(settings),
  })
  return program
}
