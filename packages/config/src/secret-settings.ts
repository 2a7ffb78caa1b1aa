import { readFileSync } from 'node:fs'
import type { Environment } from './read-config.ts'
import { deriveKeys, isKeySetting, keySettingNames } from './service-keys.mjs'

/**
 * The settings that are secret, or that may contain a password. Each may be given as a file instead, whose path is in
 * the variable with the suffix `_FILE`.
 */
export const secretNames: readonly string[] = [
  'DATABASE_URL',
  'DESPATCH_API_KEY',
  'DESPATCH_CALLBACK_PROXY',
  'DESPATCH_DATABASE_PASSWORDS',
  ...keySettingNames(),
  'DESPATCH_METRICS_TOKEN',
  'DESPATCH_OIDC_CLIENT_SECRET',
  'DESPATCH_PASSWORD',
  'DESPATCH_PROVIDER_API_KEY',
  'DESPATCH_PROVIDER_PASSWORD',
  'DESPATCH_SECRET_KEY',
  'DESPATCH_SECRET_KEY_PREVIOUS',
  'DESPATCH_SMTP_URL',
  'DESPATCH_SOURCE_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'QUEUE_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
]

const publishedRoot = 'deadbeef'.padStart(64, '0')
/** Values that have been published, in our own examples or as defaults of servers: everyone knows them. */
const publishedValues: Readonly<Record<string, readonly string[]>> = {
  DESPATCH_SECRET_KEY: [publishedRoot],
  DESPATCH_SOURCE_TOKEN: ['despatch-trial-source-token'],
  S3_SECRET_ACCESS_KEY: ['despatch-trial-secret', 'minioadmin', 'S3RVER'],
}
const publishedPasswords = ['despatch', 'postgres']

/**
 * Returns the value of a setting, from the variable or from the file that the variable with the suffix `_FILE` names,
 * without the line break at its end. Undefined: it is given in neither way. Throws an Error, whose message contains no
 * value, if both are given or the file cannot be read.
 */
export function readSetting(name: string, environment: Environment): string | undefined {
  const value = environment[name] || undefined
  const path = secretNames.includes(name) ? environment[`${name}_FILE`] : undefined
  if (!path) return value
  if (value !== undefined) throw new Error(`and ${name}_FILE must not both be given`)
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '') || undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`cannot be read from the file that ${name}_FILE names: ${code}`)
  }
}

/** Whether everyone knows this value, or the password in it. Only the test environment may use such a value. */
export function isPublished(name: string, value: string): boolean {
  if (publishedValues[name]?.includes(value)) return true
  // Everyone can derive the keys of a published root.
  if (isKeySetting(name)) return [publishedRoot, deriveKeys(publishedRoot)[name]].includes(value)
  if (name !== 'DATABASE_URL' || !URL.canParse(value)) return false
  return publishedPasswords.includes(new URL(value).password)
}
