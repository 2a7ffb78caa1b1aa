import { ConfigError, withSecretsOfFiles } from '@despatch/config/read-config'
import type { CommandContext } from '../command-context.ts'
import { wrongUsage } from '../failure.ts'

/**
 * Returns the environment as the services read it: each secret that is in a file is in its variable. Throws a Failure
 * if a secret is given twice, or its file cannot be read.
 */
export function serviceEnvironment(
  environment: CommandContext['environment'],
): CommandContext['environment'] {
  try {
    return withSecretsOfFiles(environment)
  } catch (error) {
    if (error instanceof ConfigError) throw wrongUsage(error.message)
    throw error
  }
}
