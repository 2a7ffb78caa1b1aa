import type { CommandContext } from '../command-context.ts'
import type { KnownSettings } from '../settings.ts'

/** The result of a check. */
export type Finding = {
  /** The subject of the check, for example `queue policy`. */
  subject: string
  /** `skipped`: no setting says where the subject is. A `warning` does not make the command end with 1. */
  state: 'good' | 'warning' | 'bad' | 'skipped'
  found: string
  /** How to fix it. */
  mend?: string
}

/** Input of the checks. Never print any of it unchanged, because much of it is secret. */
export type Examined = {
  environment: CommandContext['environment']
  settings: KnownSettings
  now: () => Date
}

/** Checks one subject. Reports problems as findings and does not throw. */
export type Check = (examined: Examined) => Promise<Finding[]>

export const probeDeadlineMs = 5_000

/** Returns in a few words why something did not answer, without addresses or credentials. */
export function reasonWithoutSecrets(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return reasonWithoutSecrets(error.errors[0])
  }
  const { code, name, cause } = (error ?? {}) as { code?: unknown; name?: unknown; cause?: unknown }
  if (typeof code === 'string' && code !== '') return code
  if (cause) return reasonWithoutSecrets(cause)
  return typeof name === 'string' && name !== '' ? name : 'failed'
}

export function skipped(subject: string, variable: string): Finding {
  return { subject, state: 'skipped', found: `${variable} is not set here` }
}
