import type { KnownSettings } from '../settings.ts'
import type { Surroundings } from '../surroundings.ts'

/** What a check found. */
export type Finding = {
  /** What was looked at, as in `queue policy`. */
  subject: string
  /** skipped: nothing says where it is. A warning does not end the command with 1. */
  state: 'good' | 'warning' | 'bad' | 'skipped'
  found: string
  /** How it is mended. */
  mend?: string
}

/** What checks go by. Nothing of it is ever told as it stands: much of it is secret. */
export type Examined = {
  environment: Surroundings['environment']
  settings: KnownSettings
  now: () => Date
}

/** Looks at one thing. It tells what is wrong instead of throwing it. */
export type Check = (examined: Examined) => Promise<Finding[]>

export const probeDeadlineMs = 5_000

/** Why something did not answer, in a few words without addresses or credentials. */
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
