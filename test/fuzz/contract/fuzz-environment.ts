import { heapProbe } from './heap.ts'

/**
 * The settings of a Despatch to be fuzzed: all APIs are enabled, print runs appear quickly, and neither many requests
 * nor wrong passwords shut a caller out.
 */
export const fuzzEnvironment = {
  ...heapProbe,
  DESPATCH_ENVIRONMENT: 'uat',
  DESPATCH_SIMULATOR: 'off',
  DESPATCH_PRINT_RUN_AGE_MS: '300',
  DESPATCH_SOURCE_REQUESTS_PER_SECOND: '100000',
  DESPATCH_LOCKOUT_USER_ATTEMPTS: '1000',
  DESPATCH_LOCKOUT_ALL_SOURCES_ATTEMPTS: '1000000',
  DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '1000000',
}
