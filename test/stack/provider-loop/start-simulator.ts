import type { Credential } from '../start-despatch.ts'
import { type StartedProgram, startProgram } from '../start-program.ts'

export type SimulatorOptions = {
  baseUrl: string
  credential: Credential
  /** The directory of its print log and of the state that it needs after a crash. */
  directory: string
  /** How it works, if not quickly and without errors. */
  floor?: object
}

/** Starts a simulated factory as a separate process. */
export function startSimulator({
  baseUrl,
  credential,
  directory,
  floor = {},
}: SimulatorOptions): StartedProgram {
  return startProgram(['services/provider-simulator/src/main.ts'], {
    environment: {
      LOG_LEVEL: 'warn',
      DESPATCH_BASE_URL: baseUrl,
      DESPATCH_PROVIDER_USER_NAME: credential.userName,
      DESPATCH_PROVIDER_PASSWORD: credential.password,
      DESPATCH_PROVIDER_API_KEY: credential.apiKey,
      DESPATCH_PROVIDER_DIRECTORY: directory,
      DESPATCH_SIMULATOR_FLOOR: JSON.stringify({ pollIntervalMs: 50, printTimeMs: 0, ...floor }),
    },
  })
}
