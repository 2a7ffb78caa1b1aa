import type { Environment } from '@despatch/config/read-config'

const loopback = '127.0.0.0/8'

/** Returns the settings of the stack: the given ones, free ports, and short waits because somebody is watching. */
export function makeDemoEnvironment(
  given: Environment,
  { dataDirectory, databaseUrl }: { dataDirectory: string; databaseUrl: string | undefined },
): Environment {
  const allowed = given.DESPATCH_CALLBACK_ALLOW
  return {
    ...given,
    DATABASE_URL: databaseUrl,
    DESPATCH_DATA_DIR: dataDirectory,
    DESPATCH_HOST: '127.0.0.1',
    DESPATCH_PORT: '0',
    DESPATCH_OPS_PORT: '0',
    // The demo starts its own simulator, to show what it does.
    DESPATCH_SIMULATOR: 'off',
    // Long enough for a slow machine to gather the letters in one run.
    DESPATCH_PRINT_RUN_AGE_MS: '3000',
    DESPATCH_CALLBACK_ALLOW: allowed ? `${allowed},${loopback}` : loopback,
  }
}
