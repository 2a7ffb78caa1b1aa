import { heapProbe } from './heap.ts'

/** How a Despatch is set up to be fuzzed: all APIs are there, print runs are soon there, and no wrong password locks a caller out. */
export const fuzzEnvironment = {
  ...heapProbe,
  DESPATCH_ENVIRONMENT: 'uat',
  DESPATCH_SIMULATOR: 'off',
  DESPATCH_PRINT_RUN_AGE_MS: '300',
  DESPATCH_LOCKOUT_USER_ATTEMPTS: '1000',
  DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '1000000',
}
