import type { z } from 'zod'

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings are missing or invalid. The message has one line per variable and never contains a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads settings from environment variables. The schema's keys are the names of the variables; its descriptions state
 * their purpose. An empty variable counts as absent. Throws one ConfigError that lists every missing or invalid
 * variable.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
): z.output<z.ZodObject<Shape>> {
  const given: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = environment[name]
    if (value !== undefined && value !== '') given[name] = value
  }
  const result = schema.safeParse(given)
  if (result.success) return result.data
  throw new ConfigError(renderFaults(schema, result.error.issues, given))
}

function renderFaults(
  schema: z.ZodObject,
  issues: readonly z.core.$ZodIssue[],
  given: Record<string, string>,
): string {
  const lines = new Map<string, string>()
  for (const { path, message } of issues) {
    const name = String(path[0] ?? 'settings')
    if (lines.has(name)) continue
    const { description } = (schema.shape[name] as z.ZodType | undefined) ?? {}
    const fault = path.length > 0 && !(name in given) ? 'is required' : lowerFirst(message)
    lines.set(name, `${name} ${fault}${description ? ` (${description})` : ''}`)
  }
  return [...lines.values()].join('\n')
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
