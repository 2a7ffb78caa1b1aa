import type { z } from 'zod'
import { isPublished, readSetting, secretNames } from './secret-settings.ts'
import { isKeySetting } from './service-keys.mjs'

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings are missing or invalid. The message has one line per variable and never contains a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads settings from environment variables. The schema's keys are the names of the variables; its descriptions state
 * their purpose. An empty variable counts as absent. A secret may be in the file that the variable with the suffix
 * `_FILE` names. Throws one ConfigError that lists every missing or invalid variable, and every secret that has been
 * published, unless this is the test environment.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
): z.output<z.ZodObject<Shape>> {
  const given: Record<string, string> = {}
  const faults: string[] = []
  for (const name of Object.keys(schema.shape)) {
    try {
      const value = readSetting(name, environment)
      if (value === undefined) continue
      given[name] = value
      if (environment.DESPATCH_ENVIRONMENT !== 'uat' && isPublished(name, value)) {
        faults.push(`${name} has a value that has been published: make your own`)
      }
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
    }
  }
  const result = schema.safeParse(given)
  if (result.success && faults.length === 0) return result.data
  const issues = (result.error?.issues ?? []).filter(
    ({ path }) => !faults.some((fault) => fault.startsWith(`${String(path[0])} `)),
  )
  throw new ConfigError(
    [...faults, ...renderFaults(schema, issues, { given, environment })].join('\n'),
  )
}

/**
 * Returns the environment with each secret in its own variable, for a process that passes settings on. Throws a
 * ConfigError if a secret is given twice or its file cannot be read.
 */
export function withSecretsOfFiles(environment: Environment): Environment {
  const resolved: Record<string, string | undefined> = { ...environment }
  for (const name of secretNames) {
    try {
      resolved[name] = readSetting(name, environment)
    } catch (error) {
      throw new ConfigError(`${name} ${(error as Error).message}`)
    }
    delete resolved[`${name}_FILE`]
  }
  return resolved
}

function renderFaults(
  schema: z.ZodObject,
  issues: readonly z.core.$ZodIssue[],
  { given, environment }: { given: Record<string, string>; environment: Environment },
): string[] {
  const lines = new Map<string, string>()
  for (const { path, message } of issues) {
    const name = String(path[0] ?? 'settings')
    if (lines.has(name)) continue
    const { description } = (schema.shape[name] as z.ZodType | undefined) ?? {}
    const isMissing = path.length > 0 && !(name in given)
    const fault = isMissing ? missingFault(name, environment) : lowerFirst(message)
    lines.set(name, `${name} ${fault}${description ? ` (${description})` : ''}`)
  }
  return [...lines.values()]
}

/** Services do not read the root. If it is given, the fault says so. */
function missingFault(name: string, environment: Environment): string {
  const { DESPATCH_SECRET_KEY: root, DESPATCH_SECRET_KEY_FILE: rootFile } = environment
  if (!isKeySetting(name) || !(root || rootFile)) return 'is required'
  return 'is required in place of DESPATCH_SECRET_KEY, which services do not read'
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
